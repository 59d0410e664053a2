from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.statistics.designs import (
    analyse_both,
    choose_model,
    coded_runs,
    evidence_table,
    factor_levels,
    filled_words,
)

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


def test_levels_are_coded_by_size():
    frame = coded(runs(lambda *_: 1.0))
    assert set(frame["workers"]) == {-1, 1}
    assert factor_levels(runs(lambda *_: 1.0), FACTORS)["workers"] == (8, 32)
    assert len(frame) == 24
    assert "Every run" in filled_words(frame)


def test_a_rejected_run_is_filled_in_by_its_combination():
    frame = coded(runs(lambda s, m, w: float(s * m * w)).drop(index=0))
    assert (frame.groupby(FACTORS).size() == 3).all()
    (filled,) = frame.loc[frame["filled"], "y"]
    assert filled == 8.0
    assert filled_words(frame).startswith("1 of 24 runs were not accepted")


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


def test_errors_in_proportion_choose_the_multiplicative_model():
    rng = np.random.default_rng(1)
    frame = coded(runs(lambda s, m, w: s * m * rng.lognormal(0, 0.05), repetitions=8))
    result, reason = choose_model(analyse_both(frame, FACTORS, "y"))
    assert result.model == "multiplicative"
    assert reason.startswith("y_max / y_min is")
    assert reason.count("rank correlation") == 2  # of both models


def test_equal_errors_choose_the_additive_model():
    rng = np.random.default_rng(1)
    frame = coded(runs(lambda s, m, w: 100 + s + rng.normal(0, 1)))
    evidence = analyse_both(frame, FACTORS, "y")
    result, reason = choose_model(evidence)
    assert result.model == "additive"
    assert "do not grow" in reason
    assert 0 <= evidence.loc["additive", "normality_p_value"] <= 1


def test_without_repetitions_there_is_no_evidence_of_residuals():
    frame = coded(runs(lambda s, m, w: s + m + w, repetitions=1))
    evidence = analyse_both(frame, FACTORS, "y")
    assert evidence["spread_p_value"].isna().all()
    assert choose_model(evidence)[0].model == "additive"


def test_an_order_of_magnitude_chooses_the_multiplicative_model():
    frame = coded(runs(lambda s, m, w: s**3 * m))
    assert choose_model(analyse_both(frame, FACTORS, "y"))[0].model == "multiplicative"


def test_evidence_of_several_responses_stands_in_one_table():
    both = analyse_both(coded(runs(lambda s, m, w: s + m + w)), FACTORS, "y")
    table = evidence_table({("set", "y"): both, ("get", "y"): both})
    assert table[["workload", "model"]].to_numpy().tolist()[0] == ["set", "additive"]
    assert len(table) == 4
