import math
from dataclasses import replace

import numpy as np
import pytest

from analysis.laws.elasticities import elasticity, sum_of, unexplained
from analysis.models import Station, solve_closed
from analysis.statistics.estimates import ratio_of
from records.sensitivity import factors_of

STEP = 0.2
LESS, MORE = factors_of(STEP)


def slope(throughput, step=STEP):
    """Elasticity of a function of a factor, without noise."""
    return elasticity({f: [throughput(f)] for f in (*factors_of(step), 1.0)}).slope.value


def sum_of_slopes(throughput, rates, step):
    """Sum of the elasticities of a function of all rates."""
    changed = (
        lambda factor, k=k: throughput(*(r * factor ** (i == k) for i, r in enumerate(rates)))
        for k in range(len(rates))
    )
    return sum(slope(one, step) for one in changed)


@pytest.mark.parametrize("power", [-1, 0, 0.3, 1])
def test_a_power_is_its_own_elasticity(power):
    assert slope(lambda factor: 5 * factor**power) == pytest.approx(power)


@pytest.mark.parametrize(("clients", "expected"), [(4, 0), (100, 1)])
def test_a_service_rate_counts_where_it_limits(clients, expected):
    """X = min(N / (D + Z), mu), with N* = 25."""
    service_rate, cycle_s = 1000.0, 0.025
    found = slope(lambda factor: min(clients / cycle_s, service_rate * factor))
    assert found == pytest.approx(expected)
    of_cycle = slope(lambda factor: min(clients * factor / cycle_s, service_rate))
    assert of_cycle == pytest.approx(1 - expected)


@pytest.mark.parametrize("step", [0.01, 0.2, 1.0])
@pytest.mark.parametrize("other", [0.5, 0.95, 1.0, 1.1])
@pytest.mark.parametrize(
    "throughput",
    [
        min,
        lambda a, b: a * b / (a + b),
        lambda a, b: math.sqrt(a * b),
        lambda a, b: math.hypot(a, b),
    ],
)
def test_slopes_of_two_rates_sum_to_1_at_any_step(throughput, other, step):
    assert sum_of_slopes(throughput, (1.0, other), step) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("clients", [1, 3, 10, 50])
def test_slopes_of_all_rates_of_a_closed_network_sum_to_1(clients):
    """Gordon and Newell: two queues, one of them with three servers, a delay, and think time."""

    def throughput(*rates):
        disk, cpu, network, thinking = rates
        stations = [
            Station("disk", 1 / disk, 0.7),
            Station("cpu", 1 / cpu, num_servers=3),
            Station("network", 1 / network, num_servers=math.inf),
        ]
        return solve_closed(stations, clients, 1 / thinking).throughput[-1]

    rates = (500.0, 200.0, 900.0, 50.0)
    assert sum_of_slopes(throughput, rates, 1e-4) == pytest.approx(1, abs=1e-6)
    assert sum_of_slopes(throughput, rates, STEP) == pytest.approx(1, abs=0.01)


def test_the_interval_is_that_of_the_ratio():
    less, more = [97.0, 101.0, 99.0], [110.0, 111.0, 114.0]
    found = elasticity({LESS: less, MORE: more})
    bounds = np.log(ratio_of(more, less).interval()) / math.log(MORE / LESS)
    assert found.slope.interval() == pytest.approx(tuple(bounds))
    assert found.repetitions == 3
    assert found.bend is None
    assert not found.is_curved


def test_what_lacks_of_1_has_the_error_of_the_sum():
    slopes = [elasticity({LESS: [90, 91], MORE: [110, 111]}).slope, slope_of_nothing()]
    whole, rest = sum_of(slopes), unexplained(slopes)
    assert rest.value == pytest.approx(1 - whole.value)
    assert (rest.error, rest.freedom) == (whole.error, whole.freedom)
    assert unexplained([]).interval() == (1, 1)


def slope_of_nothing():
    return elasticity({LESS: [100, 102], MORE: [100, 102]}).slope


def test_repetitions_that_are_alike_have_no_error_and_single_ones_none_that_is_known():
    alike = elasticity({0.5: [10, 10], 2.0: [40, 40]}).slope
    assert alike.interval() == (alike.value, alike.value) == (pytest.approx(1), pytest.approx(1))
    single = elasticity({0.5: [10.0], 2.0: [40.0]})
    assert single.slope.value == pytest.approx(1)
    assert np.isnan(single.slope.interval()).all()
    missing = elasticity({0.5: [10.0, math.nan], 2.0: [20.0, 21.0]})
    assert missing.repetitions == 1
    assert not replace(single, bend=single.slope).is_curved


@pytest.mark.parametrize(
    ("throughputs", "message"),
    [
        ({1.0: [1.0]}, r"two factors or more, got \[1.0\]"),
        ({0.0: [1.0], 1.0: [1.0]}, "factors must be > 0 and finite, got 0"),
        ({0.5: [], 2.0: [1.0]}, r"throughputs at factor 0.5 must be > 0, got \[\]"),
        ({0.5: [1.0], 2.0: [0.0]}, "throughputs at factor 2 must be > 0"),
    ],
)
def test_what_is_no_measurement_is_refused(throughputs, message):
    with pytest.raises(ValueError, match=message):
        elasticity(throughputs)


def test_steps_are_the_same_both_ways():
    assert pytest.approx(1 / 1.2) == LESS
    assert MORE == 1.2
    for step in (0, -0.1, math.inf, math.nan):
        with pytest.raises(ValueError, match="step must be > 0"):
            factors_of(step)
