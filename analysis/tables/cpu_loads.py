"""How busy the processors of hosts were, and how much of them a host itself used, in one run."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from analysis.results import ParseError
from analysis.tables.run import Run


def used_cpus(run: Run, host: str) -> float:
    """Return the CPUs that a host itself used, on average; NaN where it shares a machine's count.

    Raises
    ------
    ParseError
        The host's CPU time was not read within the stable window.
    """
    known = run.cpu_times.get(host)
    if known is None or (known.of_machine and run.on_one_machine):
        return np.nan
    window = run.manifest["window"]
    reach_s = 1  # readings come once a second; the share is that of the time between two of them
    try:
        used_s, elapsed_s = known.used_s(
            window["start_epoch_s"] - reach_s, window["end_epoch_s"] + reach_s
        )
    except ValueError as exc:
        raise ParseError(run.folder / host / "cpu-time.out.gz", None, str(exc)) from exc
    return used_s / elapsed_s


def own_processors(run: Run) -> set[str]:
    """Return the hosts of a run on whose processors no other host of the machine ran."""
    roles = run.manifest["topology"].get("own_processors", "").split()
    return {host for role in roles for host in run.manifest["roles"].get(role, ())}


def busy_percents(run: Run) -> dict[str, float]:
    """Return how busy the processors were that each host may use, in percent.

    A monitor tells all processors of a machine together. Where some hosts have processors of their
    own, what those hosts used is taken from that: processors that all others share may be full
    while the machine is not.

    Returns
    -------
    Host to percent; NaN where it is not known how much of it was on which processors.
    """
    told = {host: _of_monitor(run, host) for host in run.loads}
    if not run.manifest["topology"].get("own_processors"):
        return told
    apart = own_processors(run)
    num_apart, num_others = (_num_cpus(run, hosts) for hosts in (apart, run.loads.keys() - apart))
    used = 100 * sum(used_cpus(run, host) for host in apart)
    together = num_apart + num_others
    return {
        host: used / num_apart
        if host in apart
        else float(np.clip((percent * together - used) / num_others, 0, 100))
        for host, percent in told.items()
    }


def _num_cpus(run: Run, hosts: Collection[str]) -> float:
    """Return how many processors hosts share; NaN of no host that tells."""
    cores = {run.cpu_times[host].cores for host in hosts if host in run.cpu_times}
    return float(cores.pop()) if len(cores) == 1 else np.nan


def _of_monitor(run: Run, host: str) -> float:
    load = run.in_window(run.loads[host], offset_s=0.5)  # a row covers the second before
    return float((100 - load["cpu_idle_percent"] - load["cpu_wait_percent"]).mean())
