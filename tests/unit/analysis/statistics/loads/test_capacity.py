"""Planted curves: queues whose capacities and knees are known."""

import math
from functools import cache

import numpy as np
import pandas as pd
import pytest

from analysis.models import Station, solve_closed
from analysis.statistics.intervals import aggregate
from analysis.statistics.loads.capacity import capacities

COLUMNS = ["client_throughput_ops_per_s", "client_response_time_ms"]
USABLE, NOMINAL = "usable_capacity_ops_per_s", "nominal_capacity_ops_per_s"
DOUBLED = (3, 6, 12, 24, 48, 96, 192)
COARSE = (6, 24, 96, 288)
MOST = 800


@cache
def queues(delay_s: float, *demands_s: float, think_s: float = 0.0) -> np.ndarray:
    """Response times of 1 to `MOST` clients of queues and a delay, in seconds."""
    stations = [Station(f"{k}", demand) for k, demand in enumerate(demands_s)]
    stations.append(Station("delay", delay_s, 1, math.inf))
    return np.asarray(solve_closed(stations, MOST, think_s).response_time)


def asymptotes(light_s: float, demand_s: float) -> np.ndarray:
    """Response times where service times do not vary: the bounds themselves."""
    return np.maximum(light_s, np.arange(1, MOST + 1) * demand_s)


def measured(times_s, loads, *, sd=0.01, repetitions=3, think_s=0.0, seed=0, workloads=("get",)):
    """Cells of systems that were measured with a relative error of the response times."""
    rng = np.random.default_rng(seed)
    shape = (len(workloads), len(loads), repetitions)
    seen = times_s[np.array(loads) - 1][:, np.newaxis] * np.exp(rng.normal(0, sd, shape))
    levels = np.meshgrid(workloads, loads, range(repetitions), indexing="ij")
    frame = {"workload": levels[0].ravel(), "num_clients": levels[1].ravel()}
    frame |= {"think_time_s": think_s, COLUMNS[1]: 1000 * seen.ravel()}
    frame[COLUMNS[0]] = frame["num_clients"] / (seen.ravel() + think_s)
    key = ["workload", "num_clients", "think_time_s"]
    return aggregate(pd.DataFrame(frame), key, COLUMNS)


def planted(times_s, loads, think_s=0.0, limit=2.0):
    """Throughput where the response time reaches the limit, requests/s."""
    time_s = limit * times_s[loads[0] - 1]
    return float(np.interp(time_s, times_s, np.arange(1, MOST + 1)) / (time_s + think_s))


PLANTED = {  # curve, demand of the bottleneck, sum of demands and delay
    "one queue behind a delay": (queues(0.010, 0.001), 0.001, 0.011),
    "balanced queues": (queues(0.0, 0.002, 0.002, 0.002, 0.002, 0.002), 0.002, 0.010),
    "service times that do not vary": (asymptotes(0.02, 0.001), 0.001, 0.02),
}


def test_coarse_loads_widen_the_interval_although_repetitions_agree():
    times_s = asymptotes(0.03, 0.001)
    (found,) = capacities(measured(times_s, COARSE, sd=1e-5), ["workload"]).to_dict("records")
    assert found["usable_capacity_ci_low_ops_per_s"] < 950
    assert found["usable_capacity_ci_high_ops_per_s"] == pytest.approx(1000, rel=0.001)
    assert found["knee_clients"] == pytest.approx(30, rel=0.001)


@pytest.mark.parametrize("rise", [1.045, 1.055])
def test_a_rise_about_a_twentieth_moves_it_little(rise):
    """Three times the clients for a twentieth more do not treble what is usable."""
    clients = np.array([6, 24, 96, 288])
    throughput = np.array([3250.0, 12700, 16300, 16300 * rise])
    times_s = np.interp(np.arange(1, MOST + 1), clients, clients / throughput)
    (found,) = capacities(measured(times_s, COARSE, sd=0.003), ["workload"]).to_dict("records")
    assert found["num_clients"] == pytest.approx(56, rel=0.02)
    assert found[USABLE] == pytest.approx(15_300, rel=0.02)


def test_a_limit_that_no_load_passes_leaves_no_end():
    times_s = PLANTED["one queue behind a delay"][0]
    (found,) = capacities(measured(times_s, (1, 2, 4)), ["workload"]).to_dict("records")
    assert not found["is_passed"]
    assert found["num_clients"] == 4
    for name in ("usable_capacity", "nominal_capacity"):
        assert found[f"{name}_ci_high_ops_per_s"] == math.inf
        assert found[f"{name}_ci_low_ops_per_s"] <= found[f"{name}_ops_per_s"]
    assert found["knee_clients_ci_high"] == math.inf


def test_a_system_that_is_full_from_the_smallest_load_on_has_its_knee_below():
    times_s = asymptotes(0.002, 0.001)
    (found,) = capacities(measured(times_s, DOUBLED, sd=0.001), ["workload"]).to_dict("records")
    assert found[USABLE] == pytest.approx(1000, rel=0.01)
    assert found["knee_clients_ci_low"] <= 2 <= found["knee_clients_ci_high"] < 3.1


def test_a_larger_limit_allows_more():
    cells = measured(PLANTED["balanced queues"][0], DOUBLED, sd=0.001)
    two, four = (capacities(cells, ["workload"], limit=m)[USABLE].item() for m in (2, 4))
    assert two == pytest.approx(planted(PLANTED["balanced queues"][0], DOUBLED), rel=0.01)
    assert four == pytest.approx(planted(PLANTED["balanced queues"][0], DOUBLED, limit=4), rel=0.01)
    assert two < four
    with pytest.raises(ValueError, match="limit must be > 1 times"):
        capacities(cells, ["workload"], limit=1)


def test_clients_that_think_are_away_for_a_while():
    times_s = queues(0.0, 0.001, think_s=0.02)
    cells = measured(times_s, DOUBLED, sd=1e-4, think_s=0.02)
    (found,) = capacities(cells, ["workload"]).to_dict("records")
    truth = planted(times_s, DOUBLED, think_s=0.02)
    assert found[USABLE] == pytest.approx(truth, rel=0.1)
    assert found["usable_capacity_ci_low_ops_per_s"] < truth
    assert found["usable_capacity_ci_high_ops_per_s"] > truth
    assert found["knee_clients_ci_low"] <= 21 <= found["knee_clients_ci_high"]


def test_one_repetition_has_no_interval():
    cells = measured(asymptotes(0.02, 0.001), DOUBLED, repetitions=1)
    (found,) = capacities(cells, ["workload"]).to_dict("records")
    assert found[USABLE] == pytest.approx(1000, rel=0.05)
    assert math.isnan(found["usable_capacity_ci_low_ops_per_s"])
    assert math.isnan(found["knee_clients_ci_high"])


def test_cells_of_two_systems_under_one_name_are_refused():
    both = pd.concat([measured(asymptotes(0.02, 0.001), DOUBLED) for _ in range(2)])
    with pytest.raises(ValueError, match="several cells of a system have 3 clients: `by` must"):
        capacities(both, ["workload"])


def test_loads_that_measured_nothing_are_no_capacity():
    cells = measured(asymptotes(0.02, 0.001), DOUBLED)
    cells.loc[1, "client_throughput_ops_per_s_mean"] = float("nan")
    assert len(capacities(cells, ["workload"])) == 1
    nothing = cells.assign(client_response_time_ms_mean=float("nan"))
    with pytest.raises(ValueError, match="no load of a system has both"):
        capacities(nothing, ["workload"])
    with pytest.raises(ValueError, match="no cells"):
        capacities(cells.iloc[:0], ["workload"])


def test_each_think_time_is_a_system_of_its_own():
    still, away = (queues(0.0, 0.001, think_s=think_s) for think_s in (0.0, 0.02))
    cells = [measured(still, DOUBLED, sd=1e-4), measured(away, DOUBLED, sd=1e-4, think_s=0.02)]
    found = capacities(pd.concat(cells, ignore_index=True), ["workload"]).set_index("think_time_s")
    for alone, think_s in zip(cells, (0.0, 0.02), strict=True):
        (own,) = capacities(alone, ["workload"]).to_dict("records")
        assert "think_time_s" not in own
        assert found.loc[think_s].drop("workload").to_dict() == {
            name: value for name, value in own.items() if name != "workload"
        }
    assert found.loc[0.02, "knee_clients"] > 5 * found.loc[0.0, "knee_clients"]


def test_measures_are_those_at_the_limit():
    times_s = asymptotes(0.02, 0.001)
    cells = measured(times_s, DOUBLED, sd=0).assign(queue_length_mean=[0, 0, 0, 4, 28, 76, 172])
    (found,) = capacities(cells, ["workload"]).to_dict("records")
    assert found["client_response_time_ms_mean"] == pytest.approx(found["limit_ms"]) == 40
    assert found["num_clients"] == pytest.approx(40)
    assert found["queue_length_mean"] == pytest.approx(20)
    assert found[USABLE] == found["client_throughput_ops_per_s_mean"] == pytest.approx(1000)
    seen = cells.assign(middleware_throughput_ops_per_s_mean=cells[f"{COLUMNS[0]}_mean"])
    (lower,) = capacities(seen, ["workload"], limit=1.1).to_dict("records")
    assert lower["middleware_throughput_ops_per_s_mean"] == pytest.approx(18 / 0.022)
