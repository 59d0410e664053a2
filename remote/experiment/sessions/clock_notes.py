"""The hosts' clocks at the start and the end of a run, in its manifest."""

from __future__ import annotations

from collections.abc import Sequence

from remote.experiment.run import Collected
from remote.hosts.clocks import ClockReading, read_clocks
from remote.hosts.group import Fleet
from remote.hosts.inventory import Host

START, END = "start", "end"


def note_clocks(fleet: Fleet, hosts: Sequence[Host], when: str, collected: Collected) -> None:
    """Read the clocks of `hosts` and keep them under ``clocks``, by host and by `when`."""
    clocks = collected.manifest.setdefault("clocks", {})

    def keep(name: str, reading: ClockReading) -> None:
        clocks.setdefault(name, {})[when] = reading.to_dict()

    read_clocks(fleet, hosts, keep)
