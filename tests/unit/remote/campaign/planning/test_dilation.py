"""Time dilations chosen for planted systems, whose machine takes what is known."""

from dataclasses import replace

import numpy as np
import pytest

from remote.campaign.planning.cell import Cell, Measured
from remote.campaign.planning.dilation import (
    AT_LIMIT,
    ESTIMATED,
    LADDER,
    MOST_OF_ONE,
    MOST_TRIALS,
    NONE_SUFFICES,
    NOT_MEASURED,
    OVER_BUDGET,
    UNTOLD,
    Choice,
    choice,
    choice_within,
)
from remote.experiment.lengths import Lengths
from remote.experiment.precision import Precision

SEEDS = range(200)
MACHINE_MS = 0.2


def trial(k, value, *, error=None, machine_share=None):
    results = {"client_response_time_ms": value}
    if error is not None:
        results["client_response_time_ms_error"] = error
    return Measured(
        repetition=1,
        counts=False,
        is_trial=True,
        time_dilation=k,
        lengths=Lengths(stable_s=3),
        results=results,
        machine_share=machine_share,
    )


def with_latency(response_time_ms, machine_ms=MACHINE_MS):
    """Give what a request takes without the machine; what it and its share are at k."""
    return (
        lambda k: response_time_ms + machine_ms / k,
        lambda k: machine_ms / k / (response_time_ms + machine_ms / k),
    )


def chosen_for(response_time, *, noise=0.0, seed=0, tells_error=True, share=None, largest=64):
    """Play trials until a time dilation is chosen; the choice and the k that were tried."""
    rng = np.random.default_rng(seed)
    trials = []
    while True:
        found = choice(Cell(config={}, measured=tuple(trials)), largest=largest)
        if isinstance(found, Choice):
            break
        assert len(trials) < MOST_TRIALS, "the trials go on and on"
        value = response_time(found)
        trials.append(
            trial(
                found,
                value * (1 + noise * rng.standard_normal()),
                error=max(noise, 1e-6) * value if tells_error else None,
                machine_share=share(found) if share else None,
            )
        )
    tried = [one.time_dilation for one in trials]
    assert max(tried.count(k) for k in tried) <= MOST_OF_ONE and found.time_dilation <= max(tried)
    return found, tried


def over_seeds(system, noise, **given):
    """Return the k chosen, the number of trials, how often no k is said to suffice that does not.

    And how often none is said to suffice at all.
    """
    response_time, share = system
    found = [chosen_for(response_time, noise=noise, seed=seed, **given) for seed in SEEDS]
    covered = [share(one.time_dilation) <= 0.02 or not one.suffices for one, _ in found]
    return (
        np.array([one.time_dilation for one, _ in found]),
        np.array([len(tried) for _, tried in found]),
        float(np.mean(covered)),
        float(np.mean([not one.suffices for one, _ in found])),
    )


def test_a_trial_near_its_limit_is_enough():
    response_time, share = with_latency(50)
    found, tried = chosen_for(response_time, noise=0.03, share=share)
    assert (found.time_dilation, found.suffices, found.why) == (1, True, AT_LIMIT)
    assert found.machine_share == pytest.approx(share(1)) and tried == [1]


@pytest.mark.parametrize(("response_time_ms", "k"), [(1, 10), (5, 2), (50, 1)])
def test_without_noise_the_smallest_k_is_chosen(response_time_ms, k):
    found, tried = chosen_for(with_latency(response_time_ms)[0])
    assert (found.time_dilation, found.suffices, found.why) == (k, True, ESTIMATED)
    assert found.machine_share == pytest.approx(with_latency(response_time_ms)[1](k), abs=1e-3)
    assert tried == ([1, 4, k] if k > 4 else [1, 4])


@pytest.mark.parametrize(
    ("response_time_ms", "noise", "largest_usual_k", "most_usual_trials"),
    [
        (1, 0.005, 12, 3.2),
        (1, 0.03, 20, 5),
        (5, 0.005, 3, 2.5),
        (5, 0.03, 8, 8),
        (50, 0.005, 2, 4),
        (50, 0.03, 5, 7),
    ],
)
def test_noise_makes_k_larger_and_not_too_small(
    response_time_ms, noise, largest_usual_k, most_usual_trials
):
    system = with_latency(response_time_ms)
    chosen, trials, covered, marked = over_seeds(system, noise)
    assert covered >= 0.95 and marked <= 0.06
    assert np.median(chosen) <= largest_usual_k and np.mean(trials) <= most_usual_trials


@pytest.mark.parametrize(("noise", "most"), [(0.005, 16), (0.01, 24)])
def test_a_machine_without_cpu_at_small_k_does_not_mislead(noise, most):
    def response_time(k):
        return max(1, 10 / k)

    chosen, trials, covered, marked = over_seeds(
        (response_time, lambda k: 1 - 1 / response_time(k)), noise
    )
    assert covered == 1 and marked == 0 and 10 <= np.median(chosen) <= most and np.mean(trials) > 3


def test_where_no_k_suffices_the_largest_is_marked():
    found, tried = chosen_for(lambda k: 0.2 + 50 / k, noise=0.01)
    assert (found.time_dilation, found.suffices, found.why) == (64, False, NONE_SUFFICES)
    assert found.machine_share > 0.75 and tried == list(LADDER)


def test_what_noise_hides_is_not_taken_for_known():
    found, tried = chosen_for(with_latency(1)[0], noise=0.5, seed=3)
    assert (found.suffices, found.why) == (False, UNTOLD) and len(tried) == MOST_TRIALS


def test_a_trial_that_was_given_up_ends_the_trials():
    at_one_and_four = (trial(1.0, 1.2, error=1e-3), trial(4.0, 1.05, error=1e-3))
    cell = Cell(config={}, measured=at_one_and_four)
    assert choice(cell) == 11
    found = choice(replace(cell, given_up=frozenset({1})))
    assert (found.time_dilation, found.suffices, found.why) == (4, False, NOT_MEASURED)
    none = choice(Cell(config={}, given_up=frozenset({1})))
    assert (none.time_dilation, none.machine_share, none.why) == (1, None, NOT_MEASURED)


def test_what_the_trials_have_settled_stays_when_a_repetition_is_given_up():
    measured = (trial(1.0, 5.2, error=1e-3), trial(4.0, 5.05, error=1e-3))
    before = choice(Cell(config={}, measured=measured))
    assert before == choice(Cell(config={}, measured=measured, given_up=frozenset({1})))
    assert (before.time_dilation, before.why) == (2, ESTIMATED)


def test_no_k_is_tried_at_which_the_repetitions_would_pass_the_budget():
    """Two runs of 110 responses of 30 ms take 8 s at k = 1, with their margin."""
    first = trial(1.0, 30.0, machine_share=0.3)
    asked = Precision(goals={"throughput": 0.05}, repetitions=(2, 6), budget_s=80)
    assert choice(Cell(config={}, measured=(first,))) == 4
    small = Precision(goals={"throughput": 0.05}, repetitions=(2, 6), budget_s=40)
    assert choice_within(Cell(config={}, measured=(first,)), small) == 2
    both = trial(1.0, 60.0, error=0.01), trial(5.0, 29.0, error=0.01)
    found = choice_within(Cell(config={}, measured=both), asked)
    assert isinstance(found, Choice)
    assert (found.time_dilation, found.suffices, found.why) == (5.0, False, OVER_BUDGET)
