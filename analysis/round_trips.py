"""Round-trip times between the roles of hosts, beside what is emulated and what Azure showed."""

import pandas as pd

from analysis.evidence import ROLES
from analysis.published import published_table


def round_trip_table(pings: pd.DataFrame) -> pd.DataFrame:
    """Summarise the round-trip times by the roles of their two ends.

    Parameters
    ----------
    pings
        `analysis.tidy.Tables.pings` of one section.

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


def _side(difference: float) -> str:
    return "above" if difference > 0 else "below"


def _published_minimum() -> pd.Series:
    table = published_table("yenicelik2018", "bandwidth")
    ends = table.assign(sender=table["vm_from"].str.lower(), receiver=table["vm_to"].str.lower())
    return ends.set_index(["sender", "receiver"])["min_latency_ms"]
