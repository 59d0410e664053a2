"""An experiment as data: the hosts, factors, levels and constants of one section."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from records.middleware import FOLLOW, Middleware
from records.objective import Objective
from records.section import COUNTED
from records.settings import BY_PACKETS, OWN_MIDDLEWARE, UNOBSERVED, Level, Settings
from remote.experiment.lengths import Durations
from remote.experiment.precision import Precision
from remote.services.middleware_file import own_middleware

Config = dict[str, Level]


@dataclass(frozen=True, kw_only=True)
class Pause:
    """A server that stands still for a while: its process is stopped and then continued.

    Parameters
    ----------
    server : which of the section's servers, counted from 1.
    at_s : when, in seconds of the system since the stable window began.
    for_s : how long, in seconds of the system.
    """

    server: int
    at_s: float
    for_s: float


@dataclass(frozen=True, kw_only=True)
class Section:
    """One section of the report in one profile, ready to be planned.

    Attributes
    ----------
    kind : ``load``, or ``network`` for what is measured before anything runs on it.
    hosts : role to the number of hosts that are needed, the most that any configuration uses.
    factors : factor to its levels, the varied part of each configuration.
    extra : those of the levels that no study had.
    constants : the settings that are the same in all configurations
        (`records.settings.SETTINGS`).
    follows : factor to level (as text) to the settings that follow from it.
    parts : groups of factors whose levels are combined with each other; all factors if empty.
    durations : how long and how often each configuration is measured; None with `precision`.
    precision : what each configuration is measured for, in place of a time; None with `durations`.
    find : the largest arrival rate that is searched for, in place of rates that are given.
    middlewares : by name those that are not this project's own.
    time_dilation : the k that suits the section, unless another one is asked for; None for the
        smallest one that suits each configuration.
    """

    name: str
    title: str
    kind: str
    profile: str
    hosts: Mapping[str, int]
    factors: Mapping[str, tuple[Level, ...]]
    extra: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)
    constants: Mapping[str, Level] = field(default_factory=dict)
    follows: Mapping[str, Mapping[str, Mapping[str, Level]]] = field(default_factory=dict)
    parts: tuple[Mapping[str, tuple[Level, ...]], ...] = ()
    durations: Durations | None = None
    precision: Precision | None = None
    find: Objective | None = None
    pauses: tuple[Pause, ...] = ()
    middlewares: Mapping[str, Middleware] = field(default_factory=dict)
    time_dilation: float | None = 1.0

    def configs(self) -> list[Config]:
        """Return all combinations of the factors' levels, in the order of the file.

        Levels that a configuration's middleware cannot be told are left out, and what is the same
        without them stands once.
        """
        found: list[Config] = []
        for part in self.parts or (self.factors,):
            for levels in itertools.product(*part.values()):
                config = dict(zip(part, levels, strict=True))
                told = self._told(config, config)
                if told == config or told not in found:
                    found.append(told)
        return found

    def middleware(self, config: Mapping[str, Level]) -> Middleware:
        """Return the middleware of a configuration; that of those without any is not started."""
        given = {**self.constants, **self.own(config)}
        name = str(given.get("middleware", OWN_MIDDLEWARE))
        return own_middleware() if name == OWN_MIDDLEWARE else self.middlewares[name]

    @property
    def is_observed(self) -> bool:
        """Whether any of its runs is watched from outside."""
        runs = map(self.settings, self.configs() if self.kind == "load" else ())
        return any(run.num_middlewares and run.observed != UNOBSERVED for run in runs)

    def _told(self, config: Mapping[str, Level], given: Mapping[str, Level]) -> Config:
        """Return those of the given settings that the configuration's middleware can be told."""
        middleware = self.middleware(config)
        return {name: level for name, level in given.items() if middleware.takes(name)}

    @property
    def repetitions(self) -> tuple[int, int]:
        """The fewest and the most repetitions of a configuration."""
        if self.precision is not None:
            return self.precision.repetitions
        count = self.fixed.repetitions
        return count, count

    @property
    def fixed(self) -> Durations:
        """How long it is measured; ValueError where precision is asked for in place of time."""
        if self.durations is None:
            raise ValueError(f"section {self.name} has no durations: it asks for precision")
        return self.durations

    @property
    def heat_s(self) -> int:
        """Seconds of the clock with which its runs begin undilated, part of their warm-up."""
        return self.precision.heat_s if self.precision is not None else self.fixed.heat_s

    @property
    def longest_s(self) -> float:
        """What no run of the section is longer than at its time dilation, in s of the clock."""
        if self.precision is not None:
            return self.precision.budget_s
        return self.fixed.of_clock(self.time_dilation or 1.0).total_s

    def own(self, config: Mapping[str, Level]) -> dict[str, Any]:
        """Return what is set for a configuration by its levels and by what follows from them."""
        following = {
            name: level
            for factor, by_level in self.follows.items()
            for name, level in by_level.get(level_text(config.get(factor, "")), {}).items()
        }
        return {**following, **config}

    def settings(self, config: Mapping[str, Level]) -> Settings:
        """Return everything that a run of `config` is set to."""
        hosts = {name: self.hosts.get(role, 0) for name, role in COUNTED.items()}
        middleware = self.middleware(config)
        given = self._told(config, {**self.constants, **self.own(config)})
        settings: dict[str, Any] = {
            "client_hosts": self.hosts["clients"],
            **hosts,
            **given,
            **middleware.fixed,
        }
        tells_all = middleware.tells_statistics and (FOLLOW not in given or middleware.follows)
        if settings["num_middlewares"] and not tells_all:
            settings.setdefault("observed", BY_PACKETS)
        return Settings(**settings)


def with_middleware(section: Section, middleware: Middleware) -> Section:
    """Return a section with another middleware, without what that cannot be told.

    Raises
    ------
    ValueError
        It has no middleware, or says itself which.
    """
    if not section.hosts.get("middlewares"):
        raise ValueError(f"section {section.name} has no middleware")
    if "middleware" in section.factors or "middleware" in section.constants:
        raise ValueError(f"section {section.name} says itself which middleware it measures")
    if middleware.name == OWN_MIDDLEWARE:
        return section

    def told(table: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in table.items() if middleware.takes(name)}

    return replace(
        section,
        factors=told(section.factors),
        extra=told(section.extra),
        parts=_without_contained(list(map(told, section.parts))),
        constants={**told(section.constants), "middleware": middleware.name},
        follows={
            factor: {level: told(following) for level, following in by_level.items()}
            for factor, by_level in told(section.follows).items()
        },
        middlewares={middleware.name: middleware},
    )


def _without_contained(parts: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Leave out the parts of which each configuration is one of another part, too."""

    def is_in(part: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        return part.keys() == other.keys() and all(
            set(levels) <= set(other[name]) for name, levels in part.items()
        )

    return tuple(
        part
        for i, part in enumerate(parts)
        if not any(
            is_in(part, other) and (j < i or not is_in(other, part))
            for j, other in enumerate(parts)
            if j != i
        )
    )


def with_follow(section: Section, one_of: int | None) -> Section:
    """Return a section that follows one of so many requests of each connection; None follows none.

    Raises
    ------
    ValueError
        It has no middleware that requests could be followed through.
    """
    if section.constants.get(FOLLOW) == one_of:
        return section
    if one_of is not None and (section.kind != "load" or not section.hosts.get("middlewares")):
        raise ValueError(f"section {section.name} has no middleware to follow requests through")
    others = {name: level for name, level in section.constants.items() if name != FOLLOW}
    return replace(section, constants=others if one_of is None else {**others, FOLLOW: one_of})


def slug(config: Mapping[str, Level]) -> str:
    """Return the folder name of a configuration: ``workload=get_clients_per_thread=8``."""
    return "_".join(f"{key}={level_text(value)}" for key, value in config.items())


def level_text(level: Level) -> str:
    """Return a level as it is written in section files and folder names."""
    return str(level).lower() if isinstance(level, bool) else str(level)
