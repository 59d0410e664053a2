import math

import pytest

from records.objective import Objective
from remote.campaign.planning.bracket import Next
from remote.campaign.planning.cell import Cell, Measured
from remote.campaign.planning.search import (
    dilation_of,
    lengths_of,
    probe_of,
    runs_left,
    searches,
)
from remote.experiment.lengths import Lengths
from remote.experiment.precision import Precision
from remote.experiment.section import Section

P99, THROUGHPUT = "client_p99_ms", "client_throughput_ops_per_s"
SET, GET = {"workload": "set"}, {"workload": "get"}
LENGTHS = Lengths(stable_s=3, warm_up_s=1, cool_down_s=1)


def section(budget_s=1000.0, **more):
    return Section(
        name="mine",
        title="mine",
        kind="load",
        profile="smoke",
        hosts={"clients": 1, "middlewares": 0, "servers": 1},
        factors={"workload": ("set", "get")},
        constants={"clients_per_thread": 8},
        find=Objective.parse("throughput with p99 < 5 ms"),
        precision=Precision(
            goals={"throughput": 0.05, "p99": 0.1}, repetitions=(2, 4), budget_s=budget_s
        ),
        **more,
    )


def run(repetition, p99_ms, throughput, k=1.0, **more):
    results = {P99: p99_ms, f"{P99}_error": 0.01 * p99_ms, THROUGHPUT: throughput}
    return Measured(
        repetition=repetition,
        counts=True,
        time_dilation=k,
        lengths=LENGTHS,
        results=results,
        **more,
    )


def cell(config, rate, *values_ms, **more):
    runs = tuple(run(n, value, rate) for n, value in enumerate(values_ms, start=1))
    return Cell(config={**config, "arrival_rate_per_s": float(rate)}, measured=runs, **more)


def test_a_search_ends_when_its_budget_is_spent_and_tells_what_it_lacks():
    cells = [cell(SET, 400, 1.0), cell(SET, 800, 20.0)]
    on_set, on_get = searches(section(budget_s=10), cells)
    assert isinstance(on_get.step, Next)
    assert on_set.found is not None
    assert (on_set.found.low, on_set.found.high) == (400, 800)
    assert on_set.found.why_not == "not within its budget"
    assert on_set.found.needed == "about 0:00:50 more"  # 4 rates twice, both ends again, 5 s each
    assert runs_left(section(), on_set) == 0


def test_throughput_is_no_better_known_than_a_count_of_arrivals():
    probe = probe_of(cell(SET, 300, 1.0), P99)
    assert probe.throughput_errors == (math.sqrt(300 / 3),)
    dilated = Cell(config=cell(SET, 300).config, measured=(run(1, 1.0, 300.0, k=3.0),))
    assert probe_of(dilated, P99).throughput_errors == (math.sqrt(300 / 1),)


def test_runs_that_do_not_tell_what_is_limited_end_the_search():
    silent = Measured(
        repetition=1, counts=True, time_dilation=1, lengths=LENGTHS, results={THROUGHPUT: 1.0}
    )
    on_set, _ = searches(section(), [Cell(config=cell(SET, 1).config, measured=(silent,))])
    assert on_set.found is not None
    assert on_set.found.why_not == "its runs do not tell the p99"


@pytest.mark.parametrize(("k", "stable_s"), [(1.0, 3), (10.0, 6), (100.0, 41)])
def test_runs_last_for_100_response_times_as_long_as_the_limit(k, stable_s):
    on_set, _ = searches(section(), [])
    assert lengths_of(section(), on_set, k).stable_s == stable_s  # 1.2 * 100 * 5 ms * k, or budget


def test_runs_are_longer_where_those_near_the_limit_tell_too_little():
    def measured(error, p99_ms=5.0):
        one = run(1, p99_ms, 400.0)
        results = {**one.results, f"{P99}_error": error * p99_ms}
        blurred = Measured(
            repetition=1, counts=True, time_dilation=1, lengths=LENGTHS, results=results
        )
        cells = [Cell(config=cell(SET, 400).config, measured=(blurred,))]
        return lengths_of(section(), searches(section(), cells)[0], 1.0).stable_s

    assert measured(0.01) == 3
    assert measured(0.1) == math.ceil(3 * (0.1 / (0.1 / 3 * math.sqrt(2))) ** 2)
    assert measured(0.1, p99_ms=500.0) == 3  # far beyond the limit


def test_time_dilation_is_chosen_by_trials_at_the_first_rate():
    on_set, _ = searches(section(), [])
    assert dilation_of(on_set, 4.0) == 4.0
    assert dilation_of(on_set, None) is None
    trial = Measured(
        repetition=1, counts=False, is_trial=True, time_dilation=1.0, lengths=LENGTHS,
        results={"client_response_time_ms": 1.0}, machine_share=0.01,
    )  # fmt: skip
    tried = Cell(config={**SET, "arrival_rate_per_s": 100.0}, measured=(trial,))
    on_set, _ = searches(section(), [tried, cell(SET, 200, 1.0)])
    assert dilation_of(on_set, None) == 1.0
