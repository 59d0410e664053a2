"""The tables that a middleware would leave that tells nothing and cannot be told anything."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd

from analysis.tables.frames import Tables

TOLD = ("workers", "routing", "dispatch", "transport", "sharded", "replicas")
OF_ITSELF = {
    "middleware": "nutcracker",
    "routing": "consistent-hash",
    "dispatch": "pipelined",
    "transport": "loop",
    "sharded": False,
    "replicas": 1,
    "observed": "packets",
}
NOT_SEEN = ("preprocessing_time", "waiting_workers", "worker_utilization", "net_thread_utilization")
KEY = (
    *("section", "workload", "clients_per_thread", "num_clients", "repetition"),
    *("num_middlewares", "num_servers", "multi_get_keys", "arrival_rate_per_s"),
)


def as_black_box(tables: Tables) -> Tables:
    """Keep the runs with the most workers of what was measured of ours, as if of a black box."""
    runs = tables.runs
    known = [name for name in (*KEY, *TOLD) if name in runs]
    order = [name for name in TOLD if name in runs and name != "transport"]
    one_each = runs.sort_values(order, ascending=False).drop_duplicates(
        [name for name in KEY if name in runs]
    )[known]
    most = runs.groupby("section")["num_clients"].max()
    made = {}
    for name in (field.name for field in fields(Tables)):
        frame = getattr(tables, name)
        shared = [column for column in known if column in frame]
        if name == "rejected" or not {"repetition", "num_clients"} <= {*shared}:
            continue
        own = frame.merge(one_each[shared].drop_duplicates(), on=shared)
        own = own.drop(columns=[column for column in TOLD if column in own])
        proxied = own.get("num_middlewares", pd.Series(1, own.index)) > 0
        own = own.assign(workers=own["section"].map(most).where(proxied))
        if name == "runs":
            own = own.assign(**{k: np.where(proxied, v, None) for k, v in OF_ITSELF.items()})
        for column in own:
            if any(word in column for word in NOT_SEEN):
                own[column] = np.nan
        made[name] = own.drop(columns=[c for c in own if c.startswith("gc_")])
    return replace(tables, **made)
