import numpy as np
import pandas as pd
import pytest

from analysis.sections.between_hosts import (
    bandwidth_table,
    bandwidth_words,
    round_trip_table,
    round_trip_words,
)


def pings(emulated_ms=0.9) -> pd.DataFrame:
    """Two clients and a server: 1 ms from the clients, 2 ms back to one of them."""
    rows = [("c1", "s1", 1.0), ("c2", "s1", 1.2), ("s1", "c1", 2.0)]
    frame = pd.DataFrame(rows, columns=["source", "target", "round_trip_time_mean_ms"])
    roles = {"c": "clients", "s": "servers"}
    mean = frame["round_trip_time_mean_ms"]
    return frame.assign(
        source_role=frame["source"].str[0].map(roles),
        target_role=frame["target"].str[0].map(roles),
        round_trip_time_min_ms=mean - 0.1,
        round_trip_time_p50_ms=mean,
        round_trip_time_p99_ms=mean + 0.5,
        round_trip_time_max_ms=mean + 1,
        lost=0,
        emulated_round_trip_time_ms=emulated_ms,
    )


def test_round_trips_are_gathered_by_role():
    table = round_trip_table(pings()).set_index(["sender", "receiver"])
    row = table.loc[("client", "server")]
    assert row["pairs"] == 2
    assert row["round_trip_time_mean_ms"] == pytest.approx(1.1)
    assert row["round_trip_time_min_ms"] == pytest.approx(0.9)
    assert row["yenicelik2018_min_ms"] == 0.636


def test_what_is_emulated_is_said():
    text = round_trip_words(pings())
    assert "Over all 3 pairs a round trip takes 1.40 ms on average (1.00 to 2.00 ms" in text
    assert "so that it takes 0.9 ms: the medians are 0.50 ms above that" in text


def test_nothing_emulated_is_said():
    assert "Nothing is known of an emulated delay" in round_trip_words(pings(float("nan")))


def test_no_pings_are_said():
    assert round_trip_words(pings().iloc[:0]) == "No round trips were measured."


def test_bandwidths_stand_beside_limits_and_studies():
    bandwidths = pd.DataFrame(
        {
            "source": ["vm-3", "vm-3", "vm-7"],
            "source_role": ["clients", "clients", "servers"],
            "bandwidth_mbit_per_s": [190.0, 192.0, 95.0],
            "limit_mbit_per_s": [200.0, 200.0, np.nan],
        }
    )
    client, server = bandwidth_table(bandwidths).to_dict("records")
    assert (client["bandwidth_mbit_per_s"], client["share_of_limit"]) == (191.0, 0.955)
    assert np.isnan(server["share_of_limit"])
    assert bandwidth_words(bandwidths) == (
        "One TCP stream reaches 191 of the 200 Mbit/s of a client's link and 95 Mbit/s of a "
        "server's link."
    )
    assert [server[f"{s}2018_mbit_per_s"] for s in ("schmid", "yenicelik", "cetin")] == [
        100,
        101,
        100,
    ]
