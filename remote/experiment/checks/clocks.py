"""Can seconds of different hosts be put side by side? Checks of their clocks, again and again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

from analysis.results.counters import read_counter_times
from records.manifest import Manifest
from records.manifest_entries import ClockReading
from records.verdict import Check
from remote.experiment.checks.check import outcome
from remote.hosts.clocks import LARGEST_CLOCK_OFFSET_S, clock_reading

LARGEST_DRIFT = 500e-6
"""Seconds per second: the largest rate at which ntpd and the kernel slew a clock (adjtimex(2))."""
_WHENS = ("start", "end")
_COUNTERS = ("interfaces-before", "interfaces-after")
_PPM = 1e-6


def clock_checks(folder: Path, manifest: Manifest) -> Iterator[Check]:
    """Check every clock at the start and the end of the run in `folder`, and what lies between.

    A run of before has the offsets of its start only, and no bounds.
    """
    if not manifest.clocks:
        yield _offsets(
            {
                host: [ClockReading(offset_s=offset_s, bound_s=0.0, epoch_s=0.0)]
                for host, offset_s in manifest.clock_offsets_s.items()
            }
        )
        return
    readings = {host: _readings(folder / host, known) for host, known in manifest.clocks.items()}
    yield _offsets(readings)
    yield _steps(readings)


def _readings(folder: Path, known: Mapping[str, ClockReading]) -> list[ClockReading]:
    """Return the readings of one host in the manifest and in its stored files, in their order."""
    found = [known[when] for when in _WHENS]
    for name in _COUNTERS:
        path = folder / f"{name}.txt.gz"
        times = read_counter_times(path) if path.exists() else None
        if times is not None:
            found.append(clock_reading(*times))
    return sorted(found, key=lambda reading: reading.epoch_s)


def _offsets(readings: Mapping[str, list[ClockReading]]) -> Check:
    """Tell whether a clock was certainly off by too much: beyond what the delays may explain."""
    everything = [(host, one) for host, its in readings.items() for one in its]
    if not everything:
        return outcome(name="clock_offsets", passed=True, detail="not measured")
    host, worst = max(everything, key=lambda item: item[1].certain_offset_s)
    return outcome(
        name="clock_offsets",
        passed=worst.certain_offset_s <= LARGEST_CLOCK_OFFSET_S,
        detail=f"the largest is {worst.offset_s:+.3f} s, known to {worst.bound_s:.3f} s ({host}); "
        f"certainly {worst.certain_offset_s:.3f} s, at most {LARGEST_CLOCK_OFFSET_S:g} s",
    )


def _steps(readings: Mapping[str, list[ClockReading]]) -> Check:
    """Tell whether a clock was set within the run: it changed by more than it can have drifted."""
    beyond_s, told = float("-inf"), "not measured"
    for host, its in readings.items():
        for first, second in itertools.combinations(its, 2):
            elapsed_s = second.epoch_s - first.epoch_s
            change_s = second.offset_s - first.offset_s
            bound_s = first.bound_s + second.bound_s
            over_s = abs(change_s) - bound_s - LARGEST_DRIFT * elapsed_s
            if over_s > beyond_s:
                beyond_s = over_s
                told = (
                    f"the largest change is {change_s:+.4f} s in {elapsed_s:.1f} s, "
                    f"known to {bound_s:.4f} s ({host})"
                )
    return outcome(
        name="clock_steps",
        passed=beyond_s <= 0,
        detail=f"{told}; drift {_drift(readings)}, at most {LARGEST_DRIFT / _PPM:g} ppm",
    )


def _drift(readings: Mapping[str, list[ClockReading]]) -> str:
    """Tell the largest drift from the first to the last reading that is not within its bounds."""
    certain = {}
    for host, its in readings.items():
        first, last = its[0], its[-1]
        elapsed_s = last.epoch_s - first.epoch_s
        change_s = last.offset_s - first.offset_s
        if elapsed_s > 0 and abs(change_s) > first.bound_s + last.bound_s:
            certain[host] = change_s / elapsed_s
    if not certain:
        return "none beyond the bounds"
    host = max(certain, key=lambda name: abs(certain[name]))
    return f"{certain[host] / _PPM:+.0f} ppm ({host})"
