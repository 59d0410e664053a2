"""Does a run count? Checks on the files that it left, before it is accepted or later."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis.results import ParseError, read_memtier_json
from analysis.results.memtier import MemtierRun
from analysis.results.packets import read_middlewares
from records.manifest import Manifest
from records.verdict import ACCEPTED, ADVISORY, REJECTED, REQUIRED, Check, Verdict, Window
from remote.experiment.checks.check import outcome
from remote.experiment.checks.clocks import clock_checks
from remote.experiment.checks.counts import count_checks
from remote.experiment.checks.duration import LONG_ENOUGH, duration_checks
from remote.experiment.checks.hosts import host_checks
from remote.experiment.checks.latency import LATENCY, latency_checks
from remote.experiment.checks.packets import packet_checks
from remote.experiment.checks.queues import message_checks
from remote.experiment.checks.results import client_results
from remote.services.middleware import JOB
from remote.services.monitors import ended_well

DURATION_TOLERANCE_S = 2.0  # memtier 2.3.1 is sometimes a whole second off in what it reports
EMPTY_CHANCE = 1e-6  # of a run, that more of its seconds are empty by chance than are let pass


def evaluate(folder: Path, manifest: Manifest) -> Verdict:
    """Check the run in `folder`; results are those of `remote.experiment.checks.results`."""
    found: dict[str, Any] = {}
    checks: list[Check] = []
    try:
        checks.append(_exit_statuses(manifest))
        if not manifest.num_clients and manifest.clocks:
            checks += clock_checks(folder, manifest)
        if manifest.num_clients:
            generators = _generators(folder, manifest)
            found["window"] = window = _window(generators, manifest)
            found["results"] = results = client_results(
                generators,
                warm_up_s=window.warm_up_s,
                stable_s=window.stable_s,
                time_dilation=manifest.topology.time_dilation,
            )
            checks += _load_checks(folder, manifest, generators, window)
            checks += _advice(LATENCY, latency_checks(manifest, results))
            checks += _advice(LONG_ENOUGH, duration_checks(manifest, results))
    except (ParseError, KeyError, OSError, ValueError) as exc:
        detail = f"{type(exc).__name__}: {exc}"
        checks = [*checks, outcome(name="files_readable", passed=False, detail=detail)]
    accepted = all(c.passed for c in checks if c.severity == REQUIRED)
    return Verdict(status=ACCEPTED if accepted else REJECTED, checks=checks, **found)


def _advice(name: str, checks: Iterator[Check]) -> Iterator[Check]:
    """Give advisory checks; one that cannot be made says so and rejects no run."""
    try:
        yield from checks
    except (KeyError, ValueError) as exc:
        detail = f"could not be made: {type(exc).__name__}: {exc}"
        yield outcome(name=name, passed=False, detail=detail, severity=ADVISORY)


def _exit_statuses(manifest: Manifest) -> Check:
    tested = manifest.middleware.exit_statuses
    bad = [
        f"{job.host}: {job.name} ended with {job.exit_status}"
        for job in manifest.jobs
        if not ended_well(job.name, job.exit_status, tested if job.name == JOB else (0,))
    ]
    return outcome(
        name="exit_statuses", passed=not bad, detail="; ".join(bad) or "as they should be"
    )


def _generators(folder: Path, manifest: Manifest) -> list[MemtierRun]:
    return [
        read_memtier_json(folder / host / f"memtier-{i}.json.gz").run
        for host in manifest.roles.clients
        for i in range(manifest.instances_per_client)
    ]


def _window(generators: list[MemtierRun], manifest: Manifest) -> Window:
    """Return the whole epoch seconds in which every instance was warm and none had ended.

    Rounding to whole seconds takes up to one from the warm-up, so that all of the cool-down is left
    for instances that started early.
    """
    durations = manifest.durations
    starts = [run.started_epoch_ms / 1000 for run in generators if run.started_epoch_ms]
    starts = starts or [job.started_at_s for job in manifest.jobs]  # memtier before 1.4
    start = math.floor(max(starts)) + durations.warm_up_s
    return Window(
        start_epoch_s=start,
        end_epoch_s=start + durations.stable_s,
        **durations.model_dump(),
    )


def _load_checks(
    folder: Path,
    manifest: Manifest,
    generators: list[MemtierRun],
    window: Window,
) -> Iterator[Check]:
    yield _durations(manifest, generators)
    yield _window_covered(manifest, generators)
    yield _window_inside(generators, window)
    yield _no_errors(folder, manifest, generators)
    if manifest.all_settings.uses_queues:  # where it is no mistake to find nothing
        yield from message_checks(folder, manifest, generators)
    else:
        yield _misses(generators)
        yield from count_checks(folder, manifest, generators)
    yield from packet_checks(folder, manifest)
    if manifest.all_settings.is_open:
        yield _arrivals_sent(generators)
    yield from host_checks(folder, manifest, generators, window)


def _durations(manifest: Manifest, generators: list[MemtierRun]) -> Check:
    wanted = manifest.durations.total_s
    lengths = [
        (run.finished_epoch_ms - run.started_epoch_ms) / 1000
        for run in generators
        if run.started_epoch_ms is not None and run.finished_epoch_ms is not None
    ]
    off = [s for s in lengths if abs(s - wanted) > DURATION_TOLERANCE_S]
    interrupted = sum(run.interrupted for run in generators)
    return outcome(
        name="durations",
        passed=not off and not interrupted,
        detail=f"{wanted} s wanted, {[round(s, 2) for s in lengths]} s, {interrupted} interrupted",
    )


def _window_inside(generators: list[MemtierRun], window: Window) -> Check:
    ends = [run.finished_epoch_ms / 1000 for run in generators if run.finished_epoch_ms]
    end = min(ends, default=math.inf)
    return outcome(
        name="window_inside",
        passed=window.end_epoch_s <= end,
        detail=f"the window ends at {window.end_epoch_s}, the first generator at {end:.2f}",
    )


def _window_covered(manifest: Manifest, generators: list[MemtierRun]) -> Check:
    durations = manifest.durations
    first = durations.warm_up_s
    wanted = set(range(first, first + durations.stable_s))
    missing = [
        sorted(wanted - set(run.seconds["second"]) - _paused_seconds(run, manifest))
        for run in generators
    ]
    return outcome(
        name="window_covered",
        passed=sum(map(len, missing)) <= _empty_by_chance(manifest, len(generators)),
        detail=f"seconds without a request, by instance: {missing}" if any(missing) else "all",
    )


def _empty_by_chance(manifest: Manifest, num_generators: int) -> int:
    """Return how many seconds Poisson arrivals may leave empty, of all generators together."""
    from scipy.stats import binom  # here: half a second, for every process

    rate_per_s = manifest.all_settings.arrival_rate_per_s
    if not rate_per_s:
        return 0
    dilated_by = manifest.topology.time_dilation
    empty = math.exp(-rate_per_s / dilated_by / num_generators)
    seconds = manifest.durations.stable_s * num_generators
    return int(binom.isf(EMPTY_CHANCE, seconds, empty))


def _paused_seconds(run: MemtierRun, manifest: Manifest) -> set[int]:
    """Return the seconds of a generator in which a server stood still on purpose."""
    start_s = (run.started_epoch_ms or 1000 * manifest.start_at_epoch_s) / 1000
    return {
        second
        for pause in manifest.pauses
        for second in range(
            math.floor(pause.began_epoch_s - start_s),
            math.ceil(pause.ended_epoch_s - start_s) + 1,
        )
    }


def _misses(generators: list[MemtierRun]) -> Check:
    rate = sum(float(run.totals["misses_per_s"].fillna(0).sum()) for run in generators)
    return outcome(name="no_misses", passed=rate == 0, detail=f"{rate:g} misses/s")


def _no_errors(folder: Path, manifest: Manifest, generators: list[MemtierRun]) -> Check:
    connections = sum(run.totals["connection_errors"].fillna(0).sum() for run in generators)
    refused = sum(run.error_replies for run in generators)
    middlewares = sum(
        int(result.windows["errors"].sum())
        for result in read_middlewares(folder, manifest).values()
    )
    return outcome(
        name="no_errors",
        passed=connections == refused == middlewares == 0,
        detail=f"{connections:.0f} connection errors, {refused} error replies at the generators, "
        f"{middlewares} errors at the middlewares",
    )


def _arrivals_sent(generators: list[MemtierRun]) -> Check:
    """Tell whether all arrivals of an open loop found a connection: otherwise it was overloaded."""
    unsent = sum(run.extras.get("Unsent arrivals", 0) for run in generators)
    return outcome(
        name="arrivals_sent",
        passed=unsent == 0,
        detail=f"{unsent} arrivals were still waiting for a connection at the end",
        severity=ADVISORY,
    )
