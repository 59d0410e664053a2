"""The measurements that an imported run lacks, beside a run of our own."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

_OF_CLIENTS = {
    "client_throughput_ops_per_s": "throughput of clients",
    "client_response_time_ms": "response time of clients",
    "client_response_time_p50_ms": "percentiles of clients",
    "client_miss_rate": "miss rate of clients",
}
_OF_MIDDLEWARES = {
    "middleware_response_time_ms": "response time of middlewares",
    "middleware_queueing_time_ms": "queueing time",
    "middleware_service_time_ms": "service time of middlewares",
    "middleware_servers_net_time_ms": "time that middlewares wait for servers",
    "middleware_response_time_p50_ms": "percentiles of middlewares",
    "middleware_queue_length": "queue length",
    "middleware_waiting_workers": "waiting workers",
    "middleware_worker_utilization": "utilization of workers",
    "middleware_errors": "error replies of middlewares",
}
ALWAYS = ("times of day", "versions of programs", "response times of each server")


def lacking(tables: Mapping[str, pd.DataFrame], *, has_middlewares: bool) -> list[str]:
    """Return what the tables of an imported run lack, in words."""
    run = tables["runs"].iloc[0]
    wanted = {**_OF_CLIENTS, **(_OF_MIDDLEWARES if has_middlewares else {})}
    found = [words for name, words in wanted.items() if name not in run or pd.isna(run[name])]
    windows, hosts = tables.get("windows"), tables.get("hosts")
    if windows is None or not (windows["side"] == "client").any():
        found.append("seconds of clients (their numbers include warm-up and cool-down)")
    if hosts is None or hosts.empty:
        found.append("CPU and network load of hosts")
    if "histograms" in tables:
        found.append("histograms of the stable window (percentiles are of whole runs)")
    if "pings" not in tables:
        found.append("round-trip times")
    return [*found, *ALWAYS]
