"""Read the results of one middleware that were computed from captured packets.

The packets were captured on the middleware's host: they show what entered and left the middleware.
The first columns of ``windows.csv``::

    epoch_s,request_type,requests,keys,errors,hits,misses,bytes_in,bytes_out,response_time_mean_ms,
    1795231822,get,2625,2625,0,1710,915,44342,7065001,0.740036,

and of ``histograms.csv``, whose buckets end at whole microseconds::

    epoch_s,time,server,request_type,upper_edge_us,count
    1795231822,response_time,,get,271,14
    1795231822,server_time,198.18.0.31:11211,get,133,29
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.results.files import find_file
from analysis.results.histograms import EMPTY
from analysis.results.middleware import (
    Count,
    MiddlewareResult,
    check_counts,
    read_middleware,
    read_summary,
    read_table,
)
from analysis.units import ms_to_s, us_to_ms
from records.manifest import Manifest
from records.settings import UNOBSERVED

PACKETS = "packets"  # folder of a host with what packets tell
_UNKNOWN_TIMES = (
    "preprocessing_time",
    "queueing_time",
    "processing_time",
    "client_rtt_and_think_time",
)
_UNKNOWN_OF_QUEUE = ("queue_length_mean", "waiting_workers_mean", "cpu_s")


@dataclass(frozen=True, kw_only=True, eq=False)
class PacketsResult(MiddlewareResult):
    """Results of one middleware in one run, computed from the packets that it received and sent.

    The frames have the columns of `MiddlewareResult`; values that packets do not show are NaN.

    Attributes
    ----------
    windows
        `service_time` is the time from the first request that the middleware sends to a server
        until the last reply of a server. `queueing_and_processing_time` is the rest of
        `response_time`, which begins with the first byte of the client's request. `<time>_count` is
        the number of requests for which a time is known.
    queue
        `jobs_mean` is the mean number of requests in the middleware, `jobs_found_mean` the mean
        number of requests that an arriving request finds there.
    utilization, bins
        Empty.
    intervals
        Histograms, one row for each bucket: `epoch_s`, `time`, `server`, `request_type`,
        `upper_edge_ms`, `count`.
    """

    def histograms_by_second(
        self, time: str, *, start_epoch_s: float, end_epoch_s: float
    ) -> pd.DataFrame:
        """Return the histograms of some seconds as `MiddlewareResult.histograms_by_second`."""
        rows = self.intervals
        inside = rows["epoch_s"].between(start_epoch_s, end_epoch_s, inclusive="left")
        chosen = rows[(rows["time"] == time) & inside]
        second = (chosen["epoch_s"] - start_epoch_s).astype("int64")
        columns = [*EMPTY, "request_type", "second"]
        return chosen.assign(second=second)[columns].reset_index(drop=True)

    def as_black_box(self) -> PacketsResult:
        """Return the result with queueing estimated, for a middleware that records no statistics.

        Packets do not show where queueing ends and processing begins. All time that a request does
        not spend at the servers therefore counts as `queueing_time`, and `queue_length_mean` is the
        number of requests that are at no server, by Little's law.
        """
        rest = "queueing_and_processing_time"
        names = {
            f"queueing_time_{name}": f"{rest}_{name}" for name in ("mean_ms", "min_ms", "max_ms")
        }
        windows = self.windows.assign(**{to: self.windows[name] for to, name in names.items()})
        waited_s = ms_to_s(windows["requests"] * windows["queueing_time_mean_ms"])
        waiting = waited_s.groupby(windows["epoch_s"]).sum(min_count=1)
        same = self.intervals[self.intervals["time"] == rest].assign(time="queueing_time")
        return replace(
            self,
            windows=windows,
            queue=self.queue.assign(queue_length_mean=self.queue["epoch_s"].map(waiting)),
            intervals=pd.concat([self.intervals, same], ignore_index=True),
        )


def read_packets(directory: Path | str) -> PacketsResult:
    """Read the folder with the tables of one capture; each file is plain, or gzip with ``.gz``."""
    directory = Path(directory)
    windows = read_table(
        find_file(directory, "windows.csv"),
        ["epoch_s", "request_type", "requests", "errors", "hits", "misses"],
    )
    queue = read_table(find_file(directory, "queue.csv"), ["epoch_s", "arrivals", "jobs_mean"])
    unknown = [f"{time}_{name}_ms" for time in _UNKNOWN_TIMES for name in ("mean", "min", "max")]
    result = PacketsResult(
        directory=directory,
        summary=read_summary(directory),
        windows=windows.assign(**dict.fromkeys(unknown, math.nan)),
        queue=queue.assign(**dict.fromkeys(_UNKNOWN_OF_QUEUE, math.nan)),
        utilization=_nothing("epoch_s", "kind", "index", "utilization"),
        servers=read_table(find_file(directory, "servers.csv"), ["epoch_s", "server", "requests"]),
        bins=_nothing("time", "request_type", "bin_start_ms", "count"),
        intervals=_read_histograms(find_file(directory, "histograms.csv")),
    )
    check_counts(directory, _counts(result, result.summary))
    return result


def _read_histograms(path: Path) -> pd.DataFrame:
    required = ["epoch_s", "time", "server", "request_type", "upper_edge_us", "count"]
    rows = read_table(path, required)
    edges_ms = us_to_ms(rows.pop("upper_edge_us"))
    return rows.assign(upper_edge_ms=edges_ms, count=rows["count"].astype("int64"))


def _nothing(*columns: str) -> pd.DataFrame:
    texts = {"kind", "time", "request_type"}
    types = {name: "str" if name in texts else "float64" for name in columns}
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in types.items()})


def _counts(result: PacketsResult, summary: Mapping[str, Any]) -> Iterator[Count]:
    what, requests = "requests", summary["requests"]
    responses = result.intervals["time"] == "response_time"
    yield "windows.csv", what, result.windows["requests"].sum(), requests
    yield "histograms.csv", what, result.intervals.loc[responses, "count"].sum(), requests
    arrivals = requests + summary["requests_without_reply"]
    yield "queue.csv", what, result.queue["arrivals"].sum(), arrivals
    sent = sum(server["requests"] for server in summary["servers"])
    yield "servers.csv", what, result.servers["requests"].sum(), sent


def read_middlewares(folder: Path, manifest: Manifest) -> dict[str, MiddlewareResult]:
    """Return what each middleware measured, or packets tell of it; empty where nothing tells."""
    if manifest.middleware.tells_statistics:
        hosts = manifest.roles.middlewares
        return {host: read_middleware(folder / host / "middleware") for host in hosts}
    observed = read_observed(folder, manifest)
    return {host: result.as_black_box() for host, result in observed.items()}


def read_observed(folder: Path, manifest: Manifest) -> dict[str, PacketsResult]:
    """Return what packets tell of each middleware; empty where none were captured."""
    if manifest.all_settings.observed == UNOBSERVED:
        return {}
    hosts = manifest.roles.middlewares
    return {host: read_packets(folder / host / PACKETS) for host in hosts}
