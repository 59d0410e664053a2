"""The manifest of a run: what ran where, with which versions, how it ended, what it left.

``format`` is the version of the form, and 1 so far. What was added to the form later has a default
that is true of the runs before: `Manifest.read` opens all of them. It leaves out what it does not
know.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field

from records.documents import Count, Natural, Seconds, parse, told
from records.manifest_entries import (
    ClockReading,
    Control,
    Controller,
    Durations,
    File,
    Generator,
    Git,
    HostName,
    Imported,
    JobOutcome,
    Links,
    MiddlewareUnderTest,
    Pause,
    Roles,
    Start,
    Topology,
)
from records.names import is_plain_path
from records.settings import DEFAULTS, SETTINGS, Level, Settings
from records.verdict import ACCEPTED, FAILED, PILOT, Status, Verdict

FORMAT = 1
_WHOLE = ("campaign", "section", "profile", "fleet", "git", "topology")
_UNDER_LOAD = (
    *("roles", "settings", "targets", "instances_per_client", "threads_per_instance"),
    *("num_clients", "value_bytes", "think_time_s", "window"),
)


def _is_time(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(text).tzinfo is not None
    return False


_Level = Annotated[  # which kind it is tells the name of the setting
    Any, told("text, a number, true or false", lambda level: isinstance(level, Level | None))
]
_Path = Annotated[str, told("a plain path below the run's folder", is_plain_path)]
_Time = Annotated[str, told("a time with its zone such as 2026-11-20T12:00:00+00:00", _is_time)]


class Manifest(Verdict):
    """All that is recorded of one attempt at a run.

    Attributes
    ----------
    plan : the section as it was measured.
    imported : None for runs that we measured. The files of an imported run state no common clock:
        its `window` counts seconds from the beginning of the run.
    settings : as the run recorded them; `all_settings` has those that it did not record, too.
    generator : None where the run put no load on the system, but measured its network.
    think_time_s : of a client, undilated; None in an open loop.
    machine_share : of a response time, what the machine under the lab adds to it.
    start_at_epoch_s : when the generators sent their first requests.
    clocks : host to its readings at ``start`` and ``end``.
    clock_offsets_s : host to the offset of its clock, of runs that read it once.
    """

    format: int = FORMAT
    attempt: Count
    repetition: Count = 1
    campaign: str = ""
    section: str = ""
    title: str = ""
    profile: str = ""
    fleet: str = ""
    error: str = ""
    is_trial: bool = False
    seed: int | None = None
    started_at: _Time = ""
    finished_at: _Time = ""
    git: Git = Field(default_factory=lambda: Git(commit="unknown", dirty=True))
    control: Control = Field(default_factory=Control)
    controller: Controller | None = None
    topology: Topology = Field(default_factory=Topology)
    config: dict[str, _Level] = Field(default_factory=dict)
    plan: dict[str, Any] = Field(default_factory=dict)
    imported: Imported | None = None
    settings: dict[str, _Level] = Field(default_factory=dict)
    roles: Roles = Field(default_factory=Roles)
    hosts: dict[HostName, dict[str, str]] = Field(default_factory=dict)
    generator: Generator | None = None
    middleware: MiddlewareUnderTest = Field(default_factory=MiddlewareUnderTest)
    targets: dict[HostName, list[HostName]] = Field(default_factory=dict)
    instances_per_client: Count = 0
    threads_per_instance: Count = 0
    num_clients: Count = 0
    value_bytes: Natural = 0
    key_count: Natural = 0
    think_time_s: Seconds | None = None
    machine_share: float | None = None
    start: Start | None = None
    start_at_epoch_s: int | float = 0
    durations: Durations = Field(default_factory=Durations)
    pauses: list[Pause] = Field(default_factory=list)
    clocks: dict[HostName, dict[str, ClockReading]] = Field(default_factory=dict)
    clock_offsets_s: dict[HostName, float] = Field(default_factory=dict)
    links: Links | None = None
    phases_s: dict[str, float] = Field(default_factory=dict)
    jobs: list[JobOutcome] = Field(default_factory=list)
    unreachable: list[str] = Field(default_factory=list)
    files: dict[_Path, File] = Field(default_factory=dict)

    @classmethod
    def read(cls, document: Any) -> Manifest:
        """Return the manifest that a document of JSON holds, of any version there has been.

        Raises
        ------
        ValueError
            Tells all that is wrong, or that a later version wrote it.
        """
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f"not a manifest of format {FORMAT}")
        return parse(cls, document)

    def require_whole(self) -> None:
        """Refuse a manifest that lacks what every run of a campaign has that is handed on.

        Raises
        ------
        ValueError
            Names the first entry that is missing.
        """
        loaded = self.generator and self.status in (ACCEPTED, PILOT)
        for name in (*_WHOLE, *(_UNDER_LOAD if loaded else ())):
            if name not in self.model_fields_set or (name == "window" and self.window is None):
                raise ValueError(f"{name} is missing")

    @property
    def all_settings(self) -> Settings:
        """Everything that a run under load was set to: defaults where it did not record a setting.

        The numbers of hosts are those of `roles`.
        """
        recorded = {name: level for name, level in self.settings.items() if name in SETTINGS}
        counts = {f"num_{role}": len(hosts) for role, hosts in self.roles.by_name.items()}
        counts["client_hosts"] = counts.pop("num_clients", DEFAULTS.client_hosts)
        return replace(DEFAULTS, **{**recorded, **counts})

    def judged(self, verdict: Verdict) -> Self:
        """Return the manifest with a verdict in the place of its own."""
        found = {name: getattr(verdict, name) for name in verdict.model_fields_set}
        return self.model_copy(update=found)

    def document(self) -> dict[str, Any]:
        """Return the manifest as JSON has it; what was never said is left out."""
        return {"format": FORMAT, **self.model_dump(exclude_unset=True)}


class UnfinishedManifest(Manifest):
    """The manifest of a run under way: each entry is checked when it is set.

    A run has failed until its checks have accepted it.
    """

    model_config = ConfigDict(frozen=False, validate_assignment=True)

    status: Status = FAILED
    attempt: Count = 1
