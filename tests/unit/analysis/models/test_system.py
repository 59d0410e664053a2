import math

import numpy as np
import pytest

from analysis.models import Station, solve_closed
from analysis.models.prediction import predict, what_if
from analysis.models.system import System
from analysis.statistics.loads.message_sizes import message_bytes
from analysis.studies.printed import published_table

GET, SET = message_bytes("get"), message_bytes("set")


def at_192(system):
    return predict(system, 192).measures.iloc[-1]


def test_predict_without_middleware_is_the_network_of_its_stations():
    system = System(servers=2, server_time=2e-4, think_time=1e-3, network_delay=4e-4, **GET)
    request, reply = 84 * 8 / 200e6, 4328 * 8 / 100e6
    stations = [
        Station("network", 8e-4, 1, math.inf),
        *[Station("client link", request, 1 / 3)] * 3,
        *[Station("server", 2e-4, 1 / 2), Station("server link", reply, 1 / 2)] * 2,
    ]
    expected = solve_closed(stations, 50, 1e-3)
    measures = predict(system, 50).measures
    np.testing.assert_allclose(measures["throughput_ops_per_s"], expected.throughput)
    np.testing.assert_allclose(measures["client_response_time_ms"], expected.response_time * 1000)


def test_predict_with_a_worker_for_each_client_is_one_network():
    """Then nobody waits for a worker, and the flow-equivalent station is exact."""
    system = System(middlewares=1, workers=40, worker_time=1e-4, server_time=2e-4, **GET)
    request, reply = 84 * 8 / 200e6, 4328 * 8
    stations = [
        *[Station("client link", request, 1 / 3)] * 3,
        Station("reply link", reply / 800e6),
        Station("worker", 1e-4, 1, math.inf),
        Station("request link", 84 * 8 / 800e6),
        Station("server", 2e-4),
        Station("server link", reply / 100e6),
    ]
    expected = solve_closed(stations, 40)
    throughput = predict(system, 40).measures["throughput_ops_per_s"]
    np.testing.assert_allclose(throughput, expected.throughput, rtol=1e-10)


def test_predict_utilizations_follow_from_demands():
    system = System(middlewares=2, servers=3, servers_per_request=3, server_time=6e-5, **SET)
    prediction = predict(system, 30)
    throughput = prediction.measures["throughput_ops_per_s"].to_numpy()
    for resource, demand in system.demands().items():
        np.testing.assert_allclose(prediction.utilizations[resource], throughput * demand)
    sent = SET["reply_bytes"] + 3 * SET["request_bytes"]
    assert system.demands()["middleware link"] == pytest.approx(sent * 8 / 800e6 / 2)
    assert system.demands()["server"] == 6e-5


def test_what_if_names_gain_and_next_bottleneck():
    system = System(middlewares=1, server_time=1e-4, network_delay=4e-4, **GET)
    table = what_if(
        system,
        192,
        {
            "ten-fold server links": {"server_link_rate": 1e9},
            "fewer clients": {"client_machines": 1},
        },
    ).set_index("case")
    assert table.loc["as it is", "bottleneck"] == "server link"
    assert table.loc["as it is", "throughput_gain"] == 0
    assert table.loc["ten-fold server links", "bottleneck"] == "server"
    assert table.loc["ten-fold server links", "throughput_gain"] > 2
    assert table.loc["fewer clients", "throughput_gain"] == pytest.approx(0, abs=1e-6)


def test_a_shared_machine_is_a_station_with_its_cores():
    system = System(machine_time=1e-3, machine_cores=2, **GET)
    stations = [
        *[Station("client link", 84 * 8 / 200e6, 1 / 3)] * 3,
        Station("machine", 1e-3, 1, 2),
        Station("server link", 4328 * 8 / 100e6),
    ]
    prediction = predict(system, 40)
    throughput = prediction.measures["throughput_ops_per_s"]
    np.testing.assert_allclose(throughput, solve_closed(stations, 40).throughput)
    assert prediction.measures["bottleneck"].iloc[-1] == "machine"
    assert throughput.iloc[-1] == pytest.approx(2000, rel=0.01)
    assert "machine" not in System(**GET).demands()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"servers": 0}, "servers must be a whole number >= 1, got 0"),
        ({"network_delay": -1.0}, "network_delay must be >= 0 and finite, got -1"),
        ({"servers": 3, "servers_per_request": 3}, "nor 1 without middleware, got 3"),
        ({"middlewares": 1, "servers_per_request": 2}, "must not exceed the servers"),
        ({"server_link_rate": 0}, "server_link_rate must be > 0, got 0"),
    ],
)
def test_system_refuses_what_cannot_be(fields, message):
    with pytest.raises(ValueError, match=message):
        System(**{**GET, **fields})


def test_requests_to_some_servers_are_left_to_the_simulation():
    with pytest.raises(ValueError, match="2 of 3: use the simulation"):
        predict(System(middlewares=1, servers=3, servers_per_request=2, **SET), 10)


def test_what_if_names_what_a_system_does_not_have():
    with pytest.raises(ValueError, match="a system has no colour to change in 'red'"):
        what_if(System(request_bytes=100, reply_bytes=4096), 4, {"red": {"colour": 1}})


def test_a_system_of_delays_has_no_bottleneck():
    links = {"client_link_rate": math.inf, "server_link_rate": math.inf}
    system = System(request_bytes=9, reply_bytes=9, network_delay=1e-3, **links)
    assert predict(system, 3).measures["bottleneck"].eq("none").all()


def test_predict_finds_the_link_that_limits_reads_without_middleware():
    """Schmid, Yenicelik and Cetin measured 2954, 3000 and 2898 op/s at one server."""
    measured = at_192(System(**GET))
    assert measured["bottleneck"] == "server link"
    assert measured["saturated"]
    for study, table in (("schmid2018", "t02_baseline_max"), ("cetin2018", "t02_baseline_max")):
        published = published_table(study, table).iloc[0]["throughput_ops_s"]
        assert measured["throughput_ops_per_s"] == pytest.approx(published, rel=0.03)
