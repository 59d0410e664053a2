"""Section 9 in tables: shares beside the ring's, sets and gets by copies, overhead."""

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.formatting import Format
from analysis.routing import expected_shares, overhead
from analysis.tables import SETTINGS
from analysis.words.numbers import digits

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
_OF_A_MIDDLEWARE = ("replicas", "workers")
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
        From `analysis.summary.cells`, and `analysis.tidy.Tables.runs`.

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


def write_fraction(request_types: pd.DataFrame) -> float:
    """Return the fraction of sets among the requests that the clients made."""
    made = request_types[request_types["side"] == "client"]
    rates = made.groupby("request_type")["throughput_ops_per_s"].sum()
    return float(rates.get("set", 0.0) / rates.sum())


def beside_the_ring(
    shares: pd.DataFrame, addresses: Mapping[str, str], keys: Sequence[str], sets: float
) -> pd.DataFrame:
    """Put the share of each server beside what the ring gives for the keys that are asked for.

    Parameters
    ----------
    shares
        From `analysis.routing.request_shares` by `replicas`.
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
    """Tell what the middleware costs (`analysis.routing.overhead`); empty without direct runs."""
    if direct.empty:
        return pd.DataFrame(columns=_OVERHEAD)
    table = overhead(direct, through)
    return table[[name for name in _OVERHEAD if name in table]].astype(
        dict.fromkeys(_OF_A_MIDDLEWARE, "int64")
    )


def with_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Give runs without a middleware 0 workers and copies, so that they make a group."""
    known = [name for name in SETTINGS if name in frame and name in _OF_A_MIDDLEWARE]
    return frame.fillna(dict.fromkeys(known, 0)).astype(dict.fromkeys(known, "int64"))
