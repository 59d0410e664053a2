"""What must be true of a manifest, whoever wrote it."""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from analysis.tables.run import ACCEPTED, PILOT
from analysis.unpacking import is_plain_path
from records.documents import (
    Count,
    Document,
    Positive,
    matching,
    number,
    one_of,
    told,
    whole_number,
)
from records.names import HOST
from records.section import LONGEST_PHASE_S
from records.settings import Level
from remote.experiment.checks.check import FAILED, REJECTED, REQUIRED

_UNDER_LOAD = (
    *("roles", "settings", "targets", "instances_per_client", "threads_per_instance"),
    *("num_clients", "value_bytes", "think_time_s", "window"),
)


def _is_time(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(text).tzinfo is not None
    return False


_Path = Annotated[str, told("a plain path below the run's folder", is_plain_path)]
_Name = Annotated[str, matching("the name of a host", HOST)]
_Time = Annotated[str, told("a time with its zone such as 2026-11-20T12:00:00+00:00", _is_time)]
_Number = int | float
_ABSENT: Any = None  # JSON's null is refused
_Natural = Annotated[int, whole_number(0)]
_WholeSeconds = Annotated[int, whole_number(0, LONGEST_PHASE_S)]


class _Table(BaseModel):
    """Of what is converted, nothing is used: values must be of their types as they are."""

    model_config = ConfigDict(strict=True)


class _File(_Table):
    sha256: Annotated[str, matching("64 hexadecimal digits", "[0-9a-f]{64}")]
    bytes: _Natural


class _Check(_Table):
    name: str
    passed: bool
    detail: str
    severity: str = REQUIRED


class _Job(_Table):
    host: _Name
    name: str
    command: str
    exit_status: int | None
    started_at_s: _Number


class _Git(_Table):
    commit: str
    dirty: bool


class _Control(_Table):
    host: str = ""
    python: str = ""
    packages: dict[str, str] = {}


class _Topology(_Table):
    time_dilation: Positive
    name: str = ""
    rates_mbit_per_s: dict[str, Positive | None] = {}
    rtt_ms: Positive | None = None
    own_rtt_ms: dict[str, Positive] = {}
    cpu_quotas: dict[str, Positive] = {}
    own_processors: str = ""


class _Roles(Document):
    clients: list[_Name]
    middlewares: list[_Name]
    servers: list[_Name]
    databases: list[_Name] = Field(default_factory=list)


class _Middleware(_Table):
    name: str = ""
    tells_statistics: bool = True
    exit_statuses: list[int] = [0]


class _Generator(_Table):
    name: str
    version: str


class _Durations(_Table):
    warm_up_s: _WholeSeconds
    stable_s: _WholeSeconds
    cool_down_s: _WholeSeconds


class _Window(_Table):
    start_epoch_s: _Number
    stable_s: Annotated[_Number, number(0, LONGEST_PHASE_S)]
    end_epoch_s: _Number = 0


class _Pause(_Table):
    began_epoch_s: _Number
    ended_epoch_s: _Number

    @model_validator(mode="after")
    def _require_end(self) -> _Pause:
        if not 0 <= self.ended_epoch_s - self.began_epoch_s <= LONGEST_PHASE_S:
            raise ValueError(f"must end at most {LONGEST_PHASE_S} s after it began")
        return self


class Manifest(_Table):
    """What is held to be so in every manifest, if it is there; there may be more."""

    status: Annotated[str, one_of(ACCEPTED, PILOT, REJECTED, FAILED)]
    attempt: Count
    repetition: Count = 1
    campaign: str = ""
    section: str = ""
    title: str = ""
    profile: str = ""
    fleet: str = ""
    error: str = ""
    is_trial: bool = False
    seed: int = 0
    started_at: _Time = _ABSENT
    finished_at: _Time = _ABSENT
    git: _Git = _ABSENT
    control: _Control = _Control()
    topology: _Topology = _ABSENT
    config: dict[str, Level] = {}
    plan: dict[str, Any] = {}
    settings: dict[str, Level | None] = {}
    roles: _Roles = _ABSENT
    hosts: dict[_Name, dict[str, str]] = {}
    generator: _Generator = _ABSENT
    middleware: _Middleware = _Middleware()
    targets: dict[_Name, list[_Name]] = {}
    instances_per_client: Count = 0
    threads_per_instance: Count = 0
    num_clients: Count = 0
    value_bytes: _Natural = 0
    key_count: _Natural = 0
    think_time_s: Annotated[_Number, number(0, LONGEST_PHASE_S)] | None = None
    machine_share: _Number | None = None
    start_at_epoch_s: _Number = 0
    durations: _Durations = _ABSENT
    window: _Window = _ABSENT
    pauses: list[_Pause] = []
    clocks: dict[_Name, dict[str, dict[str, _Number]]] = {}
    phases_s: dict[str, _Number] = {}
    jobs: list[_Job] = []
    unreachable: list[str] = []
    checks: list[_Check] = []
    results: dict[str, float] = {}
    files: dict[_Path, _File] = {}


class WholeManifest(Manifest):
    """What every run of a campaign has that is handed on."""

    campaign: str
    section: str
    profile: str
    fleet: str
    git: _Git
    topology: _Topology

    @model_validator(mode="after")
    def _require_load(self) -> WholeManifest:
        lacking = [name for name in _UNDER_LOAD if name not in self.model_fields_set]
        if lacking and self.generator is not None and self.status in (ACCEPTED, PILOT):
            raise ValueError(f"{lacking[0]} is missing")
        return self
