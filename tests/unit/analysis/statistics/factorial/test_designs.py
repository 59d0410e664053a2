from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.statistics.factorial.designs import analyse_designs, coded_runs, evidence_table

FACTORS = ["num_servers", "num_middlewares", "workers"]


def runs(response, repetitions=3):
    rows = [
        (servers, middlewares, workers, repetition, response(servers, middlewares, workers))
        for servers, middlewares, workers in product((1, 3), (1, 2), (8, 32))
        for repetition in range(1, repetitions + 1)
    ]
    return pd.DataFrame(rows, columns=[*FACTORS, "repetition", "y"])


def coded(frame):
    return coded_runs(frame, FACTORS, ["y"])


def analysed(frame, model="additive"):
    return analyse_designs(frame.assign(workload="get"), FACTORS, {"Y": "y"}, model)


def test_a_rejected_run_is_filled_in_by_its_combination():
    frame = coded(runs(lambda s, m, w: float(s * m * w)).drop(index=0))
    assert (frame.groupby(FACTORS).size() == 3).all()
    assert (frame.groupby("repetition").size() == 8).all()
    (filled,) = frame.loc[frame["filled"], "y"]
    assert filled == 8.0


def test_repetitions_that_few_combinations_have_are_left_out():
    frame = runs(lambda s, m, w: float(s * m * w))
    last = frame["repetition"].max()
    more = frame[frame["repetition"] == last].head(2).assign(repetition=last + 1, y=99.0)
    assert coded(pd.concat([frame, more])).equals(coded(frame))


def test_a_missing_combination_is_filled_in_by_main_effects():
    frame = runs(lambda s, m, w: 100.0 + s + 10 * m + w)
    part = frame.query("~(num_servers == 3 and num_middlewares == 2 and workers == 32)")
    filled = coded(part).query("filled")["y"]
    assert filled.tolist() == pytest.approx([155.0] * 3)


def test_a_missing_level_is_told():
    frame = runs(lambda *_: 1.0)
    with pytest.raises(ValueError, match="workers must have two levels"):
        coded(frame.query("workers == 8"))
    few = frame.query("num_servers == 1 and num_middlewares == 1 and workers == 8")
    more = frame.query("num_servers == 3 and num_middlewares == 2 and workers == 32")
    with pytest.raises(ValueError, match=r"2 of 8 combinations .* too few"):
        coded(pd.concat([few, more]))


def test_a_slower_repetition_is_no_error():
    frame = runs(lambda s, m, w: 100.0 * s)
    slower = frame.assign(y=frame["y"] - 10 * frame["repetition"])
    result = analysed(slower)["get", "Y"]
    assert result.sse == pytest.approx(0, abs=1e-9)
    assert result.block_variation > 0


def test_each_workload_is_a_design_of_its_own_sets_first():
    frame = runs(lambda s, m, w: float(s))
    both = pd.concat([frame.assign(workload="get"), frame.assign(workload="set", y=frame["y"] * 2)])
    results = analyse_designs(both, FACTORS, {"Y": "y"})
    assert list(results) == [("set", "Y"), ("get", "Y")]
    assert results["set", "Y"].effects.loc["A", "effect"] == pytest.approx(2)


def test_evidence_tells_errors_in_proportion():
    rng = np.random.default_rng(1)
    frame = runs(lambda s, m, w: s**3 * m * rng.lognormal(0, 0.05), repetitions=8)
    by_sums, by_factors = (
        evidence_table(analysed(frame, model)).iloc[0] for model in ("additive", "multiplicative")
    )
    assert by_sums["p of equal variances"] < 0.05
    assert by_sums["Freedom"] < 49  # of blocks, (2^3 - 1) (8 - 1)
    assert by_sums["Power from"] <= 0 <= by_sums["Power to"] < 1
    assert by_sums["Interactions"] > by_factors["Interactions"]
    assert by_sums["Max / min"] > 10
    assert 0 <= by_factors["p of normality"] <= 1
