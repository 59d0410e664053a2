"""The load generators of a run: which instance sends what to whom, and how they start together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from records.settings import Settings
from remote.errors import ConfigError
from remote.experiment.lengths import Lengths
from remote.hosts.inventory import Host
from remote.hosts.provision import DROP_IN, Tools

READY_LINE = "ready"
READY_TIMEOUT_S = 150.0  # longer than the middlewares that they connect to
APART_S = 1  # that real ones start and end after each other
_LATE = re.compile(r"--start-at has passed ([0-9]{1,9}) ms ago")


@dataclass(frozen=True, kw_only=True)
class Instance:
    """One instance of memtier: the host it runs on and the only host that it sends to."""

    host: Host
    number: int
    target: Host

    @property
    def name(self) -> str:
        """Name of its job and, with a suffix, of its files."""
        return f"memtier-{self.number}"


def instances(clients: Sequence[Host], targets: Sequence[Host], per_client: int) -> list[Instance]:
    """Return all instances; counted over all hosts they take the targets in turn."""
    return [
        Instance(host=host, number=number, target=targets[(h * per_client + number) % len(targets)])
        for h, host in enumerate(clients)
        for number in range(per_client)
    ]


def late_s(stderr: str) -> float | None:
    """Return by how much an instance was told too late when to start, as it says; None if not."""
    told = _LATE.search(stderr)
    return int(told[1]) / 1000 if told else None


def with_cool_down(lengths: Lengths) -> Lengths:
    """Return what instances that start and end each in their own time need: a second more."""
    return replace(lengths, cool_down_s=max(lengths.cool_down_s, APART_S))


def are_drop_ins(clients: Sequence[Host], tools: Mapping[str, Tools], inventory: Path) -> bool:
    """Tell whether the clients have the drop-in; ConfigError if they differ."""
    names = {tools[host.name].generator_name for host in clients}
    if len(names) > 1:
        raise ConfigError(
            inventory,
            f"clients have different generators, {' and '.join(sorted(names))}: "
            "install memtier_benchmark on all of them or on none",
        )
    return names == {DROP_IN}


def require_able(
    settings: Iterator[Settings], clients: Sequence[Host], tools: Mapping[str, Tools], where: Path
) -> None:
    """Refuse what the generators of these clients cannot do.

    ConfigError if an open loop, queues, think times, sending rates, or to follow requests, is asked
    of the real memtier_benchmark.
    """
    if are_drop_ins(clients, tools, where):
        return
    asked = list(settings)
    if any(one.follow for one in asked):
        raise ConfigError(
            where,
            "the section has generator.follow, and the clients' memtier_benchmark writes no single "
            "requests down. Remove it from the clients, so that the drop-in takes its place, or "
            "measure with `lab run --trace none` in another campaign",
        )
    if any(one.uses_queues or one.think_time_s or one.sending_rate_per_s for one in asked):
        raise ConfigError(
            where,
            "the section has message queues, think_time_s or sending_rate_per_s: memtier_benchmark "
            "has neither of the first two, and rates in whole numbers only. Remove it from the "
            "clients, so that the drop-in takes its place",
        )
    if any(one.is_open for one in asked):
        raise ConfigError(
            where,
            "the section has arrival_rate_per_s, Poisson arrivals that do not wait for replies. "
            "The clients' memtier_benchmark cannot do that: its --rate-limiting holds closed "
            "loops back, in bursts of equal distance. Remove it from the clients, so that the "
            "drop-in takes its place, or measure sections without arrival_rate_per_s",
        )
