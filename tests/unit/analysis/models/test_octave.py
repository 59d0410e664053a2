"""Against what Octave's queueing package makes of the same networks (tests/data/octave)."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from analysis.laws.operational import asymptotic_bounds
from analysis.models import Station, balanced_job_bounds, mm1, mmm, solve_closed
from tests.helpers.sixty_digits import exact

RECORDED = Path(__file__).parents[3] / "data" / "octave" / "solutions.jsonl"
SOLUTIONS = [json.loads(line) for line in RECORDED.read_text().splitlines()]


def recorded(kind):
    return [one for one in SOLUTIONS if one["kind"] == kind]


def is_possible(solution):
    """Whether no utilization of a queue is outside 0..1 and no number of requests below 0."""
    servers = zip(
        solution["arguments"]["num_servers"], solution["results"]["utilization"], strict=True
    )
    return min(solution["results"]["num_in_station"]) >= 0 and all(
        0 <= utilization <= 1 for m, utilization in servers if m
    )


def solve(arguments):
    stations = [
        Station(str(k), service_time, visit_ratio, num_servers or math.inf)
        for k, (service_time, visit_ratio, num_servers) in enumerate(
            zip(
                arguments["service_times"],
                arguments["visit_ratios"],
                arguments["num_servers"],
                strict=True,
            )
        )
    ]
    return stations, solve_closed(stations, arguments["num_clients"], arguments["think_time"])


@pytest.mark.parametrize("solution", recorded("mm1") + recorded("mmm"))
def test_single_stations_agree_with_octave(solution):
    station = {"mm1": mm1, "mmm": mmm}[solution["kind"]](**solution["arguments"])
    for measure, value in solution["results"].items():
        assert getattr(station, measure) == pytest.approx(value, rel=1e-9, abs=1e-50)


def test_octave_loses_the_probability_that_all_of_128_servers_are_idle():
    station = mmm(10500, 90, 128)
    assert recorded("mmm")[2]["results"]["probability_of_empty"] == 0
    assert 0 < station.probability_of_empty < 1e-50


@pytest.mark.parametrize("solution", [one for one in recorded("closed") if is_possible(one)])
def test_closed_networks_agree_with_octave(solution):
    stations, ours = solve(solution["arguments"])
    octave = solution["results"]
    queues = [station.num_servers != math.inf for station in stations]
    assert ours.throughput[-1] == pytest.approx(octave["throughput"], rel=1e-9)
    np.testing.assert_allclose(ours.residence_time[-1], octave["residence_times"], rtol=1e-7)
    np.testing.assert_allclose(ours.num_in_station[-1], octave["num_in_station"], rtol=1e-7)
    utilization = np.array(octave["utilization"])
    np.testing.assert_allclose(ours.utilization[-1][queues], utilization[queues], rtol=1e-9)


@pytest.mark.parametrize("solution", [one for one in recorded("closed") if not is_possible(one)])
def test_where_octave_is_wrong_sixty_digits_agree_with_us(solution):
    stations, ours = solve(solution["arguments"])
    throughput, queues = exact(
        stations, solution["arguments"]["num_clients"], solution["arguments"]["think_time"]
    )
    assert ours.throughput[-1] == pytest.approx(throughput, rel=1e-12)
    np.testing.assert_allclose(ours.num_in_station[-1], queues, rtol=1e-11)
    assert abs(solution["results"]["throughput"] / throughput - 1) > 0.005


def test_octave_is_right_about_six_networks_and_wrong_about_two():
    assert [is_possible(one) for one in recorded("closed")] == [True] * 6 + [False] * 2


@pytest.mark.parametrize("solution", recorded("asymptotic"))
def test_asymptotic_bounds_agree_with_octave(solution):
    arguments, octave = solution["arguments"], solution["results"]
    ours = asymptotic_bounds(
        arguments["demands"], arguments["think_time"], [arguments["num_clients"]]
    )
    for measure, value in octave.items():
        assert getattr(ours, measure).item() == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("solution", recorded("balanced"))
def test_balanced_job_bounds_agree_with_octave_or_are_closer(solution):
    """Octave's pessimistic bound has N D where Jain's has (N - 1) D, which is less far off."""
    arguments, octave = solution["arguments"], solution["results"]
    ours = balanced_job_bounds(
        arguments["demands"], arguments["think_time"], [arguments["num_clients"]]
    )
    assert ours.throughput_upper.item() == pytest.approx(octave["throughput_upper"])
    assert ours.response_time_lower.item() == pytest.approx(octave["response_time_lower"])
    assert ours.response_time_upper.item() <= octave["response_time_upper"] * (1 + 1e-12)
    assert ours.throughput_lower.item() >= octave["throughput_lower"] * (1 - 1e-12)
