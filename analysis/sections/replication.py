"""Section 9 in tables: requests and shares, sets and gets by copies, overhead, a summary."""

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.sections.routing import expected_shares, overhead, replicated_throughput
from analysis.tables.frames import SETTINGS
from analysis.text.formatting import Format
from analysis.text.numbers import digits

OVERHEAD_FORMATS: dict[str, Format] = {
    "without_middleware": digits,
    "with_middleware": digits,
    "overhead": digits,
    "relative_overhead": "+.0%",
    "measure": {
        "client_throughput_ops_per_s": "throughput",
        "client_response_time_ms": "response time",
    }.__getitem__,
}
SHARE_FORMATS: dict[str, Format] = {
    "Share, mean (%)": ".2f",
    "Share, SD (%)": ".2f",
    "Expected (%)": ".2f",
    "Difference (percentage points)": "+.2f",
}
_OF_A_MIDDLEWARE = ("replicas", "workers")
_SYSTEM = ("num_middlewares", *_OF_A_MIDDLEWARE)
_SUMMARY = (  # measure and its unit
    ("client_throughput", "_ops_per_s"),
    ("client_response_time", "_ms"),
    ("middleware_throughput", "_ops_per_s"),
    ("middleware_queueing_time", "_ms"),
    ("middleware_service_time", "_ms"),
    ("middleware_queue_length", ""),
)
_OVERHEAD = [
    "replicas",
    "workers",
    "measure",
    "without_middleware",
    "with_middleware",
    "overhead",
    "relative_overhead",
    "significant",
]


def direct_and_through(
    cells: pd.DataFrame, runs: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split the cells into those without and those with a middleware, copies as whole numbers.

    Parameters
    ----------
    cells, runs
        From `analysis.sections.summary.cells`, and `analysis.tables.frames.Tables.runs`.

    Raises
    ------
    ValueError
        No run with a middleware was accepted.
    """
    for name in ("num_middlewares", *_OF_A_MIDDLEWARE):
        if name not in cells:  # no factor: the same in all accepted runs
            cells = cells.assign(**{name: runs[name].iloc[0]})
    proxied = cells["num_middlewares"] > 0
    through = cells[proxied].astype(dict.fromkeys(_OF_A_MIDDLEWARE, "int64"))
    if through.empty:
        raise ValueError("no run with a middleware was accepted: Tables.rejected tells why")
    return cells[~proxied], through


def request_counts(request_types: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Count what the clients asked for in the stable windows of all repetitions.

    A client that sends one set for 99 gets, the set first, may make none in a short window.

    Parameters
    ----------
    request_types, runs
        Of `analysis.tables.frames.Tables`.

    Returns
    -------
    pandas.DataFrame
        `num_middlewares`, `replicas`, `workers` (0 without a middleware), `sets`, `gets`,
        `set_share` (fraction of sets).
    """
    made = with_levels(request_types[request_types["side"] == "client"])
    system = [name for name in _SYSTEM if name in made]
    run = [*system, "repetition"]
    rows = made.merge(with_levels(runs)[[*run, "stable_s"]], on=run)
    clock_rate = rows["throughput_ops_per_s"] / rows["time_dilation"]
    counts = rows.assign(requests=clock_rate * rows["stable_s"]).pivot_table(
        index=system, columns="request_type", values="requests", aggfunc="sum", fill_value=0
    )
    counts = counts.reindex(columns=["set", "get"], fill_value=0).round().astype("int64")
    table = counts.set_axis(["sets", "gets"], axis="columns").reset_index()
    return table.assign(set_share=table["sets"] / (table["sets"] + table["gets"]))


def write_fraction(counts: pd.DataFrame) -> float:
    """Return the fraction of sets in rows of `request_counts`."""
    return float(counts["sets"].sum() / counts[["sets", "gets"]].to_numpy().sum())


def with_sets(through: pd.DataFrame, counts: pd.DataFrame) -> pd.DataFrame:
    """Keep the cells in which sets were made, with `sets` and `set_share`: copies are of sets.

    Parameters
    ----------
    through, counts
        From `direct_and_through` and `request_counts`.
    """
    columns = [*_OF_A_MIDDLEWARE, "sets", "set_share"]
    known = through.merge(counts[columns], on=list(_OF_A_MIDDLEWARE))
    return known[known["sets"] > 0]


def copies_table(made: pd.DataFrame, num_servers: int) -> pd.DataFrame:
    """Tell what more copies of a key cost beside the fewest, at the same number of workers.

    Parameters
    ----------
    made
        From `with_sets`.
    num_servers
        Of the ring.

    Returns
    -------
    pandas.DataFrame
        `workers`, `replicas`, `fewest_replicas`, `sets`, `relative_throughput` (to that of the
        fewest copies, less 1), `significant` (the 95 % confidence intervals do not overlap),
        `requests_per_request` (that servers get for one of a client).
    """
    measure = "client_throughput_ops_per_s"
    rows = []
    for workers, cells in made.groupby("workers"):
        ordered = cells.sort_values("replicas")
        first = ordered.iloc[0]
        for _, cell in ordered.iloc[1:].iterrows():
            low, high = cell[f"{measure}_ci_low"], cell[f"{measure}_ci_high"]
            bound = replicated_throughput(
                cell["set_share"], [int(cell["replicas"])], num_servers, server_rate=1.0
            )
            rows.append(
                {
                    "workers": workers,
                    "replicas": int(cell["replicas"]),
                    "fewest_replicas": int(first["replicas"]),
                    "sets": int(cell["sets"]),
                    "relative_throughput": cell[f"{measure}_mean"] / first[f"{measure}_mean"] - 1,
                    "significant": bool(
                        low > first[f"{measure}_ci_high"] or high < first[f"{measure}_ci_low"]
                    ),
                    "requests_per_request": float(bound["requests_per_request"].iloc[0]),
                }
            )
    return pd.DataFrame(rows)


def beside_the_ring(
    shares: pd.DataFrame, addresses: Mapping[str, str], keys: Sequence[str], sets: float
) -> pd.DataFrame:
    """Put the share of each server beside what the ring gives for the keys that are asked for.

    Parameters
    ----------
    shares
        From `analysis.sections.routing.request_shares` by `replicas`.
    addresses
        Server to its address as the middleware knows it, in the middleware's order.
    keys, sets
        All keys of the load, and the fraction of sets.

    Returns
    -------
    pandas.DataFrame
        `shares` with `expected` and `difference`, measured less expected.
    """
    parts = []
    for _, rows in shares.groupby("replicas"):
        expected = expected_shares(
            list(addresses.values()),
            keys,
            replicas=int(rows["replicas"].iloc[0]),
            write_fraction=sets,
        )
        parts.append(rows.assign(expected=rows["server"].map(addresses).map(expected)))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(difference=table["share_mean"] - table["expected"])


def shown_shares(shares: pd.DataFrame) -> pd.DataFrame:
    """Name the columns of `beside_the_ring` for a table: all in percent, the difference in points.

    Returns
    -------
    pandas.DataFrame
        `replicas`, `server`, and what is shown of each server.
    """
    percent = shares[["share_mean", "share_sd", "expected", "difference"]] * 100
    return shares[["replicas", "server"]].join(
        percent.set_axis(list(SHARE_FORMATS), axis="columns")
    )


def by_request_type(request_types: pd.DataFrame) -> pd.DataFrame:
    """Tell sets and gets apart in the middleware, means over repetitions.

    Returns
    -------
    pandas.DataFrame
        `replicas`, `request_type`, `throughput_ops_per_s`, `response_time_ms`, `queueing_time_ms`,
        `service_time_ms`, `servers_net_time_ms`.
    """
    inside = request_types[request_types["side"] == "middleware"]
    measures = ["throughput_ops_per_s", "response_time_ms", "queueing_time_ms"]
    measures += ["service_time_ms", "servers_net_time_ms"]
    table = inside.groupby(["replicas", "request_type"], as_index=False)[measures].mean()
    return table.astype({"replicas": int})


def overhead_table(direct: pd.DataFrame, through: pd.DataFrame) -> pd.DataFrame:
    """Tell what the middleware costs, as `routing.overhead` does; empty without direct runs."""
    if direct.empty:
        return pd.DataFrame(columns=_OVERHEAD)
    table = overhead(direct, through)
    return table[[name for name in _OVERHEAD if name in table]].astype(
        dict.fromkeys(_OF_A_MIDDLEWARE, "int64")
    )


def summary_table(direct: pd.DataFrame, through: pd.DataFrame) -> pd.DataFrame:
    """Summarise every system, without a middleware and with it, in the studies' layout.

    Parameters
    ----------
    direct, through
        From `direct_and_through`.

    Returns
    -------
    pandas.DataFrame
        `num_middlewares`, `replicas`, `workers`, and of throughput and response time at the
        clients, throughput, queueing time, service time and queue length in the middleware the
        mean and, before the unit, `_sd`.
    """
    cells = pd.concat([part for part in (direct, through) if len(part)], ignore_index=True)
    table = cells[list(_SYSTEM)].astype("Int64")
    for stem, unit in _SUMMARY:
        for kind, suffix in (("mean", ""), ("sd", "_sd")):
            table[f"{stem}{suffix}{unit}"] = cells[f"{stem}{unit}_{kind}"]
    return table


def with_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Give runs without a middleware 0 workers and copies, so that they make a group."""
    known = [name for name in SETTINGS if name in frame and name in _OF_A_MIDDLEWARE]
    return frame.fillna(dict.fromkeys(known, 0)).astype(dict.fromkeys(known, "int64"))


def without_levels(table: pd.DataFrame) -> pd.DataFrame:
    """Show no workers and copies where there is no middleware; undoes `with_levels` for tables."""
    known = [name for name in _OF_A_MIDDLEWARE if name in table]
    levels = {name: table[name].astype("Int64") for name in known}
    return table.assign(**{name: level.mask(level == 0) for name, level in levels.items()})
