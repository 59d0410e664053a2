"""Measuring the network before anything runs on it: round-trip times and bandwidths."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial

from records.manifest_entries import Roles
from records.section import ROLES
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.experiment.sessions.bandwidth import MARGIN_S, Bandwidths
from remote.experiment.sessions.pairs import (
    MOST_MEASURED,
    Pair,
    count_links,
    first_of_alike,
    rounds,
)
from remote.experiment.storing import END, START, Collected
from remote.hosts.group import Fleet, in_parallel
from remote.hosts.inventory import Host
from remote.hosts.provision import Tools
from remote.phases import MEASURING
from remote.services.monitors import ping_command

PING_INTERVAL_S = 0.2


class NetworkSession:
    """Pings between all hosts and iperf3 between the roles; a context manager like LoadSession."""

    def __init__(self, fleet: Fleet, section: Section, tools: Mapping[str, Tools]) -> None:
        self.fleet = fleet
        self.section = section
        self.tools = tools
        self.hosts = tuple(
            host
            for role in ROLES
            for host in fleet.inventory.take(role, section.hosts.get(role, 0))
        )

    def __enter__(self) -> NetworkSession:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing outlives a run."""

    def measure(self, run: Run, collected: Collected) -> None:
        """Perform `run` and fill `collected`."""
        manifest = collected.manifest
        manifest.roles = Roles(
            **{
                role: [h.name for h in self.hosts if h.role == role]
                for role in ROLES
                if role in self.section.hosts
            }
        )
        manifest.durations = run.lengths.recorded
        manifest.hosts = {h.name: dict(self.tools[h.name].facts) for h in self.hosts}
        manifest.jobs = []
        measure = {"ping": self._ping, "iperf3": self._iperf3}[str(run.config["kind"])]
        collected.note_clocks(self.fleet, self.hosts, START)
        collected.phases.enter(MEASURING)
        measure(run.lengths.stable_s, collected)
        collected.note_clocks(self.fleet, self.hosts, END)

    def _ping(self, seconds: int, collected: Collected) -> None:
        count = max(3, round(seconds / PING_INTERVAL_S))

        def ping(sender: Host, target: Host) -> bytes:
            command = ping_command(target.data_address, interval_s=PING_INTERVAL_S, count=count)
            result = self.fleet[sender].run(command, timeout_s=seconds + MARGIN_S)
            return result.stdout.encode()

        pairs = list(itertools.permutations(self.hosts, 2))
        pinged = self._by_sender(pairs) if len(pairs) <= MOST_MEASURED else rounds(pairs)
        collected.manifest.links = count_links(pairs, pinged)
        for some in pinged:  # few at a time: an idle network is what is asked about
            tasks = {f"{s.name}/ping-{t.name}.txt": partial(ping, s, t) for s, t in some}
            collected.files.update(in_parallel(tasks))

    def _by_sender(self, pairs: Sequence[Pair]) -> list[list[Pair]]:
        return [[pair for pair in pairs if pair[0] is sender] for sender in self.hosts]

    def _iperf3(self, seconds: int, collected: Collected) -> None:
        bandwidths = Bandwidths(self.fleet, "iperf3", seconds=seconds, omit_s=1)
        pairs = first_of_alike(itertools.permutations(self.hosts, 2))
        bandwidths.in_rounds([[pair] for pair in pairs], collected)
