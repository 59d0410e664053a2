import pytest

from analysis.studies.message_queue import (
    closed_network,
    faster_databases,
    measured_by_clients,
    predicted_by_clients,
    su_numbers,
    time_that_is_missing,
    what_ifs,
)


def test_all_that_su_derived_follows():
    derived = su_numbers()
    assert derived["agrees"].all()
    assert len(derived) == 152
    assert derived.set_index("quantity").loc["service rate, workers: 64", "rederived"] == (
        pytest.approx(328.1, abs=0.05)
    )


def test_network_is_that_of_table_3():
    network = closed_network()
    assert len(network.stations) == 64
    assert network.think_time == 0.005
    alone = (0.198 + 0.0117 + 0.138 + 0.492) / 1000
    assert network.response_time[0] == pytest.approx(alone)
    assert network.throughput[-1] < 4 / 0.492e-3


def test_measured_throughput_passes_what_four_servers_can_do():
    measured, predicted = measured_by_clients(), predicted_by_clients()
    bounds = predicted[predicted["model"] == "bounds"]
    assert measured["throughput_ops_per_s"].max() > 1.08 * bounds["throughput_ops_per_s"].max()
    inner = predicted.pivot_table("throughput_ops_per_s", "num_clients", "model")
    assert (inner["four queues"] <= inner["bounds"]).all()
    assert (inner["one queue"] <= inner["bounds"] * (1 + 1e-12)).all()


def test_a_tenth_of_a_millisecond_is_missing_where_clients_think():
    missing = time_that_is_missing()
    thinking = missing["series"].str.endswith("5 ms")
    assert missing.loc[thinking, "missing_ms"].median() == pytest.approx(0.115, abs=0.01)
    assert missing.loc[~thinking, "missing_ms"].agg(["min", "max"]).prod() < 0


def test_a_database_of_eight_times_the_speed_is_the_busiest_station_still():
    fast = what_ifs().set_index("database_speed").loc[8]
    assert fast["database"] > fast["network"] == pytest.approx(0.603, abs=0.001)
    most = faster_databases().groupby("model")["throughput_ops_per_s"].max()
    assert most["8 times as fast"] == pytest.approx(fast["throughput_ops_per_s"])
