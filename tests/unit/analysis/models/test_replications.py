from dataclasses import replace

import pandas as pd
import pytest

from analysis.models import System, message_bytes, mm1
from analysis.models.simulated.replications import (
    WORTH_A_PROCESS,
    Case,
    Goal,
    one_replication,
    replicate,
)
from analysis.models.simulated.simulation import SimulationOptions

NO_MESSAGES = {"request_bytes": 0, "reply_bytes": 0}
SERVER = System(server_time=1e-3, **NO_MESSAGES)


def open_case(rho, duration_s=5.0):
    options = SimulationOptions(warm_up_s=0.5, duration_s=duration_s, batches=2)
    return Case(system=SERVER, arrival_rate=1000 * rho, options=options)


def closed_case(num_clients):
    """Of product form, so that the truth is known."""
    system = System(servers=1, server_time=2e-4, think_time=2e-3, **message_bytes("get"))
    options = SimulationOptions(warm_up_s=0.1, duration_s=0.5, batches=2, link_times="exponential")
    return Case(system=system, num_clients=num_clients, options=options)


@pytest.mark.parametrize("rho", [0.3, 0.6])
def test_replications_are_as_many_as_mm1_needs_to_be_known(rho):
    (found,) = replicate([open_case(rho, duration_s=20)], Goal(precision=0.02), processes=1)
    assert found.known
    assert found.half_width <= 0.02
    assert found.replications >= 5
    truth_ms = 1000 * float(mm1(1000 * rho, 1000).response_time)
    response_time_ms = found.measures.loc["client_response_time_ms", "mean"]
    assert response_time_ms == pytest.approx(truth_ms, rel=0.03)


def test_more_replications_are_run_only_where_they_are_missing():
    constant = SimulationOptions(warm_up_s=0.5, duration_s=0.5, batches=2)
    system = replace(closed_case(12).system, think_time=0.0)
    full_link = Case(system=system, num_clients=12, options=constant)
    goal = Goal(precision=0.02, most=8)
    quiet, noisy = replicate([full_link, open_case(0.8)], goal, processes=1)
    assert (quiet.replications, noisy.replications) == (5, 8)
    other, _ = replicate([open_case(0.8), full_link], goal, processes=1)
    pd.testing.assert_frame_equal(other.measures, noisy.measures)


@pytest.mark.slow
def test_results_are_those_of_one_process_whatever_their_number():
    cases = [closed_case(clients) for clients in (1, 2, 3, 4, 6, 8, 12)]
    goal = Goal(most=6)
    assert len(cases) * goal.fewest >= WORTH_A_PROCESS
    alone, together = (replicate(cases, goal, processes=count) for count in (1, 2))
    for one, other in zip(alone, together, strict=True):
        pd.testing.assert_frame_equal(one.measures, other.measures)
        assert one.replications == other.replications


def test_seeds_differ_between_replications_and_are_the_same_for_all_cases():
    seeds = Goal(most=30).seeds()
    assert len(set(seeds)) == 30
    assert seeds[:5] == Goal(most=5).seeds()
    assert seeds[0] != Goal(seed=2).seeds()[0]
    one, other = (one_replication((open_case(0.5), seed)) for seed in seeds[:2])
    assert one["client_response_time_ms"] != other["client_response_time_ms"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"precision": 0}, "precision must be > 0"), ({"fewest": 1}, "got 1 and 30"),
     ({"most": 3}, "got 5 and 3")],
)  # fmt: skip
def test_goals_that_cannot_be_met_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Goal(**wrong)
