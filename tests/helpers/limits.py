"""Tidy tables of a system in which one thing or another limits."""

from dataclasses import fields

import numpy as np
import pandas as pd

from analysis.tables.frames import Tables

RATES = {"clients": 200.0, "middlewares": 800.0, "servers": 100.0}
HOSTS = {"clients": ["c1", "c2"], "middlewares": ["m1"], "servers": ["s1", "s2", "s3"]}
SYSTEM = {"section": "4.1", "workload": "set", "workers": 8}
TIMES = {  # of a system in which nothing waits for long, in ms
    "client_response_time_ms": 4.0,
    "middleware_response_time_ms": 2.2,
    "middleware_queueing_time_ms": 0.1,
    "middleware_processing_time_ms": 0.1,
    "middleware_servers_net_time_ms": 2.0,
    "middleware_service_time_ms": 2.1,
}


def made_up(*, links=(), cpu=40.0, quotas=(), times=(), workers=0.5, net_threads=0.3, far=None):
    """Make the tables of a system at 6 and 48 clients, of which only the largest load is busy.

    `links` and `quotas` have utilizations by role or host; of far servers `far` has the time in ms.
    """
    links, quotas, far = dict(links), dict(quotas), far or {}
    loads = [(6, 0.1, 1), (6, 0.1, 2), (48, 1.0, 1), (48, 1.0, 2)]
    key = [{**SYSTEM, "num_clients": n, "repetition": r} for n, _, r in loads]
    hosts = [
        {
            **run,
            "host": host,
            "role": role,
            "shares_machine": True,
            "cpu_percent": cpu * share,
            "rate_mbit_per_s": RATES[role],
            "send_mbit_per_s": share * RATES[role] * links.get(host, links.get(role, 0.2)),
            **({"cpu_quota": 0.2 if role in quotas else np.nan} if quotas else {}),
            "cpu_utilization": share * quotas.get(role, 0.05),
        }
        for run, (_, share, _) in zip(key, loads, strict=True)
        for role, names in HOSTS.items()
        for host in names
    ]
    runs = [
        {
            **run,
            **TIMES,
            "client_throughput_ops_per_s": 12_000.0 * share,
            "think_time_s": 0.0,
            **dict(times),
            "middleware_worker_utilization": workers * share,
            "middleware_net_thread_utilization": net_threads * share,
            "middleware_queue_length": 0.0,
        }
        for run, (_, share, _) in zip(key, loads, strict=True)
    ]
    servers = [
        {
            **run,
            "server": host,
            "stable": second >= 0,
            "response_time_ms": far.get(host, 1.0) if second >= 0 else 90.0,
            "throughput_ops_per_s": 1000.0,
        }
        for run in key
        for host in HOSTS["servers"]
        for second in (-1, 0, 1)
    ]
    frame = pd.DataFrame(hosts)
    frame["send_link_utilization"] = frame["send_mbit_per_s"] / frame["rate_mbit_per_s"]
    told = {"hosts": frame, "runs": pd.DataFrame(runs), "servers": pd.DataFrame(servers)}
    return Tables(**{field.name: told.get(field.name, pd.DataFrame()) for field in fields(Tables)})
