"""Shares of the requests that servers are sent."""

from collections.abc import Sequence

import pandas as pd

from analysis.statistics.intervals import aggregate


def request_shares(servers: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Share of the requests that each server was sent in the stable window, over repetitions.

    Columns: `by`, `server`, `share_mean`, `share_sd`, `share_ci_low`, `share_ci_high`,
    `share_repetitions`, and `requests` (of all repetitions).
    """
    stable = servers[servers["stable"]]
    run = list(dict.fromkeys([*by, "repetition"]))
    each_s = stable["throughput_ops_per_s"] / stable["time_dilation"]
    counts = stable.assign(requests=each_s).groupby([*run, "server"])["requests"].sum()
    runs = counts.reset_index()
    runs["share"] = runs["requests"] / runs.groupby(run)["requests"].transform("sum")
    table = aggregate(runs, [*by, "server"], ["share"])
    requests = runs.groupby([*by, "server"])["requests"].sum().reset_index()
    return table.merge(requests, on=[*by, "server"])


def shares_side_by_side(servers: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Put the shares of all servers beside each other, one row for each system.

    Columns: `by`, the mean share of each server in percent in columns headed such as ``s1 (%)``,
    and `largest_over_even`, the largest share over that of as many equal ones.
    """
    shares = request_shares(servers, by)
    wide = shares.pivot_table(index=list(by), columns="server", values="share_mean")
    uneven = wide.max(axis="columns") * wide.notna().sum(axis="columns")
    percent = (wide * 100).add_suffix(" (%)").rename_axis(columns=None)
    return percent.assign(largest_over_even=uneven).reset_index()
