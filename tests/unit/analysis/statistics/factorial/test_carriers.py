from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.statistics.factorial import analyse
from analysis.statistics.factorial.carriers import carriers, carriers_table, without_cell

FACTORS = ["a", "b", "c"]


def design(response, repetitions=3, sd=0.5):
    rng = np.random.default_rng(1)
    rows = [
        (*levels, block, response(*levels) + rng.normal(0, sd))
        for levels in product((-1, 1), repeat=3)
        for block in range(repetitions)
    ]
    frame = pd.DataFrame(rows, columns=[*FACTORS, "block", "y"])
    return analyse(frame, FACTORS, "y", block="block")


def test_a_cell_that_stands_apart_carries_all_interactions():
    def response(a, b, c):
        return 100 + 10 * a + 5 * b + 80 * (a == b == c == 1)

    result = design(response, sd=0)
    found = carriers(result)
    assert found["interactions_carried"].idxmax() == "+++"
    assert found.loc["+++", "interactions_carried"] == pytest.approx(1)
    assert found.loc["+++", ["measured", "from_others"]].tolist() == pytest.approx([195, 115])
    without = without_cell(result, "+++")
    assert without.to_dict() == pytest.approx(
        {"I": 100, "A": 10, "B": 5, "C": 0, "AB": 0, "AC": 0, "BC": 0, "ABC": 0}, abs=1e-9
    )
    assert result.effects.loc["ABC", "effect"] == pytest.approx(10)


def test_a_cell_that_does_not_repeat_itself_carries_the_error():
    rng = np.random.default_rng(2)
    noise = iter(rng.normal(0, 50, 100))
    result = design(lambda a, b, c: 100 + 5 * a + (next(noise) if (a, b, c) == (1, -1, 1) else 0))
    assert carriers(result).loc["+-+", "error_carried"] == pytest.approx(0.75, abs=0.2)
    # of the sole noisy cell, of which its block's mean takes an eighth


def test_effects_stand_above_those_without_the_carrier():
    result = design(lambda a, b, c: 100 + 10 * a + 80 * (a == b == c == 1))
    table = carriers_table({("set", "throughput"): result})
    assert table["Cells"].tolist() == ["all", "without A+ B+ C+"]
    assert table["A"].tolist() == pytest.approx([20, 10], abs=1)
    assert table["Interactions"].isna().tolist() == [True, False]


def test_one_factor_has_no_interactions():
    frame = pd.DataFrame({"a": [-1, 1, -1, 1], "y": [1.0, 2.0, 1.1, 2.2]})
    with pytest.raises(ValueError, match="one factor has no interactions"):
        carriers(analyse(frame, ["a"], "y"))


def test_an_interaction_of_two_factors_is_carried_by_no_cell_alone():
    found = carriers(design(lambda a, b, c: 100 + 10 * a * b))
    assert found["interactions_carried"].max() < 0.4
