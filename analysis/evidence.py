"""Which resource is the limit: utilization of links and CPUs, and the sentence that it makes."""

from collections.abc import Sequence

import pandas as pd

from analysis.published import published_table

BUSY = 0.9  # a resource is called the limit from this utilization on
ROLES = {"clients": "client", "middlewares": "middleware", "servers": "server"}
_STUDIED_MACHINES = {"client": "clients", "middleware": "middlewares", "server": "servers"}


def utilization_table(hosts: pd.DataFrame, by: Sequence[str] = ("workload",)) -> pd.DataFrame:
    """Show how busy links and CPUs were at the largest load of each system.

    Parameters
    ----------
    hosts
        `analysis.tidy.Tables.hosts`.
    by
        What makes a system, such as ``["workload", "workers"]``.

    Returns
    -------
    pandas.DataFrame
        One row per system and role, means over hosts and repetitions: `by`, `num_clients`,
        `role`, `send_mbit_per_s`, `rate_mbit_per_s`, `send_link_utilization` (0..1),
        `cpu_percent` (of the machine the host runs on; in the local lab that is one for all).
    """
    by = list(by)
    largest = hosts.groupby(by)["num_clients"].transform("max")
    measures = ["send_mbit_per_s", "rate_mbit_per_s", "send_link_utilization", "cpu_percent"]
    loaded = hosts[hosts["num_clients"] == largest]
    frame = loaded.groupby([*by, "num_clients", "role"], as_index=False)[measures].mean()
    return frame.assign(role=frame["role"].map(ROLES))


def bottleneck_sentences(utilizations: pd.DataFrame, by: Sequence[str] = ("workload",)) -> str:
    """Say of each system which resource the measured utilizations show to be its limit.

    Parameters
    ----------
    utilizations
        From `utilization_table`.

    Returns
    -------
    str
        Markdown, one list item per system.
    """
    lines = []
    for key, rows in utilizations.groupby(list(by)):
        system = ", ".join(f"{name} {value}" for name, value in zip(by, key, strict=True))
        lines.append(f"- **{system}** at {rows['num_clients'].iloc[0]} clients: {_limit(rows)}")
    return "\n".join(lines)


def bandwidth_table(bandwidths: pd.DataFrame) -> pd.DataFrame:
    """Put the bandwidth that each role sends with beside the limits and the studies' values.

    Parameters
    ----------
    bandwidths
        `analysis.tidy.Tables.bandwidths`; hosts are named by their role's first letter.

    Returns
    -------
    pandas.DataFrame
        `sender`, `bandwidth_mbit_per_s` (mean over receivers), `limit_mbit_per_s`,
        `share_of_limit` (0..1), `schmid2018_mbit_per_s`, `yenicelik2018_mbit_per_s`,
        `cetin2018_mbit_per_s`.
    """
    senders = {role[0]: role for role in _STUDIED_MACHINES}
    frame = bandwidths.assign(sender=bandwidths["source"].str[0].map(senders))
    table = frame.groupby("sender", as_index=False)[
        ["bandwidth_mbit_per_s", "limit_mbit_per_s"]
    ].mean()
    table["share_of_limit"] = table["bandwidth_mbit_per_s"] / table["limit_mbit_per_s"]
    for study, published in _published_bandwidths().items():
        table[f"{study}_mbit_per_s"] = table["sender"].map(published)
    return table


def _published_bandwidths() -> dict[str, dict[str, float]]:
    schmid = published_table("schmid2018", "t01_vm")
    usage = schmid["usage"].str.lower().str.split().str[0]
    yenicelik = published_table("yenicelik2018", "bandwidth").groupby("vm_from")
    cetin = published_table("cetin2018", "t01_bandwidth")
    return {
        "schmid2018": dict(zip(usage, schmid["send_bandwidth_mbit_s"], strict=True)),
        "yenicelik2018": {
            str(name).lower(): mean for name, mean in yenicelik["bandwidth_mbit_s"].mean().items()
        },
        "cetin2018": dict(zip(cetin["machine"], cetin["bandwidth_mbit_s"], strict=True)),
    }


def _limit(rows: pd.DataFrame) -> str:
    link = rows.sort_values("send_link_utilization", na_position="first").iloc[-1]
    used = (
        f"the {link['role']}s send {link['send_mbit_per_s']:.1f} Mbit/s each, "
        f"{link['send_link_utilization']:.0%} of their links"
    )
    cpu = rows["cpu_percent"].max()
    if link["send_link_utilization"] >= BUSY:
        return f"{used}: the link is the bottleneck (CPU {cpu:.0f} % busy)."
    if cpu / 100 >= BUSY:
        return f"the CPU is {cpu:.0f} % busy and the bottleneck; {used}."
    return (
        f"no resource is saturated: {used}, the busiest of the links; the CPU is {cpu:.0f} % busy. "
        "The load was too small, or what limits it is waiting, not work."
    )
