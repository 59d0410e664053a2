"""From a section file to a `Section`: every value checked before any host is touched."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from records.documents import parse
from records.names import is_plain
from records.objective import RESULTS, Objective
from records.section import (
    AUTO,
    COUNTED,
    DISTINCT,
    FILES,
    ROLES,
    SECTION_NAME,
    Levels,
    LoadFile,
    LoadProfile,
    NetworkFile,
    NetworkProfile,
    is_distinct,
    is_section_name,
)
from records.settings import OWN_MIDDLEWARE, SETTINGS, Level
from remote.errors import ConfigError
from remote.experiment.base import on_base
from remote.experiment.lengths import Durations
from remote.experiment.precision import Precision
from remote.experiment.rules import require_possible
from remote.experiment.section import Pause, Section, level_text
from remote.services.middleware_file import middleware_file, read_middleware_file
from remote.toml_files import read_toml

SECTIONS_DIR = Path(__file__).resolve().parents[1] / "sections"
SUFFIX = ".toml"
KEPT = "sections"  # folder of a campaign with the files of the user's own, middlewares too
ALWAYS = ("clients", "middlewares", "servers")  # roles that a section tells of, be it of none
REPETITIONS = (3, 10)  # the fewest and the most, where precision does not say
BUDGET_S = 900.0  # of a configuration, where precision does not say

P = TypeVar("P", NetworkProfile, LoadProfile)


def section_file(section: str, kept_in: Path) -> Path:
    """Return a section's file: the path that is given, what a campaign keeps, or what is shipped.

    Parameters
    ----------
    section : name, or path of a file that ends in ``.toml``.
    kept_in : folder of the files that a campaign keeps.

    Raises
    ------
    ConfigError
        A file of the user's own has a name that no folder can have, or that of a shipped section.
    """
    if not section.endswith(SUFFIX):
        kept = kept_in / f"{section}{SUFFIX}"
        return kept if kept.is_file() else SECTIONS_DIR / kept.name
    path = Path(section)
    shipped = SECTIONS_DIR / path.name
    if not is_section_name(path.stem):
        raise ConfigError(
            path, f"a section's file is named after it: its name consists of {SECTION_NAME}"
        )
    if shipped.is_file() and path.resolve() != shipped:
        raise ConfigError(path, f"there is a section `{path.stem}` already: rename the file")
    return path


def read_section(name: str, profile: str, *, folder: Path = SECTIONS_DIR) -> Section:
    """Read ``<folder>/<name>.toml`` and apply `profile`.

    Raises
    ------
    ConfigError
        No such section or profile, or a wrong value; names the file, the place and the rule.
    """
    path = folder / f"{name}{SUFFIX}"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in folder.glob(f"*{SUFFIX}")))
        raise ConfigError(path, f"no section `{name}`; there are {known}")
    return section_of(path, read_toml(path), profile)


def section_of(path: Path, document: Mapping[str, Any], profile: str) -> Section:
    """Hold what `path` holds to the rules of its kind, and apply `profile`; errors as above."""
    document = _on_base(path, document)
    kind = document.get("kind", "load")
    if not isinstance(kind, str) or kind not in FILES:
        raise ConfigError(path, f"kind must be one of {', '.join(FILES)}, got {kind!r}")
    try:
        file = parse(FILES[kind], document)
        if isinstance(file, NetworkFile):
            section = _network(path.stem, profile, file)
        else:
            section = _under_load(path.stem, profile, parse(LoadFile, document))
    except ValueError as exc:
        raise ConfigError(path, str(exc)) from exc
    section = _with_middlewares(section, path)
    require_possible(section, path)
    return section


def _with_middlewares(section: Section, path: Path) -> Section:
    """Return a section with the middlewares that it names: beside its file, or shipped."""
    constant = section.constants.get("middleware", OWN_MIDDLEWARE)
    named = (constant, *section.factors.get("middleware", ()))
    others = [str(name) for name in named if name != OWN_MIDDLEWARE]
    read = {name: read_middleware_file(middleware_file(name, [path.parent])) for name in others}
    return replace(section, middlewares=read)


def _on_base(path: Path, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the document with all that it leaves to the shipped section that it is based on."""
    base = document.get("base")
    if not isinstance(base, str):
        return document
    shipped = SECTIONS_DIR / f"{base}{SUFFIX}"
    if not is_plain(base) or not shipped.is_file():
        known = ", ".join(sorted(p.stem for p in SECTIONS_DIR.glob(f"*{SUFFIX}")))
        raise ConfigError(path, f"base must be one of {known}, got {base!r}")
    return on_base(document, read_toml(shipped))


def _profile(name: str, profiles: Mapping[str, P], otherwise: P | None = None) -> P:
    if name not in profiles and otherwise is None:
        raise ValueError(f"no profile `{name}`; there are {', '.join(profiles) or 'none'}")
    return profiles[name] if otherwise is None else profiles.get(name, otherwise)


def _network(name: str, profile: str, file: NetworkFile) -> Section:
    chosen = _profile(profile, file.profiles)
    _refuse_unknown(chosen.factors, file.factors, f"profiles.{profile}.factors")
    return Section(
        name=name,
        title=file.title or name,
        kind=file.kind,
        profile=profile,
        hosts=_hosts(file.hosts, {}),
        factors=_as_tuples({**file.factors, **chosen.factors}),
        durations=Durations(repetitions=chosen.repetitions, stable_s=chosen.stable_s),
    )


def _under_load(name: str, profile: str, file: LoadFile) -> Section:
    chosen = _profile(profile, file.profiles, LoadProfile() if file.precision else None)
    factors, parts, extra = _all_factors(file, chosen, f"profiles.{profile}")
    _require_follows(file.follows, factors)
    constants = {
        **{**file.generator, **file.middleware, **file.database},
        **{**chosen.generator, **chosen.middleware, **chosen.database},
    }
    _refuse_double(constants, file, factors)
    dilation = chosen.time_dilation or file.time_dilation
    precision = _precision(file, chosen, profile)
    return Section(
        name=name,
        title=file.title or name,
        kind=file.kind,
        profile=profile,
        hosts=_hosts(file.hosts, factors),
        factors=_as_tuples(factors),
        extra=_as_tuples(extra),
        constants=constants,
        follows=file.follows,
        parts=tuple(map(_as_tuples, parts)),
        durations=None if precision else _durations(chosen, profile),
        precision=precision,
        find=Objective.parse(file.find) if file.find else None,
        pauses=tuple(Pause(**dict(pause)) for pause in chosen.pauses),
        time_dilation=None if dilation == AUTO else float(dilation),
    )


def _precision(file: LoadFile, chosen: LoadProfile, profile: str) -> Precision | None:
    """Return what is asked of the results: the profile's word before the file's."""
    fixed = [name for name in ("repetitions", "stable_s") if getattr(chosen, name) is not None]
    if chosen.precision is None and (fixed or file.precision is None):
        return None
    if fixed:
        raise ValueError(
            f"profiles.{profile} has {' and '.join(fixed)} beside precision: give the one or the "
            "other (precision has repetitions and a budget_s of its own)"
        )
    tables = [table for table in (file.precision, chosen.precision) if table is not None]
    given = {k: v for table in tables for k, v in dict(table).items() if v is not None}
    fewest, most = given.pop("repetitions", REPETITIONS)
    budget_s = float(given.pop("budget_s", BUDGET_S))
    heat_s = given.pop("heat_s", 0)
    if not given:
        raise ValueError(f"precision must name at least one of {', '.join(RESULTS)}")
    return Precision(goals=given, repetitions=(fewest, most), budget_s=budget_s, heat_s=heat_s)


def _durations(chosen: LoadProfile, profile: str) -> Durations:
    lacking = [name for name in ("repetitions", "stable_s") if getattr(chosen, name) is None]
    if lacking:
        raise ValueError(
            f"profiles.{profile}.{lacking[0]} is missing: how often and how long is measured, or "
            f"a precision, such as profiles.{profile}.precision = {{ throughput = 0.05 }}"
        )
    names = ("repetitions", "stable_s", "warm_up_s", "cool_down_s")
    return Durations(**{name: getattr(chosen, name) for name in names})


def _all_factors(
    file: LoadFile, chosen: LoadProfile, profile: str
) -> tuple[Levels, list[Levels], Levels]:
    """Return all factors, the factors of each part, and the levels that no study had."""
    common = dict(file.factors)
    _refuse_unknown(file.extra, common, "extra")
    for factor, levels in file.extra.items():
        common[factor] = [*common[factor], *levels]
        if not is_distinct(common[factor]):
            raise ValueError(f"extra.{factor} must be {DISTINCT}, got {common[factor]!r}")
    _refuse_unknown(chosen.factors, common, f"{profile}.factors")
    common |= chosen.factors
    _refuse_unknown(chosen.parts, file.parts, f"{profile}.parts")
    parts = []
    for part, own in file.parts.items():
        change = chosen.parts.get(part, {})
        _refuse_unknown(change, own, f"{profile}.parts.{part}")
        parts.append({**common, **own, **change})
    factors: Levels = {}
    for factor, levels in (item for part in parts or [common] for item in part.items()):
        factors[factor] = list(dict.fromkeys([*factors.get(factor, ()), *levels]))
    used = {f: [v for v in levels if v in factors[f]] for f, levels in file.extra.items()}
    return factors, parts, {factor: levels for factor, levels in used.items() if levels}


def _require_follows(
    follows: Mapping[str, Mapping[str, Mapping[str, Level]]], factors: Levels
) -> None:
    """Require what follows from a factor to be told of each of its levels."""
    _refuse_unknown(follows, factors, "follows")
    for factor, by_level in follows.items():
        for level in map(level_text, factors[factor]):
            if level not in by_level:
                raise ValueError(f"follows.{factor} says nothing of level {level}")


def _refuse_double(constants: Mapping[str, Level], file: LoadFile, factors: Levels) -> None:
    """Refuse a setting that is given in two places: nobody could say which one holds."""
    places = {f"{SETTINGS[name].table}.{name}": name for name in constants}
    given = {*places.values(), *factors}
    for factor, by_level in file.follows.items():
        following = {name for values in by_level.values() for name in values}
        for name in sorted(following & given):
            raise ValueError(f"follows.{factor} sets {name}, which is given elsewhere")
        given |= following
    places |= {f"hosts.{role}": name for name, role in COUNTED.items() if role in file.hosts}
    for place, name in places.items():
        if name in factors:
            raise ValueError(f"{place} is given as a constant, but {name} is a factor, too")


def _hosts(given: Mapping[str, int], factors: Levels) -> dict[str, int]:
    """Return how many hosts of each role the largest configuration needs."""
    hosts = {role: given.get(role, 0) for role in ROLES if role in (*ALWAYS, *given)}
    for factor, role in COUNTED.items():
        if factor in factors:
            hosts[role] = max(int(level) for level in factors[factor])
    return hosts


def _as_tuples(levels: Levels) -> dict[str, tuple[Level, ...]]:
    return {factor: tuple(values) for factor, values in levels.items()}


def _refuse_unknown(table: Iterable[str], known: Collection[str], place: str) -> None:
    unknown = sorted(set(table) - set(known))
    if unknown:
        names = ", ".join(sorted(known)) or "none"
        raise ValueError(f"{place}: unknown {', '.join(unknown)}; known are {names}")
