"""What a section file may hold: one model for each kind of section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainValidator
from pydantic_core import PydanticCustomError

from remote.checked_files import (
    Count,
    Document,
    Positive,
    number,
    one_of,
    table_of,
    told,
    whole_number,
)
from remote.experiment.objective import RULE as OBJECTIVE
from remote.experiment.objective import Objective
from remote.experiment.section import PROFILES
from remote.experiment.settings import NETWORK_SETTINGS, SETTINGS, Level, Setting
from remote.hosts.host import ROLES
from remote.providers.local_lab.topology import MAX_DILATION, MIN_DILATION

COUNTED = {
    "num_middlewares": "middlewares",
    "num_servers": "servers",
    "num_databases": "databases",
}
AUTO = "auto"
MOST_REPETITIONS = 1000
MIN_STABLE_S = 0.01
LONGEST_PHASE_S = 7 * 24 * 3600
MIN_GOAL, MAX_GOAL = 0.001, 1.0
DISTINCT = "a list of distinct levels"

Levels = dict[str, list[Level]]
Values = dict[str, Level]


def is_distinct(levels: list[Level]) -> bool:
    """Tell whether there is a level, and none twice."""
    return 0 < len(levels) == len(set(levels))


def _levels(settings: Mapping[str, Setting]) -> PlainValidator:
    """Each level is held to its own rule, and then all to being distinct."""

    def require_list(levels: Any) -> Any:
        if not isinstance(levels, list):
            raise PydanticCustomError("rule", DISTINCT)
        return levels

    def require_distinct(levels: list[Level]) -> list[Level]:
        if not is_distinct(levels):
            raise PydanticCustomError("rule", DISTINCT)
        return levels

    around = (BeforeValidator(require_list), AfterValidator(require_distinct))
    return table_of(
        {
            name: Annotated[list[setting.kind], *around]  # type: ignore[name-defined]
            for name, setting in settings.items()
        }
    )


def _values(names: Iterable[str]) -> PlainValidator:
    return table_of({name: SETTINGS[name].kind for name in names})


def _constants(table: str) -> PlainValidator:
    return _values(name for name, setting in SETTINGS.items() if setting.table == table)


AnySettings = Annotated[Values, _values(SETTINGS)]


def _each(names: Iterable[str], kind: Any) -> PlainValidator:
    return table_of(dict.fromkeys(names, kind))


Dilation = Annotated[
    int | float | str,
    told(
        f"a number {MIN_DILATION:g} to {MAX_DILATION:g}, or `{AUTO}`",
        lambda value: (
            value == AUTO or (not isinstance(value, str) and MIN_DILATION <= value <= MAX_DILATION)
        ),
    ),
]
Phase = Annotated[int | float, number(0, LONGEST_PHASE_S)]
Goal = Annotated[float, number(MIN_GOAL, MAX_GOAL)]
Repetitions = Annotated[
    list[int],
    told(
        f"the fewest and the most, two whole numbers 2 to {MOST_REPETITIONS} such as [3, 10]",
        lambda value: len(value) == 2 and 2 <= value[0] <= value[1] <= MOST_REPETITIONS,
    ),
]
NetworkFactors = Annotated[Levels, _levels(NETWORK_SETTINGS)]
Factors = Annotated[
    Levels, _levels({name: setting for name, setting in SETTINGS.items() if setting.varies})
]
Following = Annotated[Values, _values(name for name in SETTINGS if name not in COUNTED)]


class Planned(Document):
    """What a plan holds of a section, and a campaign of the conditions that it was begun with."""

    hosts: dict[Annotated[str, one_of(*ROLES)], Annotated[int, whole_number(0)]]
    constants: AnySettings
    follows: dict[str, dict[str, AnySettings]]


class PauseTable(Document):
    """See `remote.experiment.section.Pause`."""

    server: Count
    at_s: Positive
    for_s: Positive


class PrecisionTable(Document):
    """See `remote.experiment.precision.Precision`; each goal under its own name."""

    throughput: Goal | None = None
    response_time: Goal | None = None
    p50: Goal | None = None
    p90: Goal | None = None
    p95: Goal | None = None
    p99: Goal | None = None
    repetitions: Repetitions | None = None
    budget_s: Annotated[int | float, number(1, LONGEST_PHASE_S)] | None = None
    heat_s: Annotated[int, whole_number(1, LONGEST_PHASE_S)] | None = None


class NetworkProfile(Document):
    """How long and how often a network is measured, in seconds of the clock: it is not dilated."""

    repetitions: Annotated[int, whole_number(1, MOST_REPETITIONS)]
    stable_s: Annotated[int, whole_number(1, LONGEST_PHASE_S)]
    factors: NetworkFactors = {}


class LoadProfile(Document):
    """How a section is measured under load: for a time, in seconds of the system, or a precision.

    It may replace levels of factors, and of those of parts, and constants.
    """

    repetitions: Annotated[int, whole_number(1, MOST_REPETITIONS)] | None = None
    stable_s: Annotated[int | float, number(MIN_STABLE_S, LONGEST_PHASE_S)] | None = None
    warm_up_s: Phase = 0
    cool_down_s: Phase = 0
    precision: PrecisionTable | None = None
    time_dilation: Dilation | None = None
    factors: Factors = {}
    parts: dict[str, Factors] = {}
    generator: Annotated[Values, _constants("generator")] = {}
    middleware: Annotated[Values, _constants("middleware")] = {}
    database: Annotated[Values, _constants("database")] = {}
    pauses: list[PauseTable] = []


class SectionFile(Document):
    """What all files hold."""

    title: str | None = None
    kind: str = "load"
    hosts: Annotated[dict[str, int], _each(ROLES, Annotated[int, whole_number(0)])] = {}


class NetworkFile(SectionFile):
    """What is measured before anything runs."""

    factors: NetworkFactors = {}
    profiles: Annotated[Mapping[str, NetworkProfile], _each(PROFILES, NetworkProfile)] = {}


class LoadFile(SectionFile):
    """What is measured under load."""

    base: str | None = None
    time_dilation: Dilation = 1
    precision: PrecisionTable | None = None
    find: Annotated[str, told(OBJECTIVE, Objective.is_one)] | None = None
    factors: Factors = {}
    extra: Factors = {}
    parts: dict[str, Factors] = {}
    generator: Annotated[Values, _constants("generator")] = {}
    middleware: Annotated[Values, _constants("middleware")] = {}
    database: Annotated[Values, _constants("database")] = {}
    follows: dict[str, dict[str, Following]] = {}
    profiles: Annotated[Mapping[str, LoadProfile], _each(PROFILES, LoadProfile)] = {}


FILES: Mapping[str, type[SectionFile]] = {"load": LoadFile, "network": NetworkFile}
"""The model of each kind of section."""
