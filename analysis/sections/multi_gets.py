"""Multi-gets cut into parts or sent whole: which is faster, by how much, and what the links do."""

import numpy as np
import pandas as pd

from analysis.published.printed import published_table
from analysis.results.histograms import percentiles_by
from analysis.sections import summary
from analysis.statistics.intervals import aggregate, half_width_of_difference
from analysis.units import MS_PER_S

MODE = {True: "sharded", False: "not sharded"}
SAME = "no difference"
STUDIED = 9  # keys; no study had more
SHOWN = (25, 50, 75, 90, 99)  # percentiles
_KEY = ["sharded", "multi_get_keys"]


def nearest_keys(cells: pd.DataFrame, wanted: int) -> int:
    """Return the number of keys nearest to the wanted one, the smaller of two as near.

    It is one that was measured in both modes, if there is any.

    Parameters
    ----------
    cells
        From `multi_get_cells`, at least one row.
    """
    modes = cells.groupby("multi_get_keys")["sharded"].nunique()
    both = modes.index[modes == len(MODE)]
    return int(min(both if len(both) else modes.index, key=lambda keys: abs(keys - wanted)))


def multi_get_cells(request_types: pd.DataFrame, side: str = "client") -> pd.DataFrame:
    """Aggregate the multi-gets of each size and mode, without the sets between them.

    Parameters
    ----------
    request_types
        `analysis.tables.frames.Tables.request_types` of sections 5.1 and 5.2.
    side
        ``client`` or ``middleware``.

    Returns
    -------
    pandas.DataFrame
        `sharded`, `multi_get_keys`, and of `response_time_ms`, `throughput_ops_per_s` and, at the
        middleware, `servers_net_time_ms` and `queueing_time_ms` what
        `analysis.statistics.intervals.aggregate` gives.
    """
    chosen = (request_types["side"] == side) & (request_types["request_type"] != "set")
    names = ["response_time_ms", "throughput_ops_per_s"]
    if side == "middleware":
        names += ["servers_net_time_ms", "queueing_time_ms"]
    rows = request_types[chosen].astype({"sharded": bool, "multi_get_keys": int})
    return aggregate(rows, _KEY, names)


def all_requests(runs: pd.DataFrame) -> pd.DataFrame:
    """Aggregate all requests of each size and mode, multi-gets and the sets between them.

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of sections 5.1 and 5.2.

    Returns
    -------
    pandas.DataFrame
        As `analysis.sections.summary.cells`, with `sharded`, which no section varies.
    """
    frame = summary.cells(runs)
    if "sharded" not in frame:
        frame = frame.merge(runs[["section", "sharded"]].drop_duplicates(), on="section")
    return frame.astype({"sharded": bool, "multi_get_keys": int})


def law_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Check the interactive law at each size and mode, as `interactive_law_table` does.

    Parameters
    ----------
    frame
        From `all_requests`.
    """
    table = summary.interactive_law_table(frame)
    return table.drop(columns=["section", "workload", "workers"], errors="ignore")


def multi_get_histograms(histograms: pd.DataFrame) -> pd.DataFrame:
    """Choose the response times of multi-gets from `analysis.tables.frames.Tables.histograms`."""
    chosen = (histograms["request_type"] != "set") & (histograms["time"] == "response_time")
    return histograms[chosen].astype({"sharded": bool, "multi_get_keys": int})


def percentiles_by_mode(cells: pd.DataFrame, histograms: pd.DataFrame) -> pd.DataFrame:
    """Give mean and percentiles of the clients' response time by number of keys, of one mode.

    Parameters
    ----------
    cells
        From `multi_get_cells`, of the clients.
    histograms
        `analysis.tables.frames.Tables.histograms` of the same section.

    Returns
    -------
    pandas.DataFrame
        `multi_get_keys`, `mean_ms`, `mean_sd_ms` (over repetitions), `p25_ms` ... `p99_ms` (all
        repetitions merged).
    """
    own = multi_get_histograms(histograms).query("side == 'client'")
    values = percentiles_by(own, ["multi_get_keys"], SHOWN)
    wide = values.pivot_table(index="multi_get_keys", columns="percentile", values="value_ms")
    wide.columns = pd.Index([f"p{percentile}_ms" for percentile in wide.columns])
    names = {"response_time_ms_mean": "mean_ms", "response_time_ms_sd": "mean_sd_ms"}
    means = cells.rename(columns=names)[["multi_get_keys", *names.values()]]
    return means.join(wide, on="multi_get_keys").sort_values("multi_get_keys", ignore_index=True)


def spread_table(histograms: pd.DataFrame, keys: int) -> pd.DataFrame:
    """Give the percentiles of one number of keys, clients and middleware, both modes.

    Returns
    -------
    pandas.DataFrame
        `side`, `sharded`, `p25_ms` ... `p99_ms`, all repetitions merged.
    """
    own = multi_get_histograms(histograms).query("multi_get_keys == @keys")
    values = percentiles_by(own, ["side", "sharded"], SHOWN)
    wide = values.pivot_table(index=["side", "sharded"], columns="percentile", values="value_ms")
    wide.columns = pd.Index([f"p{percentile}_ms" for percentile in wide.columns])
    return wide.reset_index()


def published_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Put the few numbers that the studies' texts give of these sections beside ours.

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of both sections.

    Returns
    -------
    pandas.DataFrame
        `study`, `quantity` (with its unit), `published`, `ours`; ours of sizes that the studies
        had.
    """
    studied = runs[runs["multi_get_keys"] <= STUDIED]
    sharded = studied[studied["sharded"].astype(bool)]
    schmid = _told("schmid2018", "mixed workload 12 clients")
    yenicelik = _told("yenicelik2018", "sharded multi-get")
    waited_us = studied["middleware_queueing_time_ms"].mean() * 1000
    largest = sharded.groupby("multi_get_keys")["client_throughput_ops_per_s"].mean().max()
    return pd.DataFrame(
        [
            ("schmid2018", "queueing time, mean of all sizes (µs)", schmid, waited_us),
            (
                "yenicelik2018",
                "throughput, sharded, largest of all sizes (op/s)",
                yenicelik,
                largest,
            ),
        ],
        columns=["study", "quantity", "published", "ours"],
    )


def mode_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Compare the mean response times of both modes at every number of keys that has both.

    Parameters
    ----------
    cells
        From `multi_get_cells`.

    Returns
    -------
    pandas.DataFrame
        `multi_get_keys`, `sharded_ms`, `not_sharded_ms`, `difference_ms` (sharded less not
        sharded) with the 95 % confidence interval of Welch, `ci_low_ms` and `ci_high_ms` (missing
        with a single repetition), and `faster`: the mode, or ``no difference`` where the interval
        holds 0.

    References
    ----------
    Jain 1991, section 13.4.2.
    """
    cut, whole = (cells[cells["sharded"] == mode].drop(columns="sharded") for mode in (True, False))
    both = cut.merge(whole, on="multi_get_keys", suffixes=("_cut", "_whole"))
    mean = "response_time_ms_mean"
    difference = both[f"{mean}_cut"] - both[f"{mean}_whole"]
    half_width = half_width_of_difference(
        (both["response_time_ms_sd_cut"], both["response_time_ms_sd_whole"]),
        (both["response_time_ms_repetitions_cut"], both["response_time_ms_repetitions_whole"]),
    )
    decided = (difference.abs() > half_width) | np.isnan(half_width)
    faster = np.where(difference < 0, MODE[True], MODE[False])
    return pd.DataFrame(
        {
            "multi_get_keys": both["multi_get_keys"],
            "sharded_ms": both[f"{mean}_cut"],
            "not_sharded_ms": both[f"{mean}_whole"],
            "difference_ms": difference,
            "ci_low_ms": difference - half_width,
            "ci_high_ms": difference + half_width,
            "faster": np.where(decided, faster, SAME),
        }
    )


def link_table(hosts: pd.DataFrame, runs: pd.DataFrame, inside: pd.DataFrame) -> pd.DataFrame:
    r"""Set the time at the servers against the time that the values need on one server's link.

    .. math:: t = n_{server} \cdot \text{value size} / \text{rate}

    Parameters
    ----------
    hosts, runs
        `analysis.tables.frames.Tables.hosts` and `analysis.tables.frames.Tables.runs`.
    inside
        From `multi_get_cells` of the middleware.

    Returns
    -------
    pandas.DataFrame
        `multi_get_keys`, `sharded`, `keys_per_server` (of the server that gets most),
        `on_link_ms` (payload alone; missing where the rate is not known), `servers_net_time_ms`
        (measured, by multi-get), `throughput_ops_per_s` (of multi-gets) and `link_utilization`
        (0..1, mean of the servers' links).
    """
    servers = hosts[hosts["role"] == "servers"].astype({"sharded": bool, "multi_get_keys": int})
    links = servers.groupby(_KEY, as_index=False)[["rate_mbit_per_s", "send_link_utilization"]]
    means = links.mean()
    facts = runs.astype({"sharded": bool, "multi_get_keys": int})
    sizes = facts.groupby(_KEY, as_index=False)[["num_servers", "value_bytes"]].max()
    table = inside.merge(means, on=_KEY).merge(sizes, on=_KEY)
    shares = np.ceil(table["multi_get_keys"] / table["num_servers"]).astype(int)
    per_server = table["multi_get_keys"].where(~table["sharded"], shares)
    bits = per_server * table["value_bytes"] * 8
    return pd.DataFrame(
        {
            "multi_get_keys": table["multi_get_keys"],
            "sharded": table["sharded"],
            "keys_per_server": per_server,
            "on_link_ms": bits / (table["rate_mbit_per_s"] * 1e6) * MS_PER_S,
            "servers_net_time_ms": table["servers_net_time_ms_mean"],
            "throughput_ops_per_s": table["throughput_ops_per_s_mean"],
            "link_utilization": table["send_link_utilization"],
        }
    ).sort_values(["multi_get_keys", "sharded"], ascending=[True, False], ignore_index=True)


def _told(study: str, subject: str) -> float:
    prose = published_table(study, "prose")
    return float(prose.loc[prose["subject"] == subject, "value"].iloc[0])
