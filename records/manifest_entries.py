"""The entries of a manifest: programs, files, hosts, clocks and phases of one run."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from records.documents import (
    LONGEST_PHASE_S,
    Document,
    Natural,
    Positive,
    Recorded,
    WholeSeconds,
    matching,
)
from records.names import HOST

HostName = Annotated[str, matching("the name of a host", HOST)]


class File(Recorded):
    """A compressed file of the run."""

    sha256: Annotated[str, matching("64 hexadecimal digits", "[0-9a-f]{64}")]
    bytes: Natural


class Imported(Recorded):
    """The source of a run that was imported from other people's files.

    Attributes
    ----------
    title : who measured what, where it was published.
    files : number of files that were read.
    lacks : what a run of ours has and these files do not contain.
    """

    title: str
    files: Natural
    lacks: list[str] = []


class JobOutcome(Recorded):
    """How a program on a host ended; its exit status is None if it was still running.

    Times are of the control host.
    """

    host: HostName
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
    packages: dict[str, str] = Field(default_factory=dict)
    sha256: dict[str, str] = Field(default_factory=dict)
    wake_up_bound_us: int | None = None


class Topology(Recorded):
    """The network between the hosts, in undilated time, and the limits of their CPUs."""

    name: str = ""
    time_dilation: Annotated[Positive, AfterValidator(float)] = 1.0
    rates_mbit_per_s: dict[str, Positive | None] = Field(default_factory=dict)
    rtt_ms: Positive | None = None
    calibration: dict[str, float] | None = None
    delay: str = ""
    own_rtt_ms: dict[str, Positive] = Field(default_factory=dict)
    cpu_quotas: dict[str, Positive] = Field(default_factory=dict)
    processors: dict[str, str] = Field(default_factory=dict)
    own_processors: str = ""


class Roles(Document):
    """The hosts of each role that took part, in their order."""

    clients: list[HostName] = Field(default_factory=list)
    middlewares: list[HostName] = Field(default_factory=list)
    servers: list[HostName] = Field(default_factory=list)
    databases: list[HostName] = Field(default_factory=list)

    @property
    def by_name(self) -> dict[str, list[str]]:
        """Role to hosts, of the roles that the run has."""
        return {name: hosts for name, hosts in self if name in self.model_fields_set}

    @property
    def hosts(self) -> list[str]:
        """The hosts of all roles."""
        return [*self.clients, *self.middlewares, *self.servers, *self.databases]


class MiddlewareUnderTest(Recorded):
    """The middleware: if it tells statistics, how it may end; the plan holds its whole file."""

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


class ClockReading(Recorded):
    """A host's clock beside that of the control host.

    Attributes
    ----------
    offset_s : the host's clock minus the control host's, off by `bound_s` at most.
    epoch_s : when it was read, by the control host's clock.
    """

    offset_s: float
    bound_s: float
    epoch_s: float

    @property
    def certain_offset_s(self) -> float:
        """By how much at least the host's clock is off, 0 if it may be right."""
        return max(0.0, abs(self.offset_s) - self.bound_s)

    def rounded(self) -> ClockReading:
        """Return the reading to the microsecond, as manifests record it."""
        return ClockReading(**{name: round(value, 6) for name, value in self})


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
    """CPU time and largest memory of the process that controlled the run."""

    cpu_s: float
    peak_memory_mib: float
