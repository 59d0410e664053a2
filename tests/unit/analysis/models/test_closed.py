import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.laws.operational import asymptotic_bounds
from analysis.models import (
    FlowEquivalentStation,
    Station,
    balanced_job_bounds,
    closed_throughput,
    solve_closed,
)
from tests.helpers.sixty_digits import exact

TIMES = st.floats(1e-6, 10)
SERVERS = st.one_of(st.integers(1, 8), st.just(math.inf))


def test_solve_closed_gives_jains_timesharing_system():  # Jain 1991, p. 577
    stations = [Station("CPU", 0.125, 16), Station("disk A", 0.3, 10), Station("disk B", 0.2, 5)]
    solution = solve_closed(stations, 20, think_time=4)
    per_visit = solution.residence_time[-1] / [16, 10, 5]
    np.testing.assert_allclose(per_visit, [0.373, 4.854, 0.300], atol=5e-4)
    np.testing.assert_allclose(solution.num_in_station[-1], [1.991, 16.177, 0.500], atol=5e-4)


@pytest.mark.parametrize(
    ("stations", "num_clients", "think_time"),
    [
        ([Station("a", 1.0, 1, 16), Station("b", 0.1)], 51, 0.0),  # textbook recursion: 1 % wrong
        ([Station("a", 1.0, 1, 16), Station("b", 1 / 16)], 120, 0.0),
        ([Station("a", 2.0, 1, 3), Station("b", 1.0, 2, 5)], 90, 7.5),
        ([Station("a", 0.5, 3, 2), Station("b", 1e-6), Station("c", 4.0, 1, math.inf)], 60, 0.0),
        ([Station("a", 3.0, 1, 64), Station("b", 0.05), Station("c", 1.0, 1, 32)], 100, 1.0),
        ([Station("a", 3.0, 1, 4), Station("b", 3.0, 1, 4), Station("c", 3.0, 1, 4)], 70, 0.0),
    ],
)
def test_solve_closed_agrees_with_sixty_digits(stations, num_clients, think_time):
    throughput, queues = exact(stations, num_clients, think_time)
    solution = solve_closed(stations, num_clients, think_time)
    assert solution.throughput[-1] == pytest.approx(throughput, rel=1e-12)
    np.testing.assert_allclose(solution.num_in_station[-1], queues, rtol=1e-11)
    alone = closed_throughput(stations, num_clients, think_time)
    np.testing.assert_allclose(alone, solution.throughput, rtol=1e-11)


def test_solve_closed_with_equal_single_servers_is_balanced():
    solution = solve_closed([Station(name, 0.2) for name in "abcd"], 30)
    clients = np.arange(1, 31)
    np.testing.assert_allclose(solution.throughput, clients / (0.2 * (clients + 3)), rtol=1e-14)


@pytest.mark.parametrize("num_clients", [3, 4, 5])
def test_solve_closed_gives_each_population_what_it_has_among_more(num_clients):
    stations = [Station("workers", 0.002, num_servers=3), Station("link", 0.0005)]
    alone, among = solve_closed(stations, num_clients), solve_closed(stations, 9)
    assert alone.throughput == pytest.approx(among.throughput[:num_clients], rel=1e-12)


def test_throughput_alone_is_that_of_the_solution_with_flow_equivalent_stations_and_delays():
    stations = [
        Station("network", 0.002, num_servers=math.inf),
        Station("link", 0.0005),
        Station("never visited", 0.0),
        FlowEquivalentStation("workers", (400.0, 700.0, 900.0)),
    ]
    for some in (stations, stations[:1], stations[3:]):
        expected = solve_closed(some, 40, 0.01).throughput
        np.testing.assert_allclose(closed_throughput(some, 40, 0.01), expected, rtol=1e-11)


def test_a_flow_equivalent_station_replaces_what_it_was_measured_on():
    inside = [Station("a", 0.3), Station("b", 0.5, 1, 2)]
    outside = Station("c", 0.2)
    rates = tuple(solve_closed(inside, 60).throughput)
    replaced = solve_closed([outside, FlowEquivalentStation("a and b", rates)], 60, 2.0)
    whole = solve_closed([outside, *inside], 60, 2.0)
    np.testing.assert_allclose(replaced.throughput, whole.throughput, rtol=1e-11)
    np.testing.assert_allclose(
        replaced.num_in_station[:, 1], whole.num_in_station[:, 1:].sum(axis=1), rtol=1e-10
    )


def test_a_flow_equivalent_station_with_servers_rates_is_a_multi_server():
    rates = tuple(j / 0.4 for j in range(1, 9))
    flow = solve_closed([FlowEquivalentStation("a", rates), Station("b", 0.1)], 50, 0.3)
    servers = solve_closed([Station("a", 0.4, 1, 8), Station("b", 0.1)], 50, 0.3)
    for measure in ("throughput", "utilization", "num_in_station"):
        np.testing.assert_allclose(getattr(flow, measure), getattr(servers, measure), rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(TIMES, SERVERS), min_size=1, max_size=5),
    st.integers(1, 200),
    st.one_of(st.just(0.0), TIMES),
)
def test_solve_closed_keeps_the_laws(servers, num_clients, think_time):
    stations = [Station(str(k), s, 1, m) for k, (s, m) in enumerate(servers)]
    solution = solve_closed(stations, num_clients, think_time)
    clients = np.arange(1, num_clients + 1)
    thinking = solution.throughput * think_time
    np.testing.assert_allclose(solution.num_in_station.sum(axis=1) + thinking, clients, rtol=1e-12)
    assert ((solution.utilization >= 0) & (solution.utilization <= 1)).all()
    assert (np.diff(solution.throughput) >= -1e-11 * solution.throughput[-1]).all()
    queueing = [s.service_interval for s in stations]
    assert (solution.throughput * max(queueing) <= 1 + 1e-11).all()
    demand = sum(s.service_demand for s in stations)
    assert (solution.throughput <= clients / (demand + think_time) * (1 + 1e-11)).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(TIMES, min_size=1, max_size=6), st.one_of(st.just(0.0), TIMES))
def test_bounds_hold_and_balanced_ones_are_closer(demands, think_time):
    clients = np.arange(1, 101)
    stations = [Station(str(k), demand) for k, demand in enumerate(demands)]
    throughput = solve_closed(stations, 100, think_time).throughput
    balanced = balanced_job_bounds(demands, think_time, clients)
    asymptotic = asymptotic_bounds(demands, think_time, clients)
    low, high = 1 - 1e-12, 1 + 1e-12
    assert (balanced.throughput_lower * low <= throughput).all()
    assert (throughput <= balanced.throughput_upper * high).all()
    assert (asymptotic.throughput_lower * low <= balanced.throughput_lower).all()
    assert (balanced.throughput_upper <= asymptotic.throughput_upper * high).all()


@pytest.mark.parametrize("num_servers", [1024, 300])
def test_solve_closed_is_stable_at_the_largest_sizes(num_servers):
    stations = [Station(str(k), 1e-3 * k, 1, num_servers) for k in range(1, 7)]
    solution = solve_closed(stations, 5000, think_time=0.01)
    assert (np.diff(solution.throughput) > -1e-9 * solution.throughput[-1]).all()
    assert solution.throughput[-1] <= num_servers / 6e-3 * (1 + 1e-12)
    in_system = solution.num_in_station.sum(axis=1) + solution.throughput * 0.01
    np.testing.assert_allclose(in_system, np.arange(1, 5001), rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Station("a", -1.0), "service_time of 'a' must be >= 0 and finite, got -1.0"),
        (lambda: Station("a", 1.0, math.inf), "visit_ratio of 'a' must be"),
        (lambda: Station("a", 1.0, 1, 2.5), "num_servers of 'a' must be a whole number"),
        (lambda: FlowEquivalentStation("a", ()), "rates of 'a' must be > 0"),
        (lambda: solve_closed([], 1), "at least one station"),
        (lambda: solve_closed([Station("a", 1.0)], 0), "num_clients must be a whole number >= 1"),
        (lambda: solve_closed([Station("a", 1.0)], 2, -1.0), "think_time must be >= 0"),
        (lambda: solve_closed([Station("a", 0.0)], 2), "must be > 0, got 0 for all"),
        (lambda: balanced_job_bounds([math.nan], 0, [1]), "demands must be >= 0 and not all 0"),
    ],
)
def test_arguments_out_of_their_domain_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
