import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.laws.operational import (
    asymptotic_bounds,
    interactive_response_time,
    interactive_throughput,
    littles_law,
    utilization,
)

POSITIVE = st.floats(1e-6, 1e6)
# Jain 1991, examples 33.2 to 33.6: a time-sharing system; CPU, disk A, disk B.
DEMANDS_S = np.array([5.0, 4.0, 3.0])
THINK_TIME_S = 18.0


def test_interactive_law_of_schmid_table_2():
    """Write-only, 72 clients at 14 071 op/s answer in 5.117 ms."""
    assert interactive_response_time(72, 14_071) == pytest.approx(5.117e-3, rel=1e-3)


def test_utilization_of_jain_example_33_3():
    """Disk A answers 15.70 visits/s of 50 ms: 78.5 % busy."""
    assert utilization(15.70, 0.050) == pytest.approx(0.785, abs=5e-4)


def test_bounds_of_jain_example_33_6():
    """X(N) <= min(N / 30, 1 / 5), R(N) >= max(12, 5 N - 18), knee at 6."""
    bounds = asymptotic_bounds(DEMANDS_S, THINK_TIME_S, [1, 6, 20])
    assert bounds.throughput_upper == pytest.approx([1 / 30, 1 / 5, 1 / 5])
    assert bounds.response_time_lower == pytest.approx([12, 12, 82])
    assert bounds.knee == 6


def test_one_client_meets_no_other():
    bounds = asymptotic_bounds(DEMANDS_S, THINK_TIME_S, 1)
    assert bounds.throughput_upper == pytest.approx(bounds.throughput_lower)
    assert bounds.response_time_upper == pytest.approx(12)


@given(clients=POSITIVE, response_time=POSITIVE, think_time=st.floats(0, 1e6))
def test_interactive_law_reads_both_ways(clients, response_time, think_time):
    throughput = interactive_throughput(clients, response_time, think_time)
    back = interactive_response_time(clients, throughput, think_time)
    assert back == pytest.approx(response_time, rel=1e-6, abs=1e-9 * think_time)
    assert littles_law(throughput, response_time + think_time) == pytest.approx(clients)


@given(
    demands=st.lists(POSITIVE, min_size=1, max_size=6),
    think_time=st.floats(0, 1e6),
    clients=st.integers(1, 5000),
)
def test_bounds_enclose_each_other_and_the_interactive_law(demands, think_time, clients):
    bounds = asymptotic_bounds(demands, think_time, clients)
    assert bounds.throughput_lower <= bounds.throughput_upper * (1 + 1e-9)
    assert bounds.response_time_lower <= bounds.response_time_upper * (1 + 1e-9)
    fastest = interactive_throughput(clients, bounds.response_time_lower, think_time)
    assert fastest == pytest.approx(bounds.throughput_upper, rel=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: interactive_throughput(6, -0.1), "response_time must be >= 0, got -0.1"),
        (lambda: interactive_throughput(6, 0), r"response_time \+ think_time must be > 0, got 0"),
        (lambda: interactive_response_time(6, 0), "throughput must be > 0, got 0"),
        (lambda: interactive_response_time(6, 10, 1), "- think_time must be >= 0, got -0.4"),
        (lambda: littles_law(-1, 1), "throughput must be >= 0, got -1"),
        (lambda: utilization(1, -2), "service_demand must be >= 0, got -2"),
        (lambda: asymptotic_bounds([0, 0], 0, 1), "sum of demands must be > 0, got 0"),
        (lambda: asymptotic_bounds([1], 0, [1, 0]), "num_clients must be > 0, got 0"),
    ],
)
def test_arguments_out_of_their_domain_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
