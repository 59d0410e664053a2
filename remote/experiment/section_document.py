"""What a section file may hold: one model for each kind of section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainValidator
from pydantic_core import PydanticCustomError

from remote.checked_files import Count, Document, Positive, number, table_of, whole_number
from remote.experiment.section import PROFILES
from remote.experiment.settings import NETWORK_SETTINGS, SETTINGS, Level, Setting
from remote.hosts.host import ROLES
from remote.providers.local_lab.topology import MAX_DILATION, MIN_DILATION

COUNTED = {"num_middlewares": "middlewares", "num_servers": "servers"}
MOST_REPETITIONS = 1000
LONGEST_PHASE_S = 7 * 24 * 3600
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


def _each(names: Iterable[str], kind: Any) -> PlainValidator:
    return table_of(dict.fromkeys(names, kind))


Dilation = Annotated[int | float, number(MIN_DILATION, MAX_DILATION)]
Phase = Annotated[int, whole_number(0, LONGEST_PHASE_S)]
NetworkFactors = Annotated[Levels, _levels(NETWORK_SETTINGS)]
Factors = Annotated[
    Levels, _levels({name: setting for name, setting in SETTINGS.items() if setting.varies})
]
Following = Annotated[Values, _values(name for name in SETTINGS if name not in COUNTED)]


class PauseTable(Document):
    """See `remote.experiment.section.Pause`."""

    server: Count
    at_s: Positive
    for_s: Positive


class NetworkProfile(Document):
    """How long and how often a network is measured."""

    repetitions: Annotated[int, whole_number(1, MOST_REPETITIONS)]
    stable_s: Annotated[int, whole_number(1, LONGEST_PHASE_S)]
    warm_up_s: Phase = 0
    cool_down_s: Phase = 0
    time_dilation: Dilation | None = None
    factors: NetworkFactors = {}


class LoadProfile(NetworkProfile):
    """The same of a section under load, with what changes in its parts."""

    factors: Factors = {}
    parts: dict[str, Factors] = {}
    pauses: list[PauseTable] = []


class NetworkFile(Document):
    """What is measured before anything runs."""

    title: str | None = None
    kind: str = "load"
    time_dilation: Dilation = 1
    hosts: Annotated[dict[str, int], _each(ROLES, Annotated[int, whole_number(0)])] = {}
    factors: NetworkFactors = {}
    profiles: Annotated[Mapping[str, NetworkProfile], _each(PROFILES, NetworkProfile)] = {}


class LoadFile(NetworkFile):
    """What is measured under load."""

    factors: Factors = {}
    extra: Factors = {}
    parts: dict[str, Factors] = {}
    generator: Annotated[Values, _constants("generator")] = {}
    middleware: Annotated[Values, _constants("middleware")] = {}
    follows: dict[str, dict[str, Following]] = {}
    profiles: Annotated[Mapping[str, LoadProfile], _each(PROFILES, LoadProfile)] = {}


FILES: Mapping[str, type[NetworkFile]] = {"load": LoadFile, "network": NetworkFile}
"""The model of each kind of section."""
