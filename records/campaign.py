"""The record of a campaign: the choices and conditions that it was begun with."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import TypeAdapter, field_validator, model_validator

from records.documents import (
    Document,
    Natural,
    Positive,
    Seconds,
    WholeSeconds,
    one_of,
    parse,
    table_of,
    told,
    whole_number,
)
from records.manifest_entries import Topology
from records.middleware import FOLLOW, Middleware, require_plain
from records.objective import RESULTS, RULE, Objective
from records.section import (
    MOST_REPETITIONS,
    PROFILES,
    Dilated,
    Goal,
    PauseTable,
    Planned,
    is_section_name,
)

SECTION = "section "  # and its name, of its conditions


class Network(Topology, Document):
    """The topology of undilated time; there may be one with databases beside one without."""


class Durations(Document):
    """How long and how often each configuration of a section is measured."""

    repetitions: Annotated[int, whole_number(1, MOST_REPETITIONS)]
    stable_s: Positive
    warm_up_s: Seconds
    cool_down_s: Seconds
    heat_s: WholeSeconds = 0


class Precision(Document):
    """What each configuration of a section is measured for, with the fewest repetitions."""

    goals: dict[Annotated[str, one_of(*RESULTS)], Goal]
    fewest: Annotated[int, whole_number(1, MOST_REPETITIONS)]
    heat_s: WholeSeconds = 0


class SectionConditions(Planned):
    """The conditions under which a section is measured.

    Attributes
    ----------
    time_dilation : None where each configuration has one of its own.
    precision : campaigns of before do not have it, and their durations in seconds of the clock.
    middlewares : by name those that are not this project's own.
    """

    time_dilation: Dilated | None
    pauses: list[PauseTable]
    durations: Durations | None
    precision: Precision | None = None
    find: Annotated[str, told(RULE, Objective.is_one)] | None = None
    middlewares: dict[str, Middleware] = {}

    @field_validator("middlewares", mode="before")
    @classmethod
    def _require_middlewares(cls, documents: Any) -> dict[str, Middleware]:
        found = parse(dict[str, Middleware], documents)
        for name, middleware in found.items():
            require_plain(name, middleware)
        return found

    @property
    def is_of_clock(self) -> bool:
        """Whether durations and pauses are in seconds of the clock, as they once were."""
        return "precision" not in self.model_fields_set

    @property
    def follow(self) -> int | None:
        """One of how many requests is followed; None for none."""
        found = self.constants.get(FOLLOW)
        return found if isinstance(found, int) else None

    @model_validator(mode="after")
    def _require_lengths(self) -> SectionConditions:
        if self.is_of_clock and None in (self.durations, self.time_dilation):
            raise ValueError("needs durations and time_dilation, as it has no precision")
        return self


Condition = str | Network | SectionConditions


class CampaignRecord(Document):
    """The choices that a campaign was begun with.

    Attributes
    ----------
    seed : of the order of the runs.
    fleet : ``local``, or the path of the inventory.
    conditions : the fleet, the topology, and each section's: runs measured under others would not
        be repetitions of the same experiment.
    """

    profile: Annotated[str, one_of(*PROFILES)]
    seed: Natural
    fleet: Annotated[str, told("a name, or a path of printable characters", str.isprintable)]
    conditions: dict[str, Condition] = {}

    @field_validator("conditions", mode="before")
    @classmethod
    def _require_conditions(cls, found: Any) -> Any:
        """Hold each condition to its kind, and names of sections to what folders are called."""
        sections = [
            name
            for name in (found if isinstance(found, dict) else ())
            if name.startswith(SECTION) and is_section_name(name.removeprefix(SECTION))
        ]
        kinds: dict[str, Any] = dict.fromkeys(sections, SectionConditions)
        kinds |= {"fleet": str, "topology": Network, "topology with databases": Network}
        return TypeAdapter(Annotated[Any, table_of(kinds)]).validate_python(found)

    def section(self, name: str) -> SectionConditions | None:
        """Return the conditions of a section; None if nothing of it is measured."""
        found = self.conditions.get(f"{SECTION}{name}")
        return found if isinstance(found, SectionConditions) else None
