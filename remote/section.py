"""An experiment as data: a section file gives hosts, factors, levels and durations by profile."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from remote.errors import ConfigError
from remote.inventory import ROLES
from remote.tools.memtier import RATIOS

SECTIONS_DIR = Path(__file__).parent / "sections"
PROFILES = ("smoke", "quick", "paper")
Level = str | int
T = TypeVar("T")
Config = dict[str, Level]


@dataclass(frozen=True, kw_only=True)
class Durations:
    """The phases of a run, in whole seconds, and how often each configuration is repeated."""

    repetitions: int
    stable_s: int
    warm_up_s: int = 0
    cool_down_s: int = 0

    @property
    def total_s(self) -> int:
        """Length of one run."""
        return self.warm_up_s + self.stable_s + self.cool_down_s


@dataclass(frozen=True, kw_only=True)
class Generator:
    """The load generator's settings that a section keeps fixed."""

    instances_per_client: int = 1
    threads_per_instance: int = 1
    value_bytes: int = 4096
    key_count: int = 10_000
    expiry_range_s: str = "9999-10000"


@dataclass(frozen=True, kw_only=True)
class Section:
    """One section of the report in one profile, ready to be planned.

    Attributes
    ----------
    hosts : role to number of hosts.
    factors : factor to its levels, the varied part of each configuration.
    """

    name: str
    title: str
    kind: str
    profile: str
    hosts: Mapping[str, int]
    generator: Generator
    factors: Mapping[str, tuple[Level, ...]]
    durations: Durations

    @classmethod
    def read(cls, name: str, profile: str, *, folder: Path = SECTIONS_DIR) -> Section:
        """Read section `name` and apply `profile`.

        Raises
        ------
        ConfigError
            No such section or profile, or a wrong value; names the file, the place and the rule.
        """
        path = folder / f"{name}.toml"
        if not path.is_file():
            known = ", ".join(sorted(p.stem for p in folder.glob("*.toml")))
            raise ConfigError(path, f"no section `{name}`; there are {known}")
        try:
            document = tomllib.loads(path.read_text())
        except tomllib.TOMLDecodeError as exc:
            raise ConfigError(path, f"not TOML: {exc}") from exc
        return _section(name, profile, document, path)

    def configs(self) -> list[Config]:
        """Return all combinations of the factors' levels, in the order of the file."""
        names = list(self.factors)
        return [
            dict(zip(names, levels, strict=True))
            for levels in itertools.product(*self.factors.values())
        ]


def slug(config: Mapping[str, Level]) -> str:
    """Return the folder name of a configuration: ``workload=get_clients_per_thread=8``."""
    return "_".join(f"{key}={value}" for key, value in config.items())


def _section(name: str, profile: str, document: dict[str, Any], path: Path) -> Section:
    known = {"title", "kind", "hosts", "generator", "factors", "profiles"}
    _refuse_unknown(document, known, "the top level", path)
    profiles = document.get("profiles", {})
    if profile not in profiles:
        raise ConfigError(path, f"no profile `{profile}`; there are {', '.join(profiles)}")
    chosen = dict(profiles[profile])
    factors = _factors(document.get("factors", {}), "factors", path)
    overrides = _factors(chosen.pop("factors", {}), f"profiles.{profile}.factors", path)
    _refuse_unknown(overrides, set(factors), f"profiles.{profile}.factors", path)
    kind = document.get("kind", "load")
    if kind not in ("load", "network"):
        raise ConfigError(path, f"kind must be `load` or `network`, got {kind!r}")
    return Section(
        name=name,
        title=str(document.get("title", name)),
        kind=kind,
        profile=profile,
        hosts=_hosts(document.get("hosts", {}), path),
        generator=_counts(Generator, document.get("generator", {}), "generator", path),
        factors={**factors, **overrides},
        durations=_counts(Durations, chosen, f"profiles.{profile}", path),
    )


def _hosts(table: dict[str, Any], path: Path) -> dict[str, int]:
    _refuse_unknown(table, set(ROLES), "hosts", path)
    for role, count in table.items():
        if not isinstance(count, int) or count < 0:
            raise ConfigError(path, f"hosts.{role} must be a whole number >= 0, got {count!r}")
    return {role: table.get(role, 0) for role in ROLES}


def _factors(table: dict[str, Any], where: str, path: Path) -> dict[str, tuple[Level, ...]]:
    known = {"workload", "clients_per_thread", "workers", "kind"}
    _refuse_unknown(table, known, where, path)
    for factor, levels in table.items():
        place = f"{where}.{factor}"
        if not isinstance(levels, list) or not levels or len(set(levels)) != len(levels):
            raise ConfigError(path, f"{place} must be a list of distinct levels, got {levels!r}")
        wanted = str if factor in ("workload", "kind") else int
        for level in levels:
            if type(level) is not wanted or (isinstance(level, int) and level < 1):
                rule = "a name" if wanted is str else "a whole number >= 1"
                raise ConfigError(path, f"{place}: each level must be {rule}, got {level!r}")
    for workload in table.get("workload", []):
        if workload not in RATIOS:
            raise ConfigError(path, f"{where}.workload: {workload!r} is none of {list(RATIOS)}")
    return {factor: tuple(levels) for factor, levels in table.items()}


def _counts(kind: type[T], table: dict[str, Any], place: str, path: Path) -> T:
    fields = kind.__dataclass_fields__  # type: ignore[attr-defined]
    _refuse_unknown(table, set(fields), place, path)
    for key, value in table.items():
        text = fields[key].type == "str"
        least = 0 if key in ("warm_up_s", "cool_down_s") else 1
        if (text and not isinstance(value, str)) or (
            not text and (type(value) is not int or value < least)
        ):
            rule = "a text" if text else f"a whole number >= {least}"
            raise ConfigError(path, f"{place}.{key} must be {rule}, got {value!r}")
    try:
        return kind(**table)
    except TypeError as exc:
        raise ConfigError(path, f"{place}: {exc}") from exc


def _refuse_unknown(table: Mapping[str, Any], known: set[str], place: str, path: Path) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise ConfigError(
            path, f"{place}: unknown {', '.join(unknown)}; known are {', '.join(sorted(known))}"
        )
