"""The manifest of a run: what ran where, with which versions, how it ended, what it left.

``format`` is the version of the form, and 1 so far. What was added to the form later has a default
that is true of the runs before: `Manifest.read` opens all of them. It leaves out what it does not
know.
"""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, model_validator

from records.documents import (
    LONGEST_PHASE_S,
    Count,
    Document,
    Natural,
    Positive,
    Recorded,
    Seconds,
    WholeSeconds,
    matching,
    parse,
    told,
)
from records.names import HOST, is_plain_path
from records.settings import Level
from records.verdict import ACCEPTED, PILOT, Verdict

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
_Host = Annotated[str, matching("the name of a host", HOST)]
_Time = Annotated[str, told("a time with its zone such as 2026-11-20T12:00:00+00:00", _is_time)]


class File(Recorded):
    """A compressed file of the run."""

    sha256: Annotated[str, matching("64 hexadecimal digits", "[0-9a-f]{64}")]
    bytes: Natural


class Job(Recorded):
    """A program that ran on a host; its exit status is None if it was still running."""

    host: _Host
    name: str
    command: str
    exit_status: int | None
    started_at_s: float
    seconds: float = 0


class Git(Recorded):
    """The commit of the project, and whether its files differed from it."""

    commit: str
    dirty: bool


class Control(Recorded):
    """The machine that measured, and its programs."""

    host: str = ""
    python: str = ""
    system: str = ""
    packages: dict[str, str] = {}
    sha256: dict[str, str] = {}
    wake_up_bound_us: int | None = None


class Topology(Recorded):
    """What the hosts' network was, in undilated time, and their CPUs where limited."""

    name: str = ""
    time_dilation: Annotated[Positive, AfterValidator(float)] = 1.0
    rates_mbit_per_s: dict[str, Positive | None] = {}
    rtt_ms: Positive | None = None
    calibration: dict[str, float] | None = None
    delay: str = ""
    own_rtt_ms: dict[str, Positive] = {}
    cpu_quotas: dict[str, Positive] = {}
    processors: dict[str, str] = {}
    own_processors: str = ""


class Roles(Document):
    """The hosts of each role that took part, in their order."""

    clients: list[_Host] = []
    middlewares: list[_Host] = []
    servers: list[_Host] = []
    databases: list[_Host] = []

    @property
    def by_name(self) -> dict[str, list[str]]:
        """Role to hosts, of the roles that the run has."""
        return {name: hosts for name, hosts in self if name in self.model_fields_set}

    @property
    def hosts(self) -> list[str]:
        """The hosts of all roles."""
        return [*self.clients, *self.middlewares, *self.servers, *self.databases]


class MiddlewareUnderTest(Recorded):
    """What those who read a run must know of its middleware; the plan holds all of it."""

    name: str = ""
    tells_statistics: bool = True
    exit_statuses: list[int] = [0]


class Generator(Recorded):
    """The load generator."""

    name: str
    version: str


class Durations(Recorded):
    """How long the phases were to last, in seconds of the clock."""

    warm_up_s: WholeSeconds = 0
    stable_s: WholeSeconds = 0
    cool_down_s: WholeSeconds = 0

    @property
    def total_s(self) -> int:
        """All phases together."""
        return self.warm_up_s + self.stable_s + self.cool_down_s


class Pause(Recorded):
    """When a server was stopped on purpose, by its own clock; `kind` of other disturbances."""

    host: str = ""
    kind: str | None = None
    began_epoch_s: float
    ended_epoch_s: float

    @model_validator(mode="after")
    def _require_end(self) -> Pause:
        if not 0 <= self.ended_epoch_s - self.began_epoch_s <= LONGEST_PHASE_S:
            raise ValueError(f"must end at most {LONGEST_PHASE_S} s after it began")
        return self


class Reading(Recorded):
    """A host's clock, read at a time of the control host's: how far off, and how sure that is."""

    offset_s: float
    bound_s: float
    epoch_s: float


class Start(Recorded):
    """When all generators were ready, how long before they sent, and which host set that time."""

    ready_epoch_s: float
    lead_s: float
    lead_of: str = ""


class Links(Recorded):
    """How many pairs of hosts there are, were measured, and were at once."""

    pairs: int
    measured: int
    at_once: int


class Controller(Recorded):
    """What the run took of the process that controlled it."""

    cpu_s: float
    peak_memory_mib: float


class Manifest(Verdict):
    """All that is recorded of one attempt at a run.

    Attributes
    ----------
    plan : the section as it was measured.
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
    git: Git = Git(commit="unknown", dirty=True)
    control: Control = Control()
    controller: Controller | None = None
    topology: Topology = Topology()
    config: dict[str, _Level] = {}
    plan: dict[str, Any] = {}
    settings: dict[str, _Level] = {}
    roles: Roles = Roles()
    hosts: dict[_Host, dict[str, str]] = {}
    generator: Generator | None = None
    middleware: MiddlewareUnderTest = MiddlewareUnderTest()
    targets: dict[_Host, list[_Host]] = {}
    instances_per_client: Count = 0
    threads_per_instance: Count = 0
    num_clients: Count = 0
    value_bytes: Natural = 0
    key_count: Natural = 0
    think_time_s: Seconds | None = None
    machine_share: float | None = None
    start: Start | None = None
    start_at_epoch_s: int | float = 0
    durations: Durations = Durations()
    pauses: list[Pause] = []
    clocks: dict[_Host, dict[str, Reading]] = {}
    clock_offsets_s: dict[_Host, float] = {}
    links: Links | None = None
    phases_s: dict[str, float] = {}
    jobs: list[Job] = []
    unreachable: list[str] = []
    files: dict[_Path, File] = {}

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

    def judged(self, verdict: Verdict) -> Manifest:
        """Return the manifest with a verdict in the place of its own."""
        found = {name: getattr(verdict, name) for name in verdict.model_fields_set}
        return self.model_copy(update=found)

    def document(self) -> dict[str, Any]:
        """Return the manifest as JSON has it; what was never said is left out."""
        return {"format": FORMAT, **self.model_dump(exclude_unset=True)}
