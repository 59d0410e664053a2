"""An experiment as data: the hosts, factors, levels, constants and durations of one section."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from remote.experiment.settings import Level, Settings

PROFILES = ("smoke", "quick", "paper")
Config = dict[str, Level]


@dataclass(frozen=True, kw_only=True)
class Durations:
    """The phases of a run, in whole seconds of the clock, and how often each one is repeated."""

    repetitions: int
    stable_s: int
    warm_up_s: int = 0
    cool_down_s: int = 0

    @property
    def total_s(self) -> int:
        """Length of one run."""
        return self.warm_up_s + self.stable_s + self.cool_down_s


@dataclass(frozen=True, kw_only=True)
class Pause:
    """A server that stands still for a while: its process is stopped and then continued.

    Parameters
    ----------
    server : which of the section's servers, counted from 1.
    at_s : when, in seconds of the clock since the stable window began.
    for_s : how long, in seconds of the clock.
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
        (`remote.experiment.settings.SETTINGS`).
    follows : factor to level (as text) to the settings that follow from it.
    parts : groups of factors whose levels are combined with each other; all factors if empty.
    time_dilation : the k that suits the section, unless another one is asked for.
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
    durations: Durations
    pauses: tuple[Pause, ...] = ()
    time_dilation: float = 1.0

    def configs(self) -> list[Config]:
        """Return all combinations of the factors' levels, in the order of the file."""
        return [
            dict(zip(part, levels, strict=True))
            for part in self.parts or (self.factors,)
            for levels in itertools.product(*part.values())
        ]

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
        hosts = {
            "client_hosts": self.hosts["clients"],
            "num_middlewares": self.hosts["middlewares"],
            "num_servers": self.hosts["servers"],
        }
        return Settings(**{**hosts, **self.constants, **self.own(config)})


def slug(config: Mapping[str, Level]) -> str:
    """Return the folder name of a configuration: ``workload=get_clients_per_thread=8``."""
    return "_".join(f"{key}={level_text(value)}" for key, value in config.items())


def level_text(level: Level) -> str:
    """Return a level as it is written in section files and folder names."""
    return str(level).lower() if isinstance(level, bool) else str(level)
