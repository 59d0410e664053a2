from dataclasses import replace

from remote.campaign.planning.cell import Cell, Measured
from remote.campaign.planning.run_lengths import next_length, trial_length
from remote.experiment.lengths import Lengths
from remote.experiment.precision import Precision

PRECISION = Precision(goals={"throughput": 0.05}, repetitions=(2, 6), budget_s=600)


def cell(*, k: float, transient_ms: float, response_ms: float = 2.0) -> Cell:
    results = {"client_response_time_ms": response_ms, "client_transient_ms": transient_ms}
    lengths = Lengths(stable_s=3, warm_up_s=1, cool_down_s=1)
    trial = Measured(
        repetition=1,
        counts=False,
        is_trial=True,
        time_dilation=k,
        lengths=lengths,
        results=results,
    )
    return Cell(config={"workload": "set"}, measured=(trial,))


def test_a_transient_of_the_same_k_is_waited_for():
    known = cell(k=4, transient_ms=700)
    assert next_length(known, PRECISION, 4).lengths.warm_up_s == 3
    assert trial_length(known, PRECISION, 4).lengths.warm_up_s == 3


def test_heating_comes_before_the_warm_up():
    heated = replace(PRECISION, heat_s=10)
    known = cell(k=4, transient_ms=3200)  # of which 10 s were spent heating
    assert next_length(known, heated, 4).lengths == Lengths(stable_s=3, warm_up_s=13)
    assert trial_length(known, heated, 4).lengths == Lengths(stable_s=3, warm_up_s=13)


def test_a_transient_of_another_k_tells_nothing():
    known = cell(k=1, transient_ms=1500)
    assert next_length(known, PRECISION, 30).lengths == Lengths(stable_s=7, warm_up_s=2)


def test_no_transient_is_waited_for_longer_than_is_measured():
    assert next_length(cell(k=1, transient_ms=9000), PRECISION, 1).lengths.warm_up_s == 3


def test_a_first_run_is_as_long_as_theory_says_and_the_next_as_was_measured():
    """110 response times of 66 ms and their margin at k = 2."""
    untouched = Cell(config={"workload": "get"}, least_response_time_s=0.066)
    assert next_length(untouched, PRECISION, 2.0).lengths == Lengths(stable_s=14, warm_up_s=2)
    known = replace(cell(k=2, transient_ms=0, response_ms=10.0), least_response_time_s=0.066)
    assert next_length(known, PRECISION, 2.0).lengths.stable_s == 3


def test_the_last_of_the_fewest_repetitions_may_take_all_that_is_left_of_the_budget():
    first = Measured(
        repetition=1,
        counts=True,
        time_dilation=1.0,
        lengths=Lengths(stable_s=100),
        results={"client_response_time_ms": 10_000.0},
    )
    second = next_length(Cell(config={"workload": "set"}, measured=(first,)), PRECISION, 1.0)
    assert second.is_cut
    assert second.lengths.total_s == PRECISION.budget_s - first.lengths.total_s
