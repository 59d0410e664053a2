"""What a section file may hold: one model for each kind of section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainValidator
from pydantic_core import PydanticCustomError

from records.documents import (
    LONGEST_PHASE_S,
    Count,
    Document,
    Natural,
    Positive,
    Seconds,
    number,
    one_of,
    table_of,
    told,
    whole_number,
)
from records.names import NAME_RULE, is_plain
from records.objective import RULE as OBJECTIVE
from records.objective import Objective
from records.settings import FACTORS, NETWORK_RULES, RULES, SETTINGS, Level

ROLES = ("clients", "middlewares", "servers", "databases")
"""What a host does in a run."""
COUNTED = {n: n.removeprefix("num_") for n, one in SETTINGS.items() if one.table == "hosts"}
"""Settings that are the number of hosts of a role, and that role."""
PROFILES = ("smoke", "quick", "paper")
MIN_DILATION, MAX_DILATION = 0.01, 1000.0
AUTO = "auto"
MOST_REPETITIONS = 1000
MIN_STABLE_S = 0.01
MIN_GOAL, MAX_GOAL = 0.001, 1.0
DISTINCT = "a list of distinct levels"

RESERVED = {"middlewares", "raw", "sections", "sensitivity", "tidy", "what-if"}
"""Other folders of a campaign."""
SECTION_NAME = f"{NAME_RULE}, and is none of {', '.join(sorted(RESERVED))}"

Levels = dict[str, list[Level]]
Values = dict[str, Level]


def is_section_name(name: str) -> bool:
    """Tell whether a section may be called so, as its folder in a campaign then is."""
    return is_plain(name) and name not in RESERVED


def is_distinct(levels: list[Level]) -> bool:
    """Tell whether there is a level, and none twice."""
    return 0 < len(levels) == len(set(levels))


def _levels(rules: Mapping[str, Any]) -> PlainValidator:
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
    return table_of({name: Annotated[list[rule], *around] for name, rule in rules.items()})  # type: ignore[valid-type]


def _values(names: Iterable[str]) -> PlainValidator:
    return table_of({name: RULES[name] for name in names})


def _constants(table: str) -> PlainValidator:
    return _values(name for name, setting in SETTINGS.items() if setting.table == table)


AnySettings = Annotated[Values, _values(RULES)]


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
Dilated = Annotated[int | float, number(MIN_DILATION, MAX_DILATION)]
Stable = Annotated[int | float, number(MIN_STABLE_S, LONGEST_PHASE_S)]
Goal = Annotated[float, number(MIN_GOAL, MAX_GOAL)]
Repetitions = Annotated[
    list[int],
    told(
        f"the fewest and the most, two whole numbers 2 to {MOST_REPETITIONS} such as [3, 10]",
        lambda value: len(value) == 2 and 2 <= value[0] <= value[1] <= MOST_REPETITIONS,
    ),
]
NetworkFactors = Annotated[Levels, _levels(NETWORK_RULES)]
Factors = Annotated[Levels, _levels({name: RULES[name] for name in FACTORS})]
Following = Annotated[Values, _values(name for name in SETTINGS if name not in COUNTED)]


class Planned(Document):
    """What a plan holds of a section, and a campaign of the conditions that it was begun with."""

    hosts: dict[Annotated[str, one_of(*ROLES)], Natural]
    constants: AnySettings
    follows: dict[str, dict[str, AnySettings]]


class PauseTable(Document):
    """A server that stands still for a while: its process is stopped and then continued.

    The manifest tells when that really was, by the clock.

    Attributes
    ----------
    server : which of the section's servers, counted from 1.
    at_s : when, in seconds of the system since the stable window began.
    for_s : how long, in seconds of the system.
    """

    server: Count
    at_s: Positive
    for_s: Positive


class PrecisionTable(Document):
    """What each configuration is measured for; at least one goal.

    A goal is the half width of the 95 % interval over the mean. Response times are those that
    clients see.

    Attributes
    ----------
    throughput, response_time, p50, p90, p95, p99 : a goal, such as 0.05.
    repetitions : the fewest and the most; equal numbers, as in 2^k designs, give every
        configuration as many. Without it 3 and 10.
    budget_s : seconds of the clock that all runs of a configuration may take, pilots included.
        Without it 900.
    heat_s : seconds of the clock with which the warm-up begins, undilated on the local lab, where
        all hosts use all processors so long: a JVM compiles what it has done often, which slowed
        down it never has.
    """

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
    """How long and how often a network is measured, in seconds of the clock: it is not dilated.

    Attributes
    ----------
    repetitions : how often.
    stable_s : how long each time.
    factors : levels that take the place of the file's.
    """

    repetitions: Annotated[int, whole_number(1, MOST_REPETITIONS)]
    stable_s: Annotated[int, whole_number(1, LONGEST_PHASE_S)]
    factors: NetworkFactors = {}


class LoadProfile(Document):
    """How a section is measured under load: for a time, in seconds of the system, or a precision.

    It may replace levels of factors, and of those of parts, and constants.

    Attributes
    ----------
    repetitions : how often each configuration is measured, where it is for a time.
    stable_s : the part of a run that counts, in seconds of the system.
    warm_up_s, cool_down_s : what is left out before and after it, in seconds of the system.
    precision : what it changes of the file's, key by key.
    time_dilation : in place of the file's.
    factors : levels that take the place of the file's, by factor.
    parts : the same of factors of parts, by part.
    generator, middleware, database : constants that take the place of the file's.
    pauses : servers that stand still for a while; needs `stable_s`.
    """

    repetitions: Annotated[int, whole_number(1, MOST_REPETITIONS)] | None = None
    stable_s: Stable | None = None
    warm_up_s: Seconds = 0
    cool_down_s: Seconds = 0
    precision: PrecisionTable | None = None
    time_dilation: Dilation | None = None
    factors: Factors = {}
    parts: dict[str, Factors] = {}
    generator: Annotated[Values, _constants("generator")] = {}
    middleware: Annotated[Values, _constants("middleware")] = {}
    database: Annotated[Values, _constants("database")] = {}
    pauses: list[PauseTable] = []


class SectionFile(Document):
    """What all files hold.

    Attributes
    ----------
    title : of the section.
    kind : `load`, or `network` for what is measured before anything runs.
    hosts : role to the number of hosts that take part. Of middlewares, servers and databases it is
        that, or a factor.
    """

    title: str | None = None
    kind: str = "load"
    hosts: Annotated[dict[str, int], _each(ROLES, Natural)] = {}


class NetworkFile(SectionFile):
    """What is measured before anything runs.

    Attributes
    ----------
    factors : `kind`, a list of `ping` and `iperf3`.
    profiles : name to its table.
    """

    factors: NetworkFactors = {}
    profiles: Annotated[Mapping[str, NetworkProfile], _each(PROFILES, NetworkProfile)] = {}


class LoadFile(SectionFile):
    """What is measured under load.

    Attributes
    ----------
    base : a shipped section that says all that the file does not say.
    time_dilation : k on the local lab, other hosts have none; `auto` chooses it for each
        configuration.
    precision : what each configuration is measured for, in all profiles.
    find : the largest rate of open arrivals that is searched for, in place of rates.
    factors : what varies, each a list of levels: all levels with all others.
    extra : more levels of factors, measured like the others: no study had them, which the
        configuration table marks with +.
    parts : groups of configurations with factors of their own beside the common ones, by name.
    generator, middleware, database : constants, the same in all configurations.
    follows : factor to level to the settings that follow from it.
    profiles : name to its table; one that is left out is the file as it stands.
    """

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
