"""From a section file to a `Section`: every value checked before any host is touched."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from remote.errors import ConfigError
from remote.experiment.rules import require_possible
from remote.experiment.section import PROFILES, Durations, Pause, Section, level_text
from remote.experiment.settings import (
    NETWORK_SETTINGS,
    SETTINGS,
    Level,
    Setting,
    is_positive_number,
)
from remote.hosts.inventory import ROLES
from remote.providers.local_lab.topology import MAX_DILATION, MIN_DILATION

SECTIONS_DIR = Path(__file__).resolve().parents[1] / "sections"
SUFFIX = ".toml"
RESERVED = {"raw", "sections", "tidy"}  # other folders of a campaign
FACTORS: Mapping[str, Mapping[str, Setting]] = {
    "load": {name: setting for name, setting in SETTINGS.items() if setting.varies},
    "network": NETWORK_SETTINGS,
}
"""What may vary in each kind of section."""

TABLES = ("generator", "middleware", "extra", "parts", "follows")  # of a section under load only
COUNTED = {"num_middlewares": "middlewares", "num_servers": "servers"}
MOST_REPETITIONS = 1000
LONGEST_PHASE_S = 7 * 24 * 3600
Levels = dict[str, tuple[Level, ...]]


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
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", path.stem) or path.stem in RESERVED:
        rule = "letters, digits, `.`, `_`, `-`, and is none of " + ", ".join(sorted(RESERVED))
        raise ConfigError(path, f"a section's file is named after it: its name consists of {rule}")
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
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as exc:
        raise ConfigError(path, f"not UTF-8: {exc}: save it as UTF-8") from exc
    except ValueError as exc:  # TOMLDecodeError, or a number that Python refuses
        raise ConfigError(path, f"not TOML: {exc}") from exc
    return _Reader(path, document).section(name, profile)


class _Reader:
    """Checks a document table by table; every error names the file, the place and the rule."""

    def __init__(self, path: Path, document: dict[str, Any]) -> None:
        self.path = path
        self.document = document

    def section(self, name: str, profile: str) -> Section:
        kind = self.document.get("kind", "load")
        if not isinstance(kind, str) or kind not in FACTORS:
            raise self._wrong("kind", f"must be one of {', '.join(FACTORS)}, got {kind!r}")
        known = ["title", "kind", "time_dilation", "hosts", "factors", "profiles"]
        self._refuse_unknown(
            self.document, [*known, *(TABLES if kind == "load" else ())], "the top level"
        )
        title = self.document.get("title", name)
        if not isinstance(title, str):
            raise self._wrong("title", f"must be text, got {title!r}")
        chosen = self._profile(profile, kind)
        place = f"profiles.{profile}"
        factors, parts, extra = self._all_factors(kind, chosen, place)
        constants = self._constants()
        follows = self._follows(factors)
        self._refuse_double(factors, constants, follows)
        section = Section(
            name=name,
            title=title,
            kind=kind,
            profile=profile,
            hosts=self._hosts(factors),
            factors=factors,
            extra=extra,
            constants=constants,
            follows=follows,
            parts=tuple(parts),
            durations=self._durations(chosen, place),
            pauses=tuple(self._pauses(chosen.get("pauses", []), f"{place}.pauses")),
            time_dilation=self._time_dilation(chosen, place),
        )
        require_possible(section, self.path)
        return section

    def _profile(self, profile: str, kind: str) -> dict[str, Any]:
        profiles = self._table(self.document, "profiles", "profiles")
        self._refuse_unknown(profiles, PROFILES, "profiles")
        if profile not in profiles:
            known = ", ".join(profiles) or "none"
            raise ConfigError(self.path, f"no profile `{profile}`; there are {known}")
        place = f"profiles.{profile}"
        chosen = self._table(profiles, profile, place)
        keys = [*(f.name for f in fields(Durations)), "factors", "time_dilation"]
        self._refuse_unknown(
            chosen, [*keys, *(("parts", "pauses") if kind == "load" else ())], place
        )
        return chosen

    def _all_factors(
        self, kind: str, chosen: Mapping[str, Any], profile: str
    ) -> tuple[Levels, list[Levels], Levels]:
        """Return all factors, the factors of each part, and the levels that no study had."""
        common = self._levels(self._table(self.document, "factors", "factors"), "factors", kind)
        extra = self._levels(self._table(self.document, "extra", "extra"), "extra", kind)
        self._refuse_unknown(extra, common, "extra")
        for factor, levels in extra.items():
            common[factor] = self._distinct([*common[factor], *levels], f"extra.{factor}")
        place = f"{profile}.factors"
        replaced = self._levels(self._table(chosen, "factors", place), place, kind)
        self._refuse_unknown(replaced, common, place)
        common |= replaced
        tables = self._table(self.document, "parts", "parts")
        changes = self._table(chosen, "parts", f"{profile}.parts")
        self._refuse_unknown(changes, tables, f"{profile}.parts")
        parts = []
        for part in tables:
            own = self._levels(self._table(tables, part, f"parts.{part}"), f"parts.{part}", kind)
            place = f"{profile}.parts.{part}"
            change = self._levels(self._table(changes, part, place), place, kind)
            self._refuse_unknown(change, own, place)
            parts.append({**common, **own, **change})
        factors: Levels = {}
        for factor, levels in (item for part in parts or [common] for item in part.items()):
            factors[factor] = tuple(dict.fromkeys([*factors.get(factor, ()), *levels]))
        used = {f: tuple(v for v in levels if v in factors[f]) for f, levels in extra.items()}
        return factors, parts, {factor: levels for factor, levels in used.items() if levels}

    def _levels(self, table: Mapping[str, Any], where: str, kind: str) -> Levels:
        known = FACTORS[kind]
        self._refuse_unknown(table, known, where)
        return {
            factor: self._factor(levels, f"{where}.{factor}", known[factor])
            for factor, levels in table.items()
        }

    def _factor(self, levels: Any, place: str, setting: Setting) -> tuple[Level, ...]:
        if not isinstance(levels, list) or not levels:
            raise self._wrong(place, f"must be a list of distinct levels, got {levels!r}")
        for level in levels:
            if not setting.accepts(level):
                raise self._wrong(f"{place}:", f"each level must be {setting.rule}, got {level!r}")
        return self._distinct(levels, place)

    def _distinct(self, levels: list[Level], place: str) -> tuple[Level, ...]:
        if len(set(levels)) != len(levels):
            raise self._wrong(place, f"must be a list of distinct levels, got {levels!r}")
        return tuple(levels)

    def _constants(self) -> dict[str, Level]:
        constants: dict[str, Level] = {}
        for table in ("generator", "middleware"):
            known = [name for name, setting in SETTINGS.items() if setting.table == table]
            values = self._table(self.document, table, table)
            self._refuse_unknown(values, known, table)
            constants |= self._checked(values, table)
        return constants

    def _checked(self, values: Mapping[str, Any], place: str) -> dict[str, Level]:
        for name, value in values.items():
            rule = SETTINGS[name].rule
            if not SETTINGS[name].accepts(value):
                raise self._wrong(f"{place}.{name}", f"must be {rule}, got {value!r}")
        return dict(values)

    def _follows(self, factors: Levels) -> dict[str, dict[str, dict[str, Level]]]:
        table = self._table(self.document, "follows", "follows")
        self._refuse_unknown(table, factors, "follows")
        follows: dict[str, dict[str, dict[str, Level]]] = {}
        for factor in table:
            by_level = self._table(table, factor, f"follows.{factor}")
            follows[factor] = {}
            for level in by_level:
                place = f"follows.{factor}.{level}"
                values = self._table(by_level, level, place)
                self._refuse_unknown(values, [n for n in SETTINGS if n not in COUNTED], place)
                follows[factor][level] = self._checked(values, place)
            missing = [text for text in map(level_text, factors[factor]) if text not in by_level]
            if missing:
                raise self._wrong(f"follows.{factor}", f"says nothing of level {missing[0]}")
        return follows

    def _refuse_double(
        self,
        factors: Levels,
        constants: Mapping[str, Level],
        follows: Mapping[str, Mapping[str, Mapping[str, Level]]],
    ) -> None:
        """Refuse a setting that is given in two places: nobody could say which one holds."""
        places = {f"{SETTINGS[name].table}.{name}": name for name in constants}
        hosts = self._table(self.document, "hosts", "hosts")
        places |= {f"hosts.{role}": name for name, role in COUNTED.items() if role in hosts}
        given = {*constants, *factors}
        for factor, by_level in follows.items():
            following = {name for values in by_level.values() for name in values}
            for name in sorted(following & given):
                raise self._wrong(f"follows.{factor}", f"sets {name}, which is given elsewhere")
            given |= following
        for place, name in places.items():
            if name in factors:
                raise self._wrong(place, f"is given as a constant, but {name} is a factor, too")

    def _hosts(self, factors: Levels) -> dict[str, int]:
        table = self._table(self.document, "hosts", "hosts")
        self._refuse_unknown(table, ROLES, "hosts")
        for role, count in table.items():
            if type(count) is not int or count < 0:
                raise self._wrong(f"hosts.{role}", f"must be a whole number >= 0, got {count!r}")
        hosts = {role: table.get(role, 0) for role in ROLES}
        for factor, role in COUNTED.items():
            if factor in factors:
                hosts[role] = max(int(level) for level in factors[factor])
        return hosts

    def _durations(self, chosen: Mapping[str, Any], place: str) -> Durations:
        ranges = {
            "repetitions": (1, MOST_REPETITIONS),
            "stable_s": (1, LONGEST_PHASE_S),
            "warm_up_s": (0, LONGEST_PHASE_S),
            "cool_down_s": (0, LONGEST_PHASE_S),
        }
        values = {}
        for name, (least, most) in ranges.items():
            if name not in chosen and least > 0:
                raise self._wrong(f"{place}.{name}", "is missing")
            value = values[name] = chosen.get(name, 0)
            if type(value) is not int or not least <= value <= most:
                rule = f"must be a whole number {least} to {most}, got {value!r}"
                raise self._wrong(f"{place}.{name}", rule)
        return Durations(**values)

    def _pauses(self, entries: Any, place: str) -> Iterator[Pause]:
        if not isinstance(entries, list):
            raise self._wrong(place, f"must be a list of tables, got {entries!r}")
        for number, entry in enumerate(entries, start=1):
            where = f"{place}[{number}]"
            names = [f.name for f in fields(Pause)]
            if not isinstance(entry, dict) or set(entry) != set(names):
                raise self._wrong(where, f"must have {', '.join(names)}, got {entry!r}")
            if type(entry["server"]) is not int or entry["server"] < 1:
                got = entry["server"]
                raise self._wrong(f"{where}.server", f"must be a whole number >= 1, got {got!r}")
            for name in ("at_s", "for_s"):
                if not is_positive_number(entry[name]):
                    got = entry[name]
                    raise self._wrong(f"{where}.{name}", f"must be a number > 0, got {got!r}")
            yield Pause(**entry)

    def _time_dilation(self, chosen: Mapping[str, Any], profile: str) -> float:
        """Return the k of the profile, or else that of the file."""
        own = "time_dilation" in chosen
        value = (chosen if own else self.document).get("time_dilation", 1)
        if not is_positive_number(value) or not MIN_DILATION <= value <= MAX_DILATION:
            rule = f"must be a number {MIN_DILATION:g} to {MAX_DILATION:g}, got {value!r}"
            raise self._wrong(f"{profile}.time_dilation" if own else "time_dilation", rule)
        return float(value)

    def _table(self, parent: Mapping[str, Any], key: str, place: str) -> dict[str, Any]:
        value = parent.get(key, {})
        if not isinstance(value, dict):
            raise self._wrong(place, f"must be a table, got {value!r}")
        return dict(value)

    def _refuse_unknown(self, table: Mapping[str, Any], known: Collection[str], place: str) -> None:
        unknown = sorted(set(table) - set(known))
        if unknown:
            names = ", ".join(sorted(known)) or "none"
            raise ConfigError(
                self.path, f"{place}: unknown {', '.join(unknown)}; known are {names}"
            )

    def _wrong(self, place: str, rule: str) -> ConfigError:
        return ConfigError(self.path, f"{place} {rule}")
