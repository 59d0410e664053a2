"""What one run measured, reduced to rows: everything over the stable window.

Clients count in seconds since their own start, of which the window is ``warm_up_s`` to
``warm_up_s + stable_s``; all else is stamped with epoch seconds, of which it is ``start_epoch_s``
to before ``end_epoch_s``. memtier, and the lab's own generator before it told histograms by second,
keep one histogram for the whole run: then the clients' percentiles include warm-up and cool-down,
which is told. The miss rate always does.

Instances, middlewares and hosts of a role add up: throughputs, queue lengths and waiting workers
are sums over them, times are weighted by requests, utilizations are means.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.results import ParseError
from analysis.results.histograms import (
    EMPTY,
    PERCENTILES,
    histogram_percentiles,
    merge_histograms,
)
from analysis.results.memtier.window import client_histograms_by_second, counts_by_second
from analysis.statistics.within_run import percentile_of_seconds
from analysis.tables.run import Run

MIDDLEWARE_TIMES = (
    "response_time",
    "preprocessing_time",
    "queueing_time",
    "service_time",
    "processing_time",
    "servers_net_time",
    "client_rtt_and_think_time",
    "queueing_and_processing_time",  # the rest, as packets have it
)
KNOWN_PERCENTILES = (*PERCENTILES, 99.9)
HISTOGRAM_TIMES = ("response_time", "queueing_time", "service_time")


def client_seconds(run: Run) -> pd.DataFrame:
    """Seconds of all generator instances together.

    Columns: `second_s` (0 where the stable window begins), `requests`, `response_time_ms`.
    """
    silent = [name for name, generator in run.generators.items() if generator.seconds.empty]
    if silent:
        raise ParseError(run.folder, None, f"{silent} give no seconds: memtier 1.4 or later is due")
    window = run.manifest.stable
    rows = pd.concat([generator.seconds for generator in run.generators.values()])
    length_s = window.warm_up_s + window.stable_s + window.cool_down_s
    seconds = _weighted_by(rows, "second", ["response_time_ms"]).reindex(range(length_s))
    seconds["requests"] = seconds["requests"].fillna(0)
    seconds.insert(0, "second_s", seconds.index - window.warm_up_s)
    return seconds.reset_index(drop=True)


def middleware_seconds(run: Run) -> pd.DataFrame:
    """Seconds of all middlewares together.

    Columns: `second_s` (0 where the stable window begins), `requests`, `response_time_ms`,
    `queueing_time_ms`, `service_time_ms`, `queue_length`, `waiting_workers`, `gc_count`,
    `gc_time_ms` (of the garbage collectors).
    """
    window = run.manifest.stable
    rows = pd.concat([middleware.windows for middleware in run.middlewares.values()])
    rows = rows.rename(columns={f"{time}_mean_ms": f"{time}_ms" for time in HISTOGRAM_TIMES})
    seconds = _weighted_by(rows, "epoch_s", [f"{time}_ms" for time in HISTOGRAM_TIMES])
    queue = pd.concat([middleware.queue for middleware in run.middlewares.values()])
    means = queue.groupby("epoch_s")[["queue_length_mean", "waiting_workers_mean"]].sum(min_count=1)
    means.columns = pd.Index(["queue_length", "waiting_workers"])
    collected = queue.reindex(columns=["epoch_s", "gc_count", "gc_time_ms"])
    means = means.join(collected.groupby("epoch_s").sum(min_count=1))
    seconds = seconds.join(means, how="outer")
    seconds["requests"] = seconds["requests"].fillna(0)
    seconds.insert(0, "second_s", (seconds.index - window.start_epoch_s).astype("int64"))
    return seconds.reset_index(drop=True)


def run_row(run: Run, hosts: pd.DataFrame) -> dict[str, Any]:
    """Return what the clients and the middlewares saw, and the mean CPU load of each role."""
    cpu = {
        f"{str(role).removesuffix('s')}_cpu_percent": host["cpu_percent"].mean()
        for role, host in (() if hosts.empty else hosts.groupby("role"))
    }
    return {
        **client_measures(run),
        **middleware_measures(run),
        **cpu,
    }


def client_measures(run: Run) -> dict[str, float]:
    """Throughput, response time, percentiles, miss rate and errors as the clients saw them."""
    seconds = _stable(client_seconds(run), run)
    totals = pd.DataFrame([g.totals.loc["total"] for g in run.generators.values()])
    keys_per_s = totals["hits_per_s"].sum() + totals["misses_per_s"].sum()
    return {
        "client_throughput_ops_per_s": seconds["requests"].sum() / run.manifest.stable.stable_s,
        "client_response_time_ms": average(seconds["response_time_ms"], seconds["requests"]),
        **_client_percentiles(run),
        "client_percentiles_stable": client_window(run) is not None,
        "client_miss_rate": totals["misses_per_s"].sum() / keys_per_s if keys_per_s else np.nan,
        "client_connection_errors": totals["connection_errors"].sum(),
        **_generator_measures(run),
    }


def _generator_measures(run: Run) -> dict[str, float]:
    """Return what only the lab's own generator tells: error replies, and how busy it was."""
    extras = [generator.extras for generator in run.generators.values()]
    if not all(extras):
        names = ("client_error_replies", "client_loop_utilization", "client_unsent_arrivals")
        return dict.fromkeys(names, np.nan)
    return {
        "client_error_replies": float(sum(g.error_replies for g in run.generators.values())),
        "client_loop_utilization": max(part["Loop utilization"] for part in extras),
        "client_unsent_arrivals": float(sum(part.get("Unsent arrivals", 0) for part in extras)),
    }


def middleware_measures(run: Run) -> dict[str, float]:
    """Throughput, times, queue and workers as the middlewares saw them; empty without any."""
    if not run.middlewares:
        return {}
    stable_s = run.manifest.stable.stable_s
    parts = list(run.middlewares.values())
    windows = pd.concat([run.in_window(part.windows) for part in parts])
    queues = [run.in_window(part.queue) for part in parts]
    used = pd.concat([run.in_window(part.utilization) for part in parts])
    utilization = used.groupby("kind")["utilization"].mean()
    keys = windows["hits"].sum() + windows["misses"].sum()
    seen = all("jobs_mean" in queue for queue in queues)
    arrivals = sum(queue["arrivals"].sum() for queue in queues if "arrivals" in queue)
    return {
        "middleware_arrival_rate_ops_per_s": arrivals / stable_s if arrivals else np.nan,
        "middleware_throughput_ops_per_s": windows["requests"].sum() / stable_s,
        **{
            f"middleware_{time}_ms": _mean_time(windows, time)
            for time in MIDDLEWARE_TIMES
            if f"{time}_mean_ms" in windows
        },
        **_middleware_percentiles(run),
        "middleware_miss_rate": windows["misses"].sum() / keys if keys else np.nan,
        "middleware_errors": windows["errors"].sum(),
        "middleware_queue_length": sum(queue["queue_length_mean"].mean() for queue in queues),
        **({"middleware_jobs": sum(queue["jobs_mean"].mean() for queue in queues)} if seen else {}),
        "middleware_waiting_workers": sum(q["waiting_workers_mean"].mean() for q in queues),
        "middleware_worker_utilization": utilization.get("worker", np.nan),
        "middleware_net_thread_utilization": utilization.get("net-thread", np.nan)
        if all(tells_net_thread_time(part.summary) for part in parts)
        else np.nan,
        "middleware_cpu_cores": sum(queue["cpu_s"].sum(min_count=1) for queue in queues) / stable_s,
    }


def tells_net_thread_time(summary: Mapping[str, Any]) -> bool:
    """Tell whether a middleware counts all the CPU time of its net threads.

    Older ones counted the time outside of the selector, without reading and writing: too little.
    """
    return summary.get("net_thread_time") == "cpu"


def client_histogram(run: Run) -> pd.DataFrame:
    """Response times of all clients, all kinds of request together; as `client_histograms`."""
    return merge_histograms(list(client_histograms(run).values()))


def client_histograms(run: Run) -> dict[str, pd.DataFrame]:
    """Response times of all clients by kind of request, over the stable window if that is told."""
    rows = client_window(run)
    if rows is not None:
        return {
            str(kind): merge_histograms([own[list(EMPTY)]])
            for kind, own in rows.groupby("request_type")
        }
    parts: dict[str, list[pd.DataFrame]] = {}
    for generator in run.generators.values():
        for kind, histogram in generator.histograms.items():
            if kind != "total":
                parts.setdefault(kind, []).append(histogram)
    return {kind: merge_histograms(histograms) for kind, histograms in parts.items()}


def client_window(run: Run) -> pd.DataFrame | None:
    """Response times of all clients by second of the stable window and kind of request.

    Columns: `request_type`, `second` (of the window), `upper_edge_ms`, `count`; None if a generator
    tells only those of the whole run.
    """
    window = run.manifest.stable
    start_s, stable_s = window.warm_up_s, window.stable_s
    rows = client_histograms_by_second(
        list(run.generators.values()), start_s=start_s, end_s=start_s + stable_s
    )
    return None if rows is None else rows.assign(second=rows["second"] - start_s)


def middleware_histograms(run: Run, time: str) -> dict[str, pd.DataFrame]:
    """One of the middlewares' times over the stable window, by kind of request."""
    return {
        str(kind): merge_histograms([own[list(EMPTY)]])
        for kind, own in _middleware_window(run, time).groupby("request_type")
    }


def _middleware_window(run: Run, time: str) -> pd.DataFrame:
    window = run.manifest.stable
    parts = [
        part.histograms_by_second(
            time, start_epoch_s=window.start_epoch_s, end_epoch_s=window.end_epoch_s
        )
        for part in run.middlewares.values()
    ]
    return pd.concat(parts, ignore_index=True)


def _client_percentiles(run: Run) -> dict[str, float]:
    rows = client_window(run)
    if rows is not None:
        return _percentile_columns("client", rows, run.manifest.stable.stable_s)
    values = histogram_percentiles(client_histogram(run), KNOWN_PERCENTILES)
    return {
        name: float(value)
        for percentile, whole in zip(KNOWN_PERCENTILES, values, strict=True)
        for name, value in _named("client", percentile, whole, np.nan).items()
    }


def _middleware_percentiles(run: Run) -> dict[str, float]:
    seconds = _middleware_window(run, "response_time")
    return _percentile_columns("middleware", seconds, run.manifest.stable.stable_s)


def _percentile_columns(side: str, seconds: pd.DataFrame, stable_s: int) -> dict[str, float]:
    """Return percentiles and their errors from histograms by second of the stable window."""
    edges, counts = counts_by_second(seconds, start_s=0, end_s=stable_s)
    columns: dict[str, float] = {}
    for percentile in KNOWN_PERCENTILES:
        found = percentile_of_seconds(edges, counts, percentile)
        columns |= _named(side, percentile, found.value_ms, found.error_ms)
    return columns


def _named(side: str, percentile: float, value_ms: float, error_ms: float) -> dict[str, float]:
    name = f"{side}_response_time_p{percentile:g}"
    return {f"{name}_ms": value_ms, f"{name}_error_ms": error_ms}


def _mean_time(windows: pd.DataFrame, time: str) -> float:
    """Mean of a time over windows, weighted by its samples (requests, unless it has a count)."""
    weights = windows.get(f"{time}_count", windows["requests"])
    return average(windows[f"{time}_mean_ms"], weights)


def average(values: pd.Series, weights: pd.Series) -> float:
    """Return the weighted mean of what is not missing; NaN when nothing is there."""
    known = values.notna() & (weights > 0)
    total = weights[known].sum()
    return float((values[known] * weights[known]).sum() / total) if total else np.nan


def _weighted_by(rows: pd.DataFrame, key: str, times: list[str]) -> pd.DataFrame:
    """Sum `requests` and average `times`, weighted by requests, over the rows of equal `key`."""
    weighted = rows[times].mul(rows["requests"], axis="index")
    sums = weighted.assign(requests=rows["requests"]).groupby(rows[key]).sum(min_count=1)
    means = sums[times].div(sums["requests"], axis="index")
    return pd.concat([sums[["requests"]], means], axis="columns")


def _stable(seconds: pd.DataFrame, run: Run) -> pd.DataFrame:
    stable_s = run.manifest.stable.stable_s
    return seconds[seconds["second_s"].between(0, stable_s, inclusive="left")]
