"""Round-trip times and bandwidths between hosts, beside what is emulated and what Azure showed."""

import pandas as pd

from analysis.laws.bottlenecks import ROLES
from analysis.published.printed import published_table
from analysis.text.lists import joined


def round_trip_table(pings: pd.DataFrame) -> pd.DataFrame:
    """Summarise the round-trip times by the roles of their two ends.

    Parameters
    ----------
    pings
        `analysis.tables.frames.Tables.pings` of one section.

    Returns
    -------
    pandas.DataFrame
        `sender`, `receiver` (roles), `pairs` (of hosts), `round_trip_time_min_ms`, `_mean_ms`,
        `_p99_ms` (means over pairs), `_max_ms`, `lost` (packets), `yenicelik2018_min_ms` (the
        smallest that Yenicelik measured on Azure).
    """
    frame = pings.assign(
        sender=pings["source_role"].map(ROLES), receiver=pings["target_role"].map(ROLES)
    )
    table = frame.groupby(["sender", "receiver"], as_index=False).agg(
        pairs=("source", "size"),
        round_trip_time_min_ms=("round_trip_time_min_ms", "min"),
        round_trip_time_mean_ms=("round_trip_time_mean_ms", "mean"),
        round_trip_time_p99_ms=("round_trip_time_p99_ms", "mean"),
        round_trip_time_max_ms=("round_trip_time_max_ms", "max"),
        lost=("lost", "sum"),
    )
    published = _published_minimum().rename("yenicelik2018_min_ms")
    return table.join(published, on=["sender", "receiver"])


def round_trip_words(pings: pd.DataFrame) -> str:
    """Say what ping measured over all pairs, and what the lab emulates."""
    if pings.empty:
        return "No round trips were measured."
    means, medians = pings["round_trip_time_mean_ms"], pings["round_trip_time_p50_ms"]
    words = [
        f"Over all {len(means)} pairs a round trip takes {means.mean():.2f} ms on average "
        f"({means.min():.2f} to {means.max():.2f} ms from pair to pair); the mean of the pairs' "
        f"medians is {medians.mean():.2f} ms."
    ]
    emulated = pings["emulated_round_trip_time_ms"].dropna().unique()
    if len(emulated):
        set_ms = float(emulated[0])
        words.append(
            f"The lab delays packets so that it takes {set_ms:g} ms: the medians are "
            f"{abs(medians.mean() - set_ms):.2f} ms {_side(medians.mean() - set_ms)} that."
        )
    else:
        words.append("Nothing is known of an emulated delay: these are the network's own times.")
    low, high = _published_minimum().min(), _published_minimum().max()
    words.append(f"On Azure the shortest took {low:.2f} to {high:.2f} ms (Yenicelik 2018).")
    return " ".join(words)


def bandwidth_table(bandwidths: pd.DataFrame) -> pd.DataFrame:
    """Put the bandwidth that each role sends with beside the limits and the studies' values.

    Parameters
    ----------
    bandwidths
        `analysis.tables.frames.Tables.bandwidths`.

    Returns
    -------
    pandas.DataFrame
        `sender`, `bandwidth_mbit_per_s` (mean over receivers), `limit_mbit_per_s`,
        `share_of_limit` (0..1; both missing where the limit is not known),
        `schmid2018_mbit_per_s`, `yenicelik2018_mbit_per_s`, `cetin2018_mbit_per_s`.
    """
    frame = bandwidths.assign(sender=bandwidths["source_role"].map(ROLES))
    table = frame.groupby("sender", as_index=False)[
        ["bandwidth_mbit_per_s", "limit_mbit_per_s"]
    ].mean()
    table["share_of_limit"] = table["bandwidth_mbit_per_s"] / table["limit_mbit_per_s"]
    for study, published in _published_bandwidths().items():
        table[f"{study}_mbit_per_s"] = table["sender"].map(published)
    return table


def bandwidth_words(bandwidths: pd.DataFrame) -> str:
    """Say what one TCP stream of each role reaches, of the limit of its link where that is known.

    Parameters
    ----------
    bandwidths
        `analysis.tables.frames.Tables.bandwidths`.
    """
    if bandwidths.empty:
        return "No bandwidths were measured."
    table = bandwidth_table(bandwidths)
    limits = table["limit_mbit_per_s"].map("of the {:.0f} Mbit/s".format)
    limits = limits.where(table["limit_mbit_per_s"].notna(), "Mbit/s")
    reached = table["bandwidth_mbit_per_s"].map("{:.0f} ".format) + limits
    suffix = "'s link"
    return f"One TCP stream reaches {joined(reached + ' of a ' + table['sender'] + suffix)}."


def _side(difference: float) -> str:
    return "above" if difference > 0 else "below"


def _published_minimum() -> pd.Series:
    table = published_table("yenicelik2018", "bandwidth")
    ends = table.assign(sender=table["vm_from"].str.lower(), receiver=table["vm_to"].str.lower())
    return ends.set_index(["sender", "receiver"])["min_latency_ms"]


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
