"""What all runs of a campaign have in common: written when it is begun, held to ever after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from records.campaign import (
    SECTION,
    CampaignRecord,
    Condition,
    Network,
    SectionConditions,
)
from records.documents import parse, read_json
from records.files.atomic import write_json
from records.manifest_entries import Topology
from records.middleware import FOLLOW
from remote.errors import ConfigError
from remote.experiment.lengths import Durations
from remote.experiment.section import Pause, Section, with_follow
from remote.hosts.inventory import Inventory
from remote.providers.fleets import LOCAL

RECORD = "campaign.json"
_LARGEST_BYTES = 4 << 20
_STILL_HELD = {"hosts", "constants", "follows"}  # of what a campaign of before was begun with


class Record(CampaignRecord):
    """The record in a campaign's folder."""

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
            return parse(cls, read_json(path, _LARGEST_BYTES))
        except (OSError, ValueError) as exc:
            raise ConfigError(path, f"no readable record of a campaign: {exc}") from exc

    def write(self, folder: Path) -> None:
        """Write the record, whole or not at all."""
        write_json(folder / RECORD, self.model_dump(exclude_unset=True))

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

    def extend(
        self,
        folder: Path,
        inventory: Inventory,
        sections: Iterable[Section],
        dilations: Mapping[str, float | None],
    ) -> None:
        """Add the conditions under which `sections` are measured to the record in a folder.

        Where the folder has none this record is written. ConfigError if the conditions are not what
        the campaign was begun with.
        """
        known = Record.read(folder) or self
        known.extended(folder, conditions_of(inventory, sections, dilations)).write(folder)

    def extended(self, folder: Path, conditions: Mapping[str, Condition]) -> Record:
        """Return the record with `conditions` added, each of which must be as it was before."""
        together = {**self.conditions, **conditions}
        for name, condition in conditions.items():
            begun, held = self.conditions.get(name, condition), None
            if isinstance(begun, SectionConditions) and begun.is_of_clock:
                together[name], held = begun, _STILL_HELD  # the section is as it was begun
            known, now = _told(begun, held), _told(condition, held)
            if known != now:
                raise ConfigError(
                    folder / RECORD,
                    f"{name} is not what the campaign was begun with: it was {known}, now it is "
                    f"{now}. Undo the change or choose another campaign",
                )
        return self.model_copy(update={"conditions": together})

    def require_trace(self, folder: Path, section: Section) -> None:
        """Refuse to follow other requests of a section than it was begun with."""
        begun = self.section(section.name)
        if begun is None:
            return
        known, wanted = begun.follow, section.constants.get(FOLLOW)
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
        begun = self.section(section.name)
        if begun is None:
            return section
        try:
            section = with_follow(section, begun.follow)
        except ValueError as exc:
            place = f"conditions.{SECTION}{section.name}.constants.{FOLLOW}"
            raise ConfigError(folder / RECORD, f"{place}: {exc}") from exc
        k, of_clock = begun.time_dilation, begun.durations
        if not begun.is_of_clock or k is None or of_clock is None:
            if self.fleet == LOCAL and section.time_dilation is not None:
                return section  # what differs is refused when more is measured
            return replace(section, time_dilation=k)
        return replace(
            section,
            durations=Durations(
                repetitions=of_clock.repetitions,
                stable_s=of_clock.stable_s / k,
                warm_up_s=of_clock.warm_up_s / k,
                cool_down_s=of_clock.cool_down_s / k,
            ),
            precision=None,
            pauses=tuple(
                Pause(server=pause.server, at_s=pause.at_s / k, for_s=pause.for_s / k)
                for pause in begun.pauses
            ),
            time_dilation=float(k),
        )


def _told(condition: Condition, held: set[str] | None) -> object:
    """Return a condition, or the parts of it that are `held` to, as errors tell it."""
    if isinstance(condition, str):
        return condition
    return condition.model_dump(include=held, exclude_defaults=True)


def topology_of(inventory: Inventory) -> Topology:
    """Return what the manifests record of the hosts' network, and of their CPUs where limited."""
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
) -> dict[str, Condition]:
    """Return the conditions under which `sections` are about to be measured.

    The topology is that of undilated time; there may be one with databases beside one without. Each
    section has a time dilation of its own, None where each configuration has. How much may be spent
    is no condition, more may be spent later, nor how the lab is calibrated, which is the machine's
    matter of the day.
    """
    topology = topology_of(inventory).model_dump(
        exclude_unset=True, exclude={"time_dilation", "calibration"}
    )
    name = "topology with databases" if inventory.role("databases") else "topology"
    of_sections = {
        f"{SECTION}{section.name}": _conditions_of(section, dilations[section.name])
        for section in sections
    }
    return {"fleet": inventory.fleet, name: Network(**topology), **of_sections}


def _conditions_of(section: Section, time_dilation: float | None) -> SectionConditions:
    heating = {"heat_s": section.heat_s} if section.heat_s else {}  # most records do without
    document: dict[str, Any] = {
        "time_dilation": time_dilation,
        "hosts": dict(section.hosts),
        "constants": dict(section.constants),
        "follows": {factor: dict(levels) for factor, levels in section.follows.items()},
        "pauses": [asdict(pause) for pause in section.pauses],
        "durations": None,
        "precision": None,
        "find": section.find.text() if section.find else None,
    }
    if section.middlewares:
        document["middlewares"] = section.middlewares
    if section.durations:
        lengths = asdict(section.durations)
        document["durations"] = {**{n: s for n, s in lengths.items() if n != "heat_s"}, **heating}
    if section.precision:
        fewest, _ = section.precision.repetitions
        document["precision"] = {"goals": section.precision.goals, "fewest": fewest, **heating}
    return SectionConditions.model_validate(document)
