"""Did a run last long enough for its own response times? An advisory check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from records.manifest import Manifest
from records.verdict import ADVISORY, Check
from remote.experiment.checks.check import outcome

LONG_ENOUGH = "long_enough"
RESPONSE_TIMES = 100
RESPONSE_TIMES_OF_WARM_UP = 10


def duration_checks(manifest: Manifest, results: Mapping[str, float]) -> Iterator[Check]:
    """Compare stable window and warm-up with the response time of the slowest request type.

    A window of fewer than 100 of them, or a warm-up of fewer than 10, shows how requests came in
    rather than what the system does.
    """
    if not response_time_s(results):
        return
    needed_s = response_time_s(results) * manifest.topology.time_dilation
    durations = manifest.durations
    stable, warm_up = durations.stable_s / needed_s, durations.warm_up_s / needed_s
    yield outcome(
        name=LONG_ENOUGH,
        passed=stable >= RESPONSE_TIMES and warm_up >= RESPONSE_TIMES_OF_WARM_UP,
        detail=f"{stable:.0f} response times after {warm_up:.0f} of warm-up "
        f"(at least {RESPONSE_TIMES} after {RESPONSE_TIMES_OF_WARM_UP})",
        severity=ADVISORY,
    )


def is_long_enough(manifest: Manifest) -> bool:
    """Tell whether a run that its checks went over lasted long enough; True if nobody knows."""
    return all(check.passed for check in duration_checks(manifest, manifest.results))


def response_time_s(results: Mapping[str, float]) -> float:
    """Return the mean response time of the slowest request type, undilated; 0 if not known."""
    mean_ms = results.get("client_response_time_ms", 0.0)
    return results.get("client_slowest_response_time_ms", mean_ms) / 1000
