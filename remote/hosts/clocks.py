"""How far the clock of a host is off, and how surely that is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from records.manifest_entries import ClockReading
from remote.errors import HostUnreachable
from remote.hosts.connection import Connection, Exchange
from remote.hosts.group import Fleet
from remote.hosts.host import Host

SAMPLES = 5
LARGEST_CLOCK_OFFSET_S = 0.2
"""A clock that is certainly further off than this puts its host's seconds beside others."""
_COMMAND = "while read -r _; do date +%s.%N; done"


def clock_reading(host_epoch_s: float, asked_at_s: float, answered_at_s: float) -> ClockReading:
    """Return the reading of a clock that follows from one question and its answer (pure).

    The host read its clock at some time between question and answer, so that its offset from the
    middle of the two is known to half of the time between them (Cristian 1989, section 3,
    doi:10.1007/BF01784024). ValueError: the answer is no time, or came before the question.
    """
    if not math.isfinite(host_epoch_s):
        raise ValueError(f"got {host_epoch_s}")
    bound_s = (answered_at_s - asked_at_s) / 2
    if bound_s < 0:
        raise ValueError(f"the control host's clock was set back by {-2 * bound_s:g} s")
    middle_s = asked_at_s + bound_s
    return ClockReading(offset_s=host_epoch_s - middle_s, bound_s=bound_s, epoch_s=middle_s)


def most_precise_reading(exchanges: Sequence[Exchange]) -> ClockReading:
    """Return the reading with the least bound; ValueError if no answer is a time."""
    readings = []
    for one in exchanges:
        if one.answered_at_s >= one.asked_at_s:
            readings.append(clock_reading(float(one.answer), one.asked_at_s, one.answered_at_s))
    if not readings:
        raise ValueError("the control host's clock was set back")
    return min(readings, key=lambda reading: reading.bound_s)


def read_clock(connection: Connection) -> ClockReading:
    """Ask a host for its time, several times through one channel."""
    exchanges = connection.exchange(_COMMAND, SAMPLES)
    try:
        return most_precise_reading(exchanges)
    except ValueError as exc:
        remedy = "`date +%s.%N` must work there."
        reason = f"it does not tell its time: {exc}"
        raise HostUnreachable(connection.host.name, reason, remedy) from exc


def read_clocks(
    fleet: Fleet, hosts: Iterable[Host], keep: Callable[[str, ClockReading], None]
) -> None:
    """Read the clocks of all hosts at the same time; `keep` gets each name and reading at once."""
    fleet.for_each(hosts, lambda c: keep(c.host.name, read_clock(c)))
