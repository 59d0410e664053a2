"""What all runs of a campaign have in common: written when it is begun, held to ever after."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, PlainValidator, TypeAdapter, model_validator

from records.documents import (
    Document,
    Positive,
    number,
    one_of,
    parse,
    read_json,
    table_of,
    told,
    whole_number,
)
from records.files.whole import write_json
from records.manifest import Topology
from records.middleware import FOLLOW, Middleware, require_plain
from records.objective import RESULTS, RULE, Objective
from records.section import (
    LONGEST_PHASE_S,
    MAX_DILATION,
    MIN_DILATION,
    MOST_REPETITIONS,
    PROFILES,
    Goal,
    PauseTable,
    Planned,
)
from remote.errors import ConfigError
from remote.experiment.lengths import Durations
from remote.experiment.precision import Precision
from remote.experiment.section import Pause, Section, with_follow
from remote.experiment.section_file import is_section_name
from remote.hosts.ansible_variables import DELAYS
from remote.hosts.inventory import Inventory
from remote.providers.fleets import LOCAL

RECORD = "campaign.json"
_LARGEST_BYTES = 4 << 20
_SECTION = "section "  # and a name
_STILL_HELD = ("hosts", "constants", "follows")  # of what a campaign of before was begun with


@dataclass(frozen=True, kw_only=True)
class Record:
    """The choices that a campaign was begun with.

    Parameters
    ----------
    profile : ``smoke``, ``quick`` or ``paper``.
    seed : of the order of the runs.
    fleet : ``local``, or the path of the inventory.
    conditions : the topology and each section's hosts, constants, time dilation and durations;
        runs measured under others would not be repetitions of the same experiment.
    """

    profile: str
    seed: int
    fleet: str
    conditions: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Record | None:
        """Read the record of the campaign in `folder`, None if it was never begun.

        Raises
        ------
        ConfigError
            The file is damaged, or says what none of ours does; tells all that is wrong.
        """
        path = folder / RECORD
        if not path.is_file():
            return None
        try:
            document = read_json(path, _LARGEST_BYTES)
            parse(_Document, document)  # it may be someone else's
            return cls(**document)
        except (OSError, ValueError) as exc:
            raise ConfigError(path, f"no readable record of a campaign: {exc}") from exc

    def write(self, folder: Path) -> None:
        """Write the record, whole or not at all."""
        write_json(folder / RECORD, asdict(self))

    def require(self, folder: Path, **wanted: str) -> None:
        """Refuse to go on with another profile or fleet than the campaign was begun with."""
        for name, value in wanted.items():
            known = getattr(self, name)
            if known != value:
                raise ConfigError(
                    folder / RECORD,
                    f"the campaign was begun with {name} `{known}`, not `{value}`: "
                    f"choose that {name} or another campaign",
                )

    def extended(self, folder: Path, conditions: Mapping[str, Any]) -> Record:
        """Return the record with `conditions` added, each of which must be as it was before."""
        for name, now in conditions.items():
            known = self.conditions.get(name, now)
            if _begun_with_seconds_of_the_clock(known):  # the section is as it was begun
                conditions = {**conditions, name: known}
                known, now = ({part: entry[part] for part in _STILL_HELD} for entry in (known, now))
            if known != now:
                raise ConfigError(
                    folder / RECORD,
                    f"{name} is not what the campaign was begun with: it was {known}, now it is "
                    f"{now}. Undo the change or choose another campaign",
                )
        return Record(
            profile=self.profile,
            seed=self.seed,
            fleet=self.fleet,
            conditions={**self.conditions, **conditions},
        )

    def require_trace(self, folder: Path, section: Section) -> None:
        """Refuse to follow other requests of a section than it was begun with."""
        begun = self.conditions.get(f"{_SECTION}{section.name}")
        if begun is None:
            return
        known, wanted = begun["constants"].get(FOLLOW), section.constants.get(FOLLOW)
        if known != wanted:
            was, now = (f"1/{one_of}" if one_of else "none" for one_of in (known, wanted))
            raise ConfigError(
                folder / RECORD,
                f"section {section.name} was begun with --trace {was}, and its runs stay what they "
                f"are: leave --trace out, or measure with --trace {now} in another campaign, such "
                f"as `--campaign {folder.name}-traced`",
            )

    def as_begun(self, folder: Path, section: Section) -> Section:
        """Return a section as the campaign was begun with it, which tells what its runs are.

        Those of before have durations in seconds of the clock, and one k for each section. Which
        requests are followed stays as it was, whatever the file says now: it changes nothing of the
        system.
        """
        begun = self.conditions.get(f"{_SECTION}{section.name}")
        if begun is None:
            return section
        try:
            section = with_follow(section, begun["constants"].get(FOLLOW))
        except ValueError as exc:
            place = f"conditions.{_SECTION}{section.name}.constants.{FOLLOW}"
            raise ConfigError(folder / RECORD, f"{place}: {exc}") from exc
        if not _begun_with_seconds_of_the_clock(begun):
            if self.fleet == LOCAL and section.time_dilation is not None:
                return section  # what differs is refused when more is measured
            return replace(section, time_dilation=begun["time_dilation"])
        k = float(begun["time_dilation"])
        of_clock = begun["durations"]
        times = {name: of_clock[name] / k for name in ("stable_s", "warm_up_s", "cool_down_s")}
        return replace(
            section,
            durations=Durations(repetitions=int(of_clock["repetitions"]), **times),
            precision=None,
            pauses=tuple(
                Pause(server=p["server"], at_s=p["at_s"] / k, for_s=p["for_s"] / k)
                for p in begun["pauses"]
            ),
            time_dilation=k,
        )


def _begun_with_seconds_of_the_clock(conditions: Any) -> bool:
    return (
        isinstance(conditions, Mapping)
        and "durations" in conditions
        and ("precision" not in conditions)
    )


def topology_of(inventory: Inventory) -> Topology:
    """Return what the manifests say of the hosts' network, and of their CPUs where limited."""
    hosts = inventory.hosts
    limits: dict[str, Any] = {
        "own_rtt_ms": {h.name: h.own_rtt_ms for h in hosts if h.own_rtt_ms is not None},
        "cpu_quotas": {h.name: h.cpu_quota for h in hosts if h.cpu_quota is not None},
        "processors": {h.name: h.processor for h in hosts if h.processor is not None},
        "own_processors": inventory.own_processors,
    }
    return Topology(
        name=inventory.topology,
        time_dilation=inventory.time_dilation,
        rates_mbit_per_s={h.name: h.rate_mbit_per_s for h in hosts},
        rtt_ms=inventory.rtt_ms,
        calibration=inventory.calibration,
        delay=inventory.delay,
        **{name: value for name, value in limits.items() if value},
    )


def conditions_of(
    inventory: Inventory, sections: Iterable[Section], dilations: Mapping[str, float | None]
) -> dict[str, Any]:
    """Return the conditions under which `sections` are about to be measured, as JSON has them.

    The topology is that of undilated time; there may be one with databases beside one without. Each
    section has a time dilation of its own, None where each configuration has. How much may be spent
    is no condition, more may be spent later, nor how the lab is calibrated, which is the machine's
    matter of the day.
    """
    topology = topology_of(inventory).model_dump(
        exclude_unset=True, exclude={"time_dilation", "calibration"}
    )
    name = "topology with databases" if inventory.role("databases") else "topology"
    conditions: dict[str, Any] = {"fleet": inventory.fleet, name: topology}
    for section in sections:
        conditions[f"{_SECTION}{section.name}"] = {
            "time_dilation": dilations[section.name],
            "hosts": dict(section.hosts),
            "constants": dict(section.constants),
            "follows": {factor: dict(levels) for factor, levels in section.follows.items()},
            "pauses": [asdict(pause) for pause in section.pauses],
            "durations": _durations(section.durations) if section.durations else None,
            "precision": _precision(section.precision) if section.precision else None,
            "find": section.find.text() if section.find else None,
            **_middlewares(section),
        }
    return conditions


def _middlewares(section: Section) -> dict[str, Any]:
    """Return all of the middlewares that are not this project's own."""
    of = {name: asdict(middleware) for name, middleware in section.middlewares.items()}
    return {"middlewares": json.loads(json.dumps(of))} if of else {}


def _durations(durations: Durations) -> dict[str, Any]:
    heating = {} if durations.heat_s else {"heat_s"}
    return {name: value for name, value in asdict(durations).items() if name not in heating}


def _precision(precision: Precision) -> dict[str, Any]:
    heating = {"heat_s": precision.heat_s} if precision.heat_s else {}
    return {"goals": dict(precision.goals), "fewest": precision.repetitions[0], **heating}


class _Topology(Document):
    name: str
    rates_mbit_per_s: dict[str, Positive | None]
    rtt_ms: Positive | None
    delay: Annotated[str, one_of(*DELAYS)]
    own_rtt_ms: dict[str, Positive] = {}
    cpu_quotas: dict[str, Positive] = {}
    processors: dict[str, str] = {}
    own_processors: str = ""


class _Durations(Document):
    repetitions: Annotated[int, whole_number(1, MOST_REPETITIONS)]
    stable_s: Positive
    warm_up_s: Annotated[int | float, number(0, LONGEST_PHASE_S)]
    cool_down_s: Annotated[int | float, number(0, LONGEST_PHASE_S)]
    heat_s: Annotated[int, whole_number(0, LONGEST_PHASE_S)] = 0


class _Precision(Document):
    goals: dict[Annotated[str, one_of(*RESULTS)], Goal]
    fewest: Annotated[int, whole_number(1, MOST_REPETITIONS)]
    heat_s: Annotated[int, whole_number(0, LONGEST_PHASE_S)] = 0


def _require_middlewares(documents: dict[str, Any]) -> dict[str, Any]:
    for name, document in documents.items():
        require_plain(name, parse(Middleware, document))
    return documents


class _Section(Planned):
    time_dilation: Annotated[int | float, number(MIN_DILATION, MAX_DILATION)] | None
    pauses: list[PauseTable]
    durations: _Durations | None
    precision: _Precision | None = None
    find: Annotated[str, told(RULE, Objective.is_one)] | None = None
    middlewares: Annotated[dict[str, Any], AfterValidator(_require_middlewares)] = {}

    @model_validator(mode="after")
    def _require_lengths(self) -> _Section:
        in_seconds = "precision" not in self.model_fields_set
        if in_seconds and None in (self.durations, self.time_dilation):
            raise ValueError("needs durations and time_dilation, as it has no precision")
        return self


def _require_conditions(found: Any) -> Any:
    """Hold each condition to its kind, and the name of each section to what folders are called."""
    sections = [
        name
        for name in (found if isinstance(found, dict) else ())
        if name.startswith(_SECTION) and is_section_name(name.removeprefix(_SECTION))
    ]
    kinds: dict[str, Any] = dict.fromkeys(sections, _Section)
    kinds |= {"fleet": str, "topology": _Topology, "topology with databases": _Topology}
    return TypeAdapter(Annotated[Any, table_of(kinds)]).validate_python(found)


class _Document(Document):
    """What must be true of the record of a campaign, whoever began it."""

    profile: Annotated[str, one_of(*PROFILES)]
    seed: Annotated[int, whole_number(0)]
    fleet: Annotated[str, told("a name, or a path of printable characters", str.isprintable)]
    conditions: Annotated[dict[str, Any], PlainValidator(_require_conditions)] = {}
