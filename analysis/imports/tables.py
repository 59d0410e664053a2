"""One imported run as the rows of every tidy table (`analysis.tables.frames`).

The run is given the form of one of our own (`analysis.tables.run.Run`), so that the same functions
reduce it. Its seconds are counted from the first row of each file, because the files state no
common clock.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.imports.client_files import ALL, SECOND_COLUMNS, ClientFile
from analysis.imports.reading import RunContents
from analysis.results.histograms import EMPTY, histogram_percentiles, merge_histograms
from analysis.results.memtier import MemtierRun
from analysis.results.middleware import MiddlewareResult
from analysis.results.middleware_logs import MiddlewareLog
from analysis.tables import details, measures, network
from analysis.tables.run import Run
from analysis.tables.tidying import about_run, run_key, run_windows, with_key
from records.import_plan import CONNECTIONS, JSON, STDOUT
from records.manifest import Manifest

_SECONDS = (CONNECTIONS, JSON, STDOUT)  # the best source of each first
_TOTALS = (STDOUT, JSON, CONNECTIONS)
_HISTOGRAMS = (JSON, CONNECTIONS, STDOUT)
_OF_TOTALS = (
    *("requests", "reported_throughput_ops_per_s", "response_time_ms", "response_time_min_ms"),
    *("response_time_max_ms", "hits_per_s", "misses_per_s", "bytes_per_s", "connection_errors"),
)
_NO_INTERVALS = pd.DataFrame(columns=["epoch_s", "time", "server", "request_type", "encoded"])
_NO_UTILIZATION = pd.DataFrame({"epoch_s": [0.0], "kind": [""], "utilization": [np.nan]})
_COUNTS = ("hits", "misses", "keys", "errors")


def as_run(contents: RunContents, manifest: Manifest) -> Run:
    """Return a run of an import in the form of one of our own."""
    return Run(
        folder=Path(manifest.section),
        manifest=manifest,
        generators=_generators(contents),
        middlewares={
            host: _middleware(log, manifest) for host, log in contents.middlewares.items()
        },
        observed={},
        loads=contents.loads,
        cpu_times={},
        interfaces={},
        pings=contents.pings,
        bandwidths=contents.bandwidths,
    )


def tables_of(contents: RunContents, run: Run, factors: Collection[str]) -> dict[str, pd.DataFrame]:
    """Return the rows of all tables; `factors` are those of all runs of the section."""
    frames = {"pings": network.ping_measures(run), "bandwidths": network.bandwidth_measures(run)}
    if run.generators:
        hosts = network.host_measures(run)
        timed = run if _has_seconds(run) else replace(run, generators={})
        seen = {**_client_row(run), **_middleware_row(contents, run), **_cpu(hosts)}
        frames |= {
            "hosts": hosts,
            "runs": pd.DataFrame([{**about_run(run), **seen}]),
            "request_types": _request_types(run),
            "histograms": _histograms(contents, run),
        }
        if timed.generators or timed.middlewares:
            frames["windows"] = run_windows(timed)
    key = run_key(run, factors)
    if "hosts" in frames and not frames["hosts"].empty:
        hosts = frames["hosts"]
        hosts["send_link_utilization"] = hosts["send_mbit_per_s"] / hosts["rate_mbit_per_s"]
    return {name: with_key(frame, key) for name, frame in frames.items() if not frame.empty}


def length_s(contents: RunContents) -> int | None:
    """Return the seconds that all files with seconds have; None if no file has any."""
    lengths = [
        int(frame["second"].max()) + 1
        for frame in (
            *(one.seconds for one in contents.of_reader(*_with_seconds(contents))),
            *(log.seconds for log in contents.middlewares.values()),
        )
        if not frame.empty
    ]
    return min(lengths, default=None)


def _with_seconds(contents: RunContents) -> tuple[str, ...]:
    """Return the readers of which every file of the run has seconds, best first."""
    return tuple(
        reader
        for reader in _SECONDS
        if all(not one.seconds.empty for one in contents.of_reader(reader))
    )


def _generators(contents: RunContents) -> dict[tuple[str, int], MemtierRun]:
    """Return each instance with the best that any of its files has."""
    seconds = _by_instance(contents.of_reader(*_with_seconds(contents)))
    totals = _by_instance(contents.of_reader(*_TOTALS))
    with_histograms = [r for r in _HISTOGRAMS if any(o.histograms for o in contents.of_reader(r))]
    histograms = _by_instance(contents.of_reader(*with_histograms))
    none = pd.DataFrame(columns=SECOND_COLUMNS).astype({"second": "int64", "requests": "float64"})
    return {
        ("client", number): MemtierRun(
            title="ALL STATS",
            started_epoch_ms=None,
            finished_epoch_ms=None,
            interrupted=False,
            totals=_printed_totals(totals[name]),
            seconds=seconds[name].seconds if name in seconds else none,
            histograms=histograms[name].histograms if name in histograms else {},
            percentiles=pd.DataFrame(),
            slices=pd.DataFrame(),
            histograms_by_second=None,
            extras={},
        )
        for number, name in enumerate(totals)
    }


def _by_instance(files: list[ClientFile]) -> dict[str, ClientFile]:
    return {one.instance: one for one in files}


def _printed_totals(file: ClientFile) -> pd.DataFrame:
    rows = file.totals.rename(columns={"throughput_ops_per_s": "reported_throughput_ops_per_s"})
    rows = rows.reindex(columns=list(_OF_TOTALS)).astype("float64")
    rows.loc["total"] = rows.sum(min_count=1)
    sent = rows.drop(index="total")
    together = ["reported_throughput_ops_per_s", "response_time_ms"]
    rows.loc["total", together] = _added(sent)
    return rows


def _middleware(log: MiddlewareLog, manifest: Manifest) -> MiddlewareResult:
    kind = _only_kind(manifest)
    seconds = log.seconds.assign(request_type=log.seconds["request_type"].map(kind))
    counted = seconds.reindex(columns=["requests"]).notna()["requests"]
    windows = seconds[counted].reset_index(drop=True)
    windows = _with_keys(windows, seconds[~counted])
    windows = windows.reindex(columns=[*windows, *(n for n in _COUNTS if n not in windows)])
    times = {f"{n}_ms": f"{n}_mean_ms" for n in measures.MIDDLEWARE_TIMES if f"{n}_ms" in windows}
    state = {"queue_length": "queue_length_mean", "waiting_workers": "waiting_workers_mean"}
    queue = log.queue.reindex(columns=["second", *state]).rename(columns=state)
    return MiddlewareResult(
        directory=Path(),
        summary={},
        windows=windows.rename(columns={**times, "second": "epoch_s"}),
        queue=queue.rename(columns={"second": "epoch_s"}).assign(cpu_s=np.nan),
        utilization=_NO_UTILIZATION,
        servers=pd.DataFrame(columns=["epoch_s", "server", "requests"]),
        bins=pd.DataFrame(),
        intervals=_NO_INTERVALS,
    )


def _with_keys(windows: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Give keys and misses of a second that state no type of request to the only reads in it."""
    if others.empty or "keys" not in others or "miss_rate" not in others:
        return windows
    reads = windows["request_type"] != "set"
    kinds = windows.loc[reads, "request_type"].unique()
    if len(kinds) != 1:
        return windows
    by_second = others.set_index("second")
    keys = windows["second"].map(by_second["keys"]).where(reads)
    misses = windows["second"].map(by_second["keys"] * by_second["miss_rate"]).where(reads)
    return windows.assign(keys=keys, misses=misses, hits=keys - misses)


def _only_kind(manifest: Manifest) -> Any:
    """Return the rule that names types of request as the tidy tables do."""
    levels = {**manifest.settings, **manifest.config}
    workload, keys = levels.get("workload"), levels.get("multi_get_keys")

    def named(kind: str) -> str:
        if kind == "multi-get":
            return f"multi-get-{keys}" if keys else kind
        return str(workload) if kind == ALL and workload in ("set", "get") else kind

    return named


def _has_seconds(run: Run) -> bool:
    return all(not generator.seconds.empty for generator in run.generators.values())


def _client_row(run: Run) -> dict[str, float]:
    """Return what clients saw; over the whole run where they recorded no seconds."""
    totals = pd.DataFrame([one.totals.loc["total"] for one in run.generators.values()])
    if _has_seconds(run):
        row: dict[str, Any] = measures.client_measures(run)
    else:
        throughput, time_ms = _added(totals)
        row = {
            "client_throughput_ops_per_s": throughput,
            "client_response_time_ms": time_ms,
            **_percentiles("client", measures.client_histogram(run)),
            "client_percentiles_stable": False,
        }
    keys_per_s = totals["hits_per_s"].sum() + totals["misses_per_s"].sum()
    row["client_miss_rate"] = totals["misses_per_s"].sum() / keys_per_s if keys_per_s else np.nan
    row["client_connection_errors"] = np.nan
    return row


def _added(totals: pd.DataFrame) -> tuple[float, float]:
    """Return throughput and mean response time of instances; missing if one did not count."""
    throughput = totals["reported_throughput_ops_per_s"]
    if throughput.isna().any():
        return np.nan, np.nan
    return float(throughput.sum()), measures.average(totals["response_time_ms"], throughput)


def _middleware_row(contents: RunContents, run: Run) -> dict[str, float]:
    if not run.middlewares:
        return {}
    whole = merge_histograms(
        [one for log in contents.middlewares.values() for one in log.histograms.values()]
    )
    windows = pd.concat([one.windows for one in run.middlewares.values()])
    lacking = {"middleware_errors": np.nan} if windows["errors"].isna().all() else {}
    return {
        **{f"middleware_{time}_ms": np.nan for time in measures.MIDDLEWARE_TIMES},
        **measures.middleware_measures(run),
        **_percentiles("middleware", whole),
        **lacking,
    }


def _percentiles(side: str, histogram: pd.DataFrame) -> dict[str, float]:
    """Return percentiles of a whole run; their errors are not known."""
    values = histogram_percentiles(histogram, measures.KNOWN_PERCENTILES)
    row: dict[str, float] = {}
    for percentile, value in zip(measures.KNOWN_PERCENTILES, values, strict=True):
        name = f"{side}_response_time_p{percentile:g}"
        row |= {f"{name}_ms": float(value), f"{name}_error_ms": np.nan}
    return row


def _cpu(hosts: pd.DataFrame) -> dict[str, float]:
    groups = () if hosts.empty else hosts.groupby("role")
    return {f"{str(r).removesuffix('s')}_cpu_percent": h["cpu_percent"].mean() for r, h in groups}


def _request_types(run: Run) -> pd.DataFrame:
    """Break a run down by type of request, by totals where seconds do not tell types apart."""
    seconds = pd.concat([one.seconds for one in run.generators.values()])
    if _has_seconds(run) and not (seconds["request_type"] == ALL).any():
        return details.request_type_measures(run)
    first = next(iter(run.generators.values()))
    untimed = replace(run, generators={("client", 0): replace(first, seconds=seconds[:0])})
    totals = pd.concat([one.totals.drop(index="total") for one in run.generators.values()])
    rows = []
    for kind, own in totals.groupby(level=0):
        about = {"side": "client", "request_type": kind}
        throughput, time_ms = _added(own)
        rows.append({**about, "throughput_ops_per_s": throughput, "response_time_ms": time_ms})
    return pd.concat(
        [pd.DataFrame(rows), details.request_type_measures(untimed)], ignore_index=True
    )


def _histograms(contents: RunContents, run: Run) -> pd.DataFrame:
    named = _only_kind(run.manifest)
    parts: dict[tuple[str, str], list[pd.DataFrame]] = {
        ("client", kind): [one] for kind, one in measures.client_histograms(run).items()
    }
    for log in contents.middlewares.values():
        for kind, one in log.histograms.items():
            parts.setdefault(("middleware", named(kind)), []).append(one)
    merged = {key: merge_histograms(one) for key, one in parts.items()}
    rows = [
        frame[list(EMPTY)].assign(side=side, request_type=kind, time="response_time", stable=False)
        for (side, kind), frame in merged.items()
        if not frame.empty
    ]
    columns = ["side", "request_type", "time", *EMPTY, "stable"]
    return pd.concat(rows, ignore_index=True)[columns] if rows else pd.DataFrame(columns=columns)


__all__ = ["as_run", "length_s", "tables_of"]
