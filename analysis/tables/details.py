"""What one run tells beyond its totals: by kind of request, by server and second, its pauses."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.tables.frames import SETTINGS
from analysis.tables.measures import MIDDLEWARE_TIMES, average
from analysis.tables.run import Run


def request_type_measures(run: Run) -> pd.DataFrame:
    """Break a run down by kind of request, at clients and middlewares.

    Columns: `side`, `request_type` (``get``, ``set``; at the middleware also ``multi-get-6``, by
    number of keys), `throughput_ops_per_s`, `response_time_ms`; at the middleware also
    `keys_per_request`, `miss_rate`, `errors` and its other times.
    """
    window = run.manifest.stable
    stable_s = window.stable_s
    seconds = pd.concat([generator.seconds for generator in run.generators.values()])
    since = window.warm_up_s
    stable = seconds[seconds["second"].between(since, since + stable_s, inclusive="left")]
    rows = [
        {
            "side": "client",
            "request_type": kind,
            "throughput_ops_per_s": own["requests"].sum() / stable_s,
            "response_time_ms": average(own["response_time_ms"], own["requests"]),
        }
        for kind, own in stable.groupby("request_type")
    ]
    if run.middlewares:
        windows = pd.concat([run.in_window(part.windows) for part in run.middlewares.values()])
        rows += [
            {"side": "middleware", "request_type": kind, **_at_middleware(own, stable_s)}
            for kind, own in windows.groupby("request_type")
        ]
    return pd.DataFrame(rows)


def _at_middleware(windows: pd.DataFrame, stable_s: float) -> dict[str, float]:
    requests = windows["requests"].sum()
    found = windows["hits"].sum() + windows["misses"].sum()
    return {
        "throughput_ops_per_s": requests / stable_s,
        "keys_per_request": windows["keys"].sum() / requests if requests else np.nan,
        "miss_rate": windows["misses"].sum() / found if found else np.nan,
        "errors": windows["errors"].sum(),
        **{
            f"{time}_ms": average(
                windows[f"{time}_mean_ms"], windows.get(f"{time}_count", windows["requests"])
            )
            for time in MIDDLEWARE_TIMES
            if f"{time}_mean_ms" in windows
        },
    }


def server_seconds(run: Run) -> pd.DataFrame:
    """Follow each server second by second, as the middlewares see it.

    Columns: `server`, `second_s` (0 where the stable window begins), `stable`,
    `throughput_ops_per_s` (requests that it was sent), `keys_per_request`, `response_time_ms`,
    `response_time_max_ms`.
    """
    if not run.middlewares:
        return pd.DataFrame()
    window = run.manifest.stable
    rows = pd.concat([part.servers for part in run.middlewares.values()])
    known = ["keys", "response_time_mean_ms", "response_time_max_ms"]
    rows = rows.reindex(columns=["epoch_s", "server", "requests", *known])
    rows["waited_ms"] = rows["response_time_mean_ms"] * rows["requests"]
    groups = rows.groupby(["server", "epoch_s"])
    sums = groups[["requests", "keys", "waited_ms"]].sum(min_count=1)
    busy = sums["requests"].where(sums["requests"] > 0)
    frame = pd.DataFrame(
        {
            "throughput_ops_per_s": sums["requests"],
            "keys_per_request": sums["keys"] / busy,
            "response_time_ms": sums["waited_ms"] / busy,
            "response_time_max_ms": groups["response_time_max_ms"].max(),
        }
    ).reset_index()
    second_s = (frame.pop("epoch_s") - window.start_epoch_s).astype("int64")
    frame.insert(1, "second_s", second_s)
    frame.insert(2, "stable", second_s.between(0, window.stable_s, inclusive="left"))
    return frame.assign(server=_host_names(run, frame["server"]))


def pauses(run: Run) -> pd.DataFrame:
    """List when hosts were stopped on purpose.

    Columns: `host`, `start_s` (0 where the stable window begins), `length_s`; seconds of the clock;
    and `kind` where the manifest tells one, such as ``open transaction``.
    """
    window, made = run.manifest.stable, run.manifest.pauses
    kinds = ["kind"] if any(pause.kind for pause in made) else []
    return pd.DataFrame(
        [
            {
                "host": pause.host,
                "start_s": pause.began_epoch_s - window.start_epoch_s,
                "length_s": pause.ended_epoch_s - pause.began_epoch_s,
                **{name: pause.kind for name in kinds},
            }
            for pause in made
        ],
        columns=["host", "start_s", "length_s", *kinds],
    )


def settings(run: Run) -> dict[str, Any]:
    """Return the settings of the run that its section does not vary; ``all`` replicas counted.

    A manifest without `pipeline` is of a run with one request of each connection under way.
    """
    given = {"pipeline": 1, **levels(run, run.manifest.settings)}
    return {name: given[name] for name in SETTINGS if name in given and name not in run.config}


def levels(run: Run, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with ``all`` replicas as the number of servers that they are."""
    every = given.get("replicas") == "all"
    return {**given, "replicas": len(run.manifest.roles.servers)} if every else dict(given)


def _host_names(run: Run, addresses: pd.Series) -> pd.Series:
    """Names of the servers, which a middleware lists by address in the order of the manifest."""
    names = run.manifest.roles.servers
    summary = next(iter(run.middlewares.values())).summary
    listed = summary.get("configuration", {}).get("servers", [])
    if len(listed) != len(names):
        return addresses
    return addresses.replace(dict(zip(listed, names, strict=True)))
