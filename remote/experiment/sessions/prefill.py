"""Filling the servers before anything is read from them, so that no get can miss."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import cycle

from records.settings import Settings
from remote.hosts.group import Fleet, in_parallel
from remote.hosts.inventory import Host
from remote.hosts.jobs import RunningJobs, Task, remove_job_folder
from remote.hosts.provision import Tools
from remote.services import memcached
from remote.services.memtier import Keys, keys_of, prefill

TIMEOUT_S = 60.0
EXPIRY_MARGIN_S = 300.0
Layout = tuple[Keys, int, str]


class Prefill:
    """What stands on `servers`: every key that a run will ask for, with values of its size."""

    def __init__(
        self,
        fleet: Fleet,
        clients: Sequence[Host],
        servers: Sequence[Host],
        tools: Mapping[str, Tools],
        *,
        undilated: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.fleet = fleet
        self.clients = clients
        self.servers = servers
        self.tools = tools
        self._undilated = undilated
        self._layout: Layout | None = None
        self._filled_at_s = float("-inf")

    def ensure(self, settings: Settings, folder: str, *, run_s: float) -> None:
        """Write all keys to all servers unless they are there and outlive a run of `run_s`."""
        layout = (keys_of(settings), settings.value_bytes, settings.expiry_range_s)
        if not settings.reads:
            if layout != self._layout:  # the run's own sets change what is there
                self._layout = None
            return
        if layout == self._layout and self._outlive(settings, run_s):
            return
        with self._undilated():
            self._fill(settings, folder)
        self._layout, self._filled_at_s = layout, time.monotonic()

    def _outlive(self, settings: Settings, run_s: float) -> bool:
        age_s = time.monotonic() - self._filled_at_s
        return (
            settings.expires_after_s == 0
            or age_s + run_s + EXPIRY_MARGIN_S < settings.expires_after_s
        )

    def _fill(self, settings: Settings, folder: str) -> None:
        """Let each server be filled by one client, all at the same time."""
        name = f"{folder}-prefill"
        timeout_s = TIMEOUT_S * max(1.0, self.fleet.inventory.time_dilation)

        def fill(client: Host, server: Host, jobs: RunningJobs) -> None:
            program = self.tools[client.name].generator
            command = prefill(program, server.data_address, memcached.PORT, settings)
            task = Task(f"prefill-{server.name}", command, user=client.program_user)
            job = jobs.start(client, task, limit_s=timeout_s)
            late = jobs.wait([job], timeout_s=timeout_s)
            if late or any(o.exit_status for o in jobs.outcomes if o.name == task.name):
                raise job.failure()

        with RunningJobs(self.fleet, name) as jobs:
            pairs = zip(cycle(self.clients), self.servers, strict=False)
            in_parallel({s.name: partial(fill, c, s, jobs) for c, s in pairs})
        self.fleet.for_each(self.clients, lambda c: remove_job_folder(c, name))
