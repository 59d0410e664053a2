import numpy as np
import pandas as pd
import pytest

from analysis.chapters.lab_and_network.between_hosts import (
    network_table,
    schmid_bandwidths,
    studies_bandwidths,
)


def pings() -> pd.DataFrame:
    """Two clients and a server: 1 ms from the clients, 2 ms back to one of them."""
    rows = [("c1", "s1", 1.0), ("c2", "s1", 1.2), ("s1", "c1", 2.0)]
    frame = pd.DataFrame(rows, columns=["source", "target", "round_trip_time_min_ms"])
    roles = {"c": "clients", "s": "servers"}
    return frame.assign(
        source_role=frame["source"].str[0].map(roles),
        target_role=frame["target"].str[0].map(roles),
        round_trip_time_p99_ms=frame["round_trip_time_min_ms"] + 0.5,
        lost=[0, 1, 0],
    )


def bandwidths() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "source_role": ["clients", "clients", "middlewares"],
            "target_role": ["servers", "servers", "servers"],
            "bandwidth_mbit_per_s": [190.0, 192.0, 760.0],
            "limit_mbit_per_s": [200.0, 200.0, np.nan],
        }
    )


def test_round_trips_and_bandwidths_are_gathered_by_role_beside_the_studies():
    table = network_table(pings(), bandwidths()).set_index(["sender", "receiver"])
    row = table.loc[("client", "server")]
    assert row["round_trip_time_min_ms"] == 1.0
    assert row["round_trip_time_p99_ms"] == pytest.approx(1.6)
    assert (row["lost"], row["yenicelik2018_min_ms"]) == (1, 0.636)
    assert (row["bandwidth_mbit_per_s"], row["limit_mbit_per_s"]) == (191.0, 200.0)
    assert row["studies_mbit_per_s"] == "200 to 201"


def test_what_was_measured_one_way_only_is_there():
    table = network_table(pings(), bandwidths()).set_index(["sender", "receiver"])
    assert np.isnan(table.loc[("server", "client"), "bandwidth_mbit_per_s"])
    assert np.isnan(table.loc[("middleware", "server"), "round_trip_time_min_ms"])
    assert np.isnan(table.loc[("middleware", "server"), "limit_mbit_per_s"])


def test_schmids_links_by_role():
    assert schmid_bandwidths().to_dict() == {"client": 200, "middleware": 800, "server": 100}


def test_every_study_that_prints_bandwidths_has_those_of_all_roles():
    each = studies_bandwidths()
    assert list(each) == ["schmid2018", "yenicelik2018", "cetin2018"]
    assert all(set(roles.index) == {"client", "middleware", "server"} for roles in each.values())
