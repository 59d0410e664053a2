"""What an open loop's timers cost: its response times and its CPU beside those of closed loops.

At a tenth of the capacity hardly any request waits for another one: an open loop must then see the
median that a closed loop with one client sees at the same rate, and take little more CPU for it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from generator import run

VALUE_BYTES = 4096
LOW_RATE_PER_S = 500
MOST_DIFFERENCE_MS = 0.020
MOST_CPU_RATIO = 1.5


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One round: medians at a tenth of the capacity, CPU at a low rate."""

    closed_p50_ms: float
    limited_p50_ms: float
    open_p50_ms: float
    intended_p50_ms: float
    limited_cpu_s: float
    open_cpu_s: float


def compare(port: int, rate_per_s: int, seconds: int) -> Comparison:
    """Run closed loops of one client and open loops, in turns."""
    closed = _get(port, seconds, "-c1")
    limited = _get(port, seconds, "-c1", f"--rate-limiting={rate_per_s}")
    open_loop = _get(port, seconds, "-c8", "--arrivals=poisson", f"--rate={rate_per_s}")
    limited_low = _get(port, seconds, "-c1", f"--rate-limiting={LOW_RATE_PER_S}")
    open_low = _get(port, seconds, "-c8", "--arrivals=poisson", f"--rate={LOW_RATE_PER_S}")
    return Comparison(
        closed_p50_ms=_p50_ms(closed),
        limited_p50_ms=_p50_ms(limited),
        open_p50_ms=_p50_ms(open_loop),
        intended_p50_ms=_extras(open_loop)["Latency from intended send time"]["Totals"]["p50.0"],
        limited_cpu_s=_extras(limited_low)["CPU seconds"],
        open_cpu_s=_extras(open_low)["CPU seconds"],
    )


def report(rounds: Sequence[Comparison]) -> None:
    """Print the rounds, and the medians against their targets."""
    print("\nmedian response time in ms at a tenth of the capacity, one get of 4096 B at a time")
    print(f"{'round':>5} {'closed':>8} {'limited':>8} {'open':>8} {'intended':>9} ", end="")
    print(f"{'CPU s, limited':>15} {'open, 500/s':>12}")
    for index, it in enumerate(rounds, start=1):
        print(
            f"{index:>5} {it.closed_p50_ms:>8.3f} {it.limited_p50_ms:>8.3f} {it.open_p50_ms:>8.3f} "
            f"{it.intended_p50_ms:>9.3f} {it.limited_cpu_s:>15.2f} {it.open_cpu_s:>12.2f}"
        )
    for name, differences in {
        "closed": [it.open_p50_ms - it.closed_p50_ms for it in rounds],
        "limited": [it.open_p50_ms - it.limited_p50_ms for it in rounds],
    }.items():
        print(
            f"open minus {name}: median {statistics.median(differences):.3f} ms; "
            f"target at most {MOST_DIFFERENCE_MS:.3f}"
        )
    ratio = statistics.median(it.open_cpu_s / it.limited_cpu_s for it in rounds)
    print(f"CPU of open over limited: median {ratio:.2f}; target at most {MOST_CPU_RATIO}")


def _get(port: int, seconds: int, *options: str) -> dict[str, Any]:
    return run(port, VALUE_BYTES, "-t1", "--ratio=0:1", f"--test-time={seconds}", *options)


def _p50_ms(result: dict[str, Any]) -> float:
    value: float = result["ALL STATS"]["Totals"]["Percentile Latencies"]["p50.00"]
    return value


def _extras(result: dict[str, Any]) -> dict[str, Any]:
    extras: dict[str, Any] = result["middleware-lab"]["Runs"][0]
    return extras
