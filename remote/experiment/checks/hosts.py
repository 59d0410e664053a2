"""Was it the system that was measured, and not the machine, a clock or the generator? Checks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from analysis.results import read_dstat
from analysis.results.counters import CpuTime, read_cpu_time
from analysis.results.memtier import MemtierRun
from records.files.unpacking import gunzip
from records.fleets import ONE_MACHINE
from records.manifest import Manifest
from records.text.words import counted
from records.verdict import ADVISORY, Check, Window
from remote.experiment.checks.check import NOT_THE_LIMIT, outcome
from remote.experiment.checks.clocks import clock_checks
from remote.services.monitors import monitor_of

LEAST_IDLE_PERCENT = 5.0
LARGEST_STEAL_PERCENT = 5.0
LARGEST_GENERATOR_UTILIZATION = 0.9
"""What the names of checks end with that tell whether a machine, and which, was the limit."""

_TROUBLE = re.compile(r"error|fail|exception|refused|reset by|denied|out of memory|killed", re.I)
_HARMLESS = re.compile(r"json file|\[RUN #", re.I)
_LINES_TOLD = 3
_JOBS_TOLD = 5


def host_checks(
    folder: Path,
    manifest: Manifest,
    generators: Sequence[MemtierRun],
    window: Window,
) -> Iterator[Check]:
    """Check the hosts of the run in `folder`, and what they said on their error streams."""
    paths = {host: folder / host / "cpu-time.out.gz" for host in manifest.hosts}
    cpu_times = {host: read_cpu_time(path) for host, path in paths.items() if path.exists()}
    yield from _machine_checks(folder, manifest, window, cpu_times)
    yield _generator_cpu(manifest, generators, window, cpu_times)
    yield from clock_checks(folder, manifest)
    yield from stderr_checks(folder, manifest)


def _machine_checks(
    folder: Path,
    manifest: Manifest,
    window: Window,
    cpu_times: Mapping[str, CpuTime],
) -> Iterator[Check]:
    """Tell of each machine whether it was the limit: no CPU left, or taken by other machines.

    Hosts of the local lab are one machine; the one that saw it busiest speaks for all. Where some
    of them have processors of their own, those that all others share are judged, too.
    """
    seen = {host: _load(folder / host / "dool.csv.gz", window) for host in manifest.hosts}
    if manifest.fleet in ONE_MACHINE:
        idle, steal = min(seen.values())
        seen = {"the machine": (idle, steal)}
        shared = _shared_idle_percent(manifest, window, cpu_times, idle)
        if not math.isnan(shared):
            seen["the shared part"] = (shared, steal)
    for machine, (idle, steal) in seen.items():
        is_limit = not idle >= LEAST_IDLE_PERCENT or steal > LARGEST_STEAL_PERCENT
        verdict = "it was not the limit"
        if math.isnan(idle):
            verdict = "its monitor saw nothing of it"
        elif is_limit:
            verdict = "it limits the result, not the system under test"
        yield outcome(
            name=f"{machine.removeprefix('the ').replace(' ', '_')}{NOT_THE_LIMIT}",
            passed=not is_limit,
            detail=f"{machine} was {idle:.1f} % idle (at least {LEAST_IDLE_PERCENT:g}) and "
            f"{steal:.1f} % stolen (at most {LARGEST_STEAL_PERCENT:g}) in the window: {verdict}",
            severity=ADVISORY,
        )


def _load(path: Path, window: Window) -> tuple[float, float]:
    columns = ["cpu_idle_percent", "cpu_steal_percent"]
    frame = read_dstat(path, columns=columns)
    inside = frame["epoch_s"].between(window.start_epoch_s, window.end_epoch_s)
    means = frame.loc[inside, columns].mean()
    return float(means["cpu_idle_percent"]), float(means["cpu_steal_percent"])


def _shared_idle_percent(
    manifest: Manifest,
    window: Window,
    cpu_times: Mapping[str, CpuTime],
    idle_percent: float,
) -> float:
    """Return how idle those processors were that hosts share, of a machine that was so idle.

    What hosts on processors of their own used is taken from what the machine did. NaN where no
    host has some, or nobody counted what it used.
    """
    own_roles = manifest.topology.own_processors.split()
    apart = {host for role in own_roles for host in manifest.roles.by_name.get(role, ())}
    if not apart:
        return math.nan
    others = cpu_times.keys() - apart
    if not others or not apart <= cpu_times.keys():
        return math.nan
    num_apart, num_others = (max(cpu_times[host].cores for host in of) for of in (apart, others))
    used_apart = sum(_used_cpus(cpu_times[host], window) for host in apart)
    idle = idle_percent / 100 * (num_apart + num_others) - (num_apart - used_apart)
    return 100 * min(max(idle / num_others, 0.0), 1.0)


def _used_cpus(cpu_time: CpuTime, window: Window) -> float:
    used_s, elapsed_s = cpu_time.used_s(window.start_epoch_s - 1, window.end_epoch_s + 1)
    return used_s / elapsed_s


def _generator_cpu(
    manifest: Manifest,
    generators: Sequence[MemtierRun],
    window: Window,
    cpu_times: Mapping[str, CpuTime],
) -> Check:
    """Tell whether a generator lacked CPU: then it, and not the system, set the pace.

    Counted are the CPU seconds of each client host over the window, as a share of what its
    generators' threads could use, and where the generator tells it how busy its threads were.
    """
    threads = manifest.instances_per_client * manifest.threads_per_instance
    shares: dict[str, float] = {}
    for host in manifest.roles.clients:
        cpu_time = cpu_times.get(host)
        if cpu_time is None or (cpu_time.of_machine and manifest.fleet in ONE_MACHINE):
            continue  # what all hosts of one machine use says nothing of one of them
        shares[host] = _used_cpus(cpu_time, window) / min(threads, cpu_time.cores)
    loops = [
        run.extras["Loop utilization"] for run in generators if "Loop utilization" in run.extras
    ]
    if loops:
        shares["the busiest instance"] = max(loops)
    text = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    return outcome(
        name="generator_not_cpu_bound",
        passed=all(share <= LARGEST_GENERATOR_UTILIZATION for share in shares.values()),
        detail=f"CPU used by generators: {text or 'not counted'}; "
        f"at most {LARGEST_GENERATOR_UTILIZATION:.0%}",
    )


def stderr_checks(folder: Path, manifest: Manifest) -> Iterator[Check]:
    """Report what programs wrote to standard error; trouble of those under test rejects a run."""
    said = {
        f"{job.host}: {job.name}": _stderr(folder / job.host / f"{job.name}.err.gz")
        for job in manifest.jobs
    }
    tested = {job: lines for job, lines in said.items() if not monitor_of(job.split(": ")[1])}
    troubled = {job: [x for x in lines if _TROUBLE.search(x)] for job, lines in tested.items()}
    yield outcome(
        name="stderr",
        passed=not any(troubled.values()),
        detail=_told(troubled) or _told(tested) or "empty",
    )
    watched = {job: lines for job, lines in said.items() if job not in tested}
    yield outcome(
        name="monitors_stderr",
        passed=not any(watched.values()),
        detail=_told(watched) or "empty",
        severity=ADVISORY,
    )


def _stderr(path: Path) -> list[str]:
    if not path.exists():
        return []
    text = gunzip(path.read_bytes()).decode(errors="replace").replace("\r", "\n")
    return [line for line in text.splitlines() if line.strip() and not _HARMLESS.search(line)]


def _told(lines_by_job: Mapping[str, Sequence[str]]) -> str:
    told = [
        f"{job}: {' / '.join(lines[:_LINES_TOLD])}" for job, lines in lines_by_job.items() if lines
    ]
    more = len(told) - _JOBS_TOLD
    return "; ".join(
        [*told[:_JOBS_TOLD], *([f"and {counted(more, 'job')} more"] if more > 0 else [])]
    )
