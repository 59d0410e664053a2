"""Round-trip times and bandwidths between roles, beside what is emulated and what Azure showed."""

import pandas as pd

from analysis.laws.bottlenecks import ROLES
from analysis.studies.printed import published_table

_ENDS = ["sender", "receiver"]


def network_table(pings: pd.DataFrame, bandwidths: pd.DataFrame) -> pd.DataFrame:
    """Put what travels from role to role beside what the studies measured on Azure.

    Parameters
    ----------
    pings, bandwidths
        `analysis.tables.frames.Tables.pings` and `bandwidths` of one section.

    Returns
    -------
    pandas.DataFrame
        One row per `sender` and `receiver` (roles): `round_trip_time_min_ms`, `_p99_ms` (mean
        over pairs of hosts), `lost` (packets), `yenicelik2018_min_ms` (the shortest that Yenicelik
        measured), `bandwidth_mbit_per_s` (mean over pairs), `limit_mbit_per_s` (of the
        sender's link), `studies_mbit_per_s` (text: the smallest and the largest bandwidth that
        Schmid, Yenicelik and Cetin print for the sender). Missing is what was not measured, not
        limited, or not printed.
    """
    trips = (
        _with_roles(pings)
        .groupby(_ENDS)
        .agg(
            round_trip_time_min_ms=("round_trip_time_min_ms", "min"),
            round_trip_time_p99_ms=("round_trip_time_p99_ms", "mean"),
            lost=("lost", "sum"),
        )
    )
    trips = trips.join(_published_minimum().rename("yenicelik2018_min_ms"))
    rates = ["bandwidth_mbit_per_s", "limit_mbit_per_s"]
    sent = _with_roles(bandwidths).groupby(_ENDS)[rates].mean()
    table = trips.join(sent, how="outer").reset_index()
    return table.assign(studies_mbit_per_s=table["sender"].map(_published_bandwidths()))


def _with_roles(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(
        sender=frame["source_role"].map(ROLES), receiver=frame["target_role"].map(ROLES)
    )


def _published_minimum() -> pd.Series:
    table = published_table("yenicelik2018", "bandwidth")
    ends = table.assign(sender=table["vm_from"].str.lower(), receiver=table["vm_to"].str.lower())
    return ends.set_index(_ENDS)["min_latency_ms"]


def _published_bandwidths() -> dict[str, str]:
    """Give the range of the studies' bandwidths by sender, ``100 to 101``."""
    everything = pd.concat(studies_bandwidths().values())
    ranges = everything.groupby(level=0).agg(["min", "max"])
    return {
        str(role): f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"
        for role, low, high in ranges.itertuples(name=None)
    }


def studies_bandwidths() -> dict[str, pd.Series]:
    """Return what each role sends in every study that prints it, in Mbit/s by role."""
    return {
        "schmid2018": schmid_bandwidths(),
        "yenicelik2018": _yenicelik_bandwidths(),
        "cetin2018": _cetin_bandwidths(),
    }


def schmid_bandwidths() -> pd.Series:
    """Return what each role sends in Schmid's table 1, in Mbit/s by role (``client``, ...)."""
    table = published_table("schmid2018", "t01_vm")
    roles = table["usage"].str.lower().str.split().str[0]
    return table["send_bandwidth_mbit_s"].set_axis(roles).astype(float)


def _yenicelik_bandwidths() -> pd.Series:
    table = published_table("yenicelik2018", "bandwidth")
    return table.groupby(table["vm_from"].str.lower())["bandwidth_mbit_s"].mean()


def _cetin_bandwidths() -> pd.Series:
    table = published_table("cetin2018", "t01_bandwidth")
    return table["bandwidth_mbit_s"].set_axis(table["machine"]).astype(float)
