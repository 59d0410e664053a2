"""How far each host's clock was off during a run, so that stamps of several can be compared."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from records.fleets import ONE_MACHINE
from records.manifest import Manifest
from records.manifest_entries import ClockReading

READING_S = 20e-6
"""A program reads its host's time of day beside its own clock once: it is known to that."""
NS_PER_S = 1_000_000_000
_WHENS = ("start", "end")


@dataclass(frozen=True, kw_only=True)
class HostClock:
    """One host's clock beside the control host's, at the times when it was read.

    Parameters
    ----------
    epoch_s : when it was read, ascending.
    offset_s : the host's clock minus the control host's, at each of them.
    bound_s : the true offsets differ from these by this at most.
    """

    epoch_s: tuple[float, ...]
    offset_s: tuple[float, ...]
    bound_s: float

    def offset_at_s(self, host_epoch_s: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the offset at times of this clock: on a straight line between readings."""
        stamps_s = np.asarray(host_epoch_s, dtype=float)
        nearly_s = np.interp(stamps_s, self.epoch_s, self.offset_s)  # readings are at the control's
        offset_s: npt.NDArray[np.float64]
        offset_s = np.interp(stamps_s - nearly_s, self.epoch_s, self.offset_s)
        return offset_s


def host_clocks(manifest: Manifest) -> dict[str, HostClock]:
    """Return the clock of every host of a run.

    The hosts of one machine have one clock, whatever was read of it over their connections.

    Parameters
    ----------
    manifest
        Of a run folder; its ``clocks`` were read at the start and at the end of the run.

    Raises
    ------
    ValueError
        The hosts are several machines, and their clocks were not read.
    """
    hosts = manifest.roles.hosts
    if manifest.fleet in ONE_MACHINE:
        return dict.fromkeys(hosts, HostClock(epoch_s=(0.0,), offset_s=(0.0,), bound_s=READING_S))
    if not manifest.clocks:
        raise ValueError("the clocks of the run's hosts were not read: stamps cannot be compared")
    return {host: _clock(manifest.clocks[host]) for host in hosts}


def seconds_since(
    stamps_ns: pd.Series, manifest: Manifest, clock: HostClock, *, read_ns: pd.Series
) -> pd.Series:
    """Bring stamps of a host to seconds since the stable window began, by the control's clock.

    Parameters
    ----------
    read_ns
        When the clock's offset is taken: the same for all stamps of a row.
    """
    origin_ns = round(manifest.stable.start_epoch_s * NS_PER_S)
    by_host_s: pd.Series = (stamps_ns - origin_ns) / NS_PER_S
    return by_host_s - clock.offset_at_s(read_ns / NS_PER_S)


def _clock(known: Mapping[str, ClockReading]) -> HostClock:
    there = (known[when] for when in _WHENS if when in known)
    readings = sorted(there, key=lambda reading: reading.epoch_s)
    return HostClock(
        epoch_s=tuple(reading.epoch_s for reading in readings),
        offset_s=tuple(reading.offset_s for reading in readings),
        bound_s=max(reading.bound_s for reading in readings) + READING_S,
    )
