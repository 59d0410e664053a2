import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.laws.operational import littles_law
from analysis.models import mm1, mmm

RATES = st.floats(1e-3, 1e5)
LOADS = st.floats(0.01, 0.999)
SERVERS = st.integers(1, 300)


def test_gateway_of_jain_example_31_1():
    """125 packets/s, 2 ms each."""
    station = mm1(125, 500)
    assert station.utilization == 0.25
    assert station.probability_of_empty == pytest.approx(0.75)
    assert station.num_in_system == pytest.approx(1 / 3)
    assert station.response_time == pytest.approx(2.66e-3, rel=5e-3)


def test_terminals_of_jain_example_31_2():
    """Ten students an hour, 20 minutes each, five terminals; in minutes."""
    station = mmm(10 / 60, 1 / 20, 5)
    assert station.utilization == pytest.approx(0.67, abs=0.005)
    assert station.probability_of_empty == pytest.approx(0.0318, abs=5e-5)
    assert station.probability_of_queueing == pytest.approx(0.33, abs=0.005)
    assert station.num_in_system == pytest.approx(4.0, abs=0.05)
    assert station.queue_length == pytest.approx(0.65, abs=0.005)
    assert station.response_time == pytest.approx(24, abs=0.1)
    assert station.response_time_variance == pytest.approx(479, abs=1)
    assert station.waiting_time_percentile(90) == pytest.approx(14, abs=0.5)


@given(load=LOADS, service_rate=RATES)
def test_one_server_has_the_closed_form(load, service_rate):
    station = mm1(load * service_rate, service_rate)
    rho = station.utilization
    assert station.probability_of_queueing == pytest.approx(rho)
    assert station.probability_of_empty == pytest.approx(1 - rho, rel=1e-9)
    assert station.num_in_system == pytest.approx(rho / (1 - rho))
    assert station.num_in_system_variance == pytest.approx(rho / (1 - rho) ** 2)
    assert station.response_time_variance == pytest.approx(station.response_time**2)
    for q in (1, 50, 99.9):
        expected = station.response_time * math.log(100 / (100 - q))
        assert station.response_time_percentile(q) == pytest.approx(expected)


@given(load=LOADS, service_rate=RATES, num_servers=SERVERS)
def test_littles_law_holds_for_the_system_and_its_queue(load, service_rate, num_servers):
    rate = load * service_rate * num_servers
    station = mmm(rate, service_rate, num_servers)
    assert littles_law(rate, station.response_time) == pytest.approx(station.num_in_system)
    assert littles_law(rate, station.waiting_time) == pytest.approx(station.queue_length)
    assert 0 <= station.probability_of_queueing <= station.utilization + 1e-12


@given(load=LOADS, num_servers=st.integers(1, 60))
def test_erlang_c_is_the_textbook_sum(load, num_servers):
    offered = load * num_servers
    terms = [offered**k / math.factorial(k) for k in range(num_servers)]
    last = offered**num_servers / math.factorial(num_servers) / (1 - load)
    station = mmm(offered, 1.0, num_servers)
    assert station.probability_of_queueing == pytest.approx(last / (sum(terms) + last), rel=1e-9)
    assert station.probability_of_empty == pytest.approx(1 / (sum(terms) + last), rel=1e-9)


@given(load=LOADS, num_servers=st.integers(1, 60), percentile=st.floats(0.1, 99.9))
def test_percentiles_invert_the_distribution(load, num_servers, percentile):
    station = mmm(load * num_servers, 1.0, num_servers)
    waiting = station.waiting_time_percentile(percentile)
    spare = num_servers * (1 - load)
    below = 1 - station.probability_of_queueing * math.exp(-spare * waiting)
    assert below == pytest.approx(percentile / 100, abs=1e-9) or waiting == 0
    response = station.response_time_percentile(percentile)
    assert response >= waiting
    assert response >= -math.log(1 - percentile / 100) * (1 - 1e-9)


def test_response_time_percentile_where_both_rates_meet():
    """m - 1 busy servers: the general formula divides 0 by 0 there; P = (1 + c r) e^-r."""
    station = mmm(1.0, 1.0, 2)
    response = float(station.response_time_percentile(95))
    tail = (1 + station.probability_of_queueing * response) * math.exp(-response)
    assert tail == pytest.approx(0.05)


def test_many_servers_close_to_saturation_stay_finite():
    station = mmm(10_000 * (1 - 1e-9), 1.0, 10_000)
    assert 0.999 < station.probability_of_queueing < 1
    assert station.queue_length == pytest.approx(1e9, rel=1e-3)
    assert mmm(10.0, 1.0, 10_000).probability_of_queueing == 0
    assert mmm(10.0, 1.0, 10_000).probability_of_empty == pytest.approx(math.exp(-10))


def test_arguments_are_broadcast_and_scalars_stay_scalars():
    station = mmm([[10.0], [20.0]], 10.0, [3, 4, 5])
    assert station.response_time.shape == (2, 3)
    assert station.response_time[1, 2] == mmm(20.0, 10.0, 5).response_time
    assert station.response_time_percentile(90).shape == (2, 3)
    assert isinstance(mm1(1, 2).response_time, float)
    assert station.waiting_time_percentile(99).shape == (2, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mm1(104, 100), r"utilization must be < 1, got 1\.04: the system is unstable"),
        (lambda: mmm([1, 4], 2, 2), "utilization must be < 1, got 1: the system is unstable"),
        (lambda: mm1(-1, 2), "arrival_rate must be >= 0 and finite, got -1"),
        (lambda: mm1(1, np.inf), "service_rate must be > 0 and finite, got inf"),
        (lambda: mmm(1, 1, 2.5), r"num_servers must be whole numbers >= 1, got 2\.5"),
        (
            lambda: mm1(1, 2).waiting_time_percentile(100),
            r"percentile must be in \[0, 100\), got 1",
        ),
    ],
)
def test_arguments_out_of_their_domain_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_nobody_arrives():
    station = mmm(0.0, 2.0, 3)
    assert station.probability_of_empty == 1
    assert station.num_in_system == station.waiting_time == 0
    assert station.response_time == 0.5
    assert station.waiting_time_percentile(99) == 0
