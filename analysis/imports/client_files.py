"""The files of load generators in one form: totals, seconds and histograms of an instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.results import ParseError, read_memtier_json
from analysis.results.histograms import EMPTY, merge_histograms
from analysis.results.memtier.connections import SECONDS, MemtierConnection, distribution_counts
from analysis.results.memtier.progress import read_memtier_printout
from records.import_plan import CONNECTIONS, JSON, STDOUT

ALL = "all"
SECOND_COLUMNS = ["request_type", "second", "requests", "response_time_ms"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ClientFile:
    """The measurements of one instance of the load generator.

    Attributes
    ----------
    totals
        By type of request that was sent: `throughput_ops_per_s`, `response_time_ms`, and
        `hits_per_s`, `misses_per_s` (keys); over the whole run. A throughput of 0 beside a response
        time is missing: memtier did not count.
    seconds
        `SECOND_COLUMNS`; empty where the file has no seconds.
    histograms
        Type of request to `upper_edge_ms` and `count`.
    threads, clients_per_thread, duration_s
        As the instance was told; None where the file does not state them.
    """

    instance: str
    reader: str
    totals: pd.DataFrame
    seconds: pd.DataFrame
    histograms: dict[str, pd.DataFrame]
    threads: int | None = None
    clients_per_thread: int | None = None
    duration_s: int | None = None


def of_stdout(instance: str, path: Path) -> ClientFile:
    """Read what an instance printed."""
    printed = read_memtier_printout(path)
    totals = _totals(printed.report.totals)
    kinds = list(totals.index)
    seconds = printed.seconds.assign(request_type=kinds[0] if len(kinds) == 1 else ALL)
    histograms = {}
    for kind, rows in printed.report.distribution.groupby("request_type"):
        if printed.duration_s and kind in totals.index:
            requests = float(totals["throughput_ops_per_s"][str(kind)]) * printed.duration_s
            distribution = rows[["upper_edge_ms", "cumulative_percent"]].to_numpy()
            histograms[str(kind)] = distribution_counts(distribution, requests)
    return ClientFile(
        instance=instance,
        reader=STDOUT,
        totals=totals,
        seconds=seconds[SECOND_COLUMNS],
        histograms={kind: one for kind, one in histograms.items() if not one.empty},
        threads=printed.threads,
        clients_per_thread=printed.clients_per_thread,
        duration_s=printed.duration_s,
    )


def of_json(instance: str, path: Path) -> ClientFile:
    """Read the JSON file of an instance."""
    result = read_memtier_json(path)
    try:
        run = result.run
    except ValueError as exc:
        raise ParseError(path, None, str(exc)) from exc
    about = result.run_information
    return ClientFile(
        instance=instance,
        reader=JSON,
        totals=_totals(run.totals),
        seconds=run.seconds[SECOND_COLUMNS],
        histograms={kind: one for kind, one in run.histograms.items() if kind != "total"},
        threads=about.get("Threads"),
        clients_per_thread=about.get("Connections per thread"),
        duration_s=about.get("Seconds"),
    )


def of_connections(instance: str, parts: Sequence[MemtierConnection]) -> ClientFile:
    """Add the connections of an instance up."""
    kinds = dict.fromkeys(kind for part in parts for kind in part.seconds)
    seconds, histograms, totals = [], {}, {}
    for kind in kinds:
        stacked = np.concatenate([part.seconds[kind] for part in parts])
        if not len(stacked):
            continue
        frame = pd.DataFrame(stacked, columns=list(SECONDS)).astype({"second": "int64"})
        frame["waited_ms"] = frame["response_time_ms"] * frame["requests"]
        sums = frame.groupby("second")[["requests", "waited_ms", "hits", "misses"]].sum()
        sums["response_time_ms"] = sums["waited_ms"] / sums["requests"]
        seconds.append(sums.reset_index().assign(request_type=kind))
        length_s = int(sums.index.max()) + 1
        totals[kind] = {
            "throughput_ops_per_s": sums["requests"].sum() / length_s,
            "response_time_ms": sums["waited_ms"].sum() / sums["requests"].sum(),
            "hits_per_s": sums["hits"].sum() / length_s,
            "misses_per_s": sums["misses"].sum() / length_s,
        }
        histograms[kind] = merge_histograms(
            [
                distribution_counts(part.distributions[kind], float(part.seconds[kind][:, 1].sum()))
                for part in parts
                if kind in part.distributions
            ]
        )
    empty = pd.DataFrame(columns=SECOND_COLUMNS)
    return ClientFile(
        instance=instance,
        reader=CONNECTIONS,
        totals=pd.DataFrame.from_dict(totals, orient="index"),
        seconds=pd.concat(seconds, ignore_index=True)[SECOND_COLUMNS] if seconds else empty,
        histograms={kind: one for kind, one in histograms.items() if len(one) > len(EMPTY)},
    )


def _totals(printed: pd.DataFrame) -> pd.DataFrame:
    """Keep the types of request that were sent, or that have a response time at least."""
    rows = printed.drop(index="total", errors="ignore")
    throughput = rows["reported_throughput_ops_per_s"]
    is_lost = (throughput == 0) & (rows["response_time_ms"] > 0)
    kept = pd.DataFrame(
        {
            "throughput_ops_per_s": throughput.mask(is_lost),
            "response_time_ms": rows["response_time_ms"],
            "hits_per_s": rows["hits_per_s"],
            "misses_per_s": rows["misses_per_s"],
        }
    )
    return kept[(throughput > 0) | is_lost]
