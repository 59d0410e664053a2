"""Planted errors: equal, unequal, and in proportion to the response."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.statistics.factorial import analyse
from analysis.statistics.factorial.checks import p_of_equal_variances, powers_that_fit
from analysis.statistics.factorial.designs import evidence_table

FACTORS = ["a", "b", "c"]
CELLS = np.array(list(product((-1, 1), repeat=3)))


def design(rng, sd, repetitions=3, mean=None):
    """Responses of eight cells in blocks; `sd` and `mean` of each cell, or of all."""
    mean = 100 + 10 * CELLS[:, 0] if mean is None else mean
    errors = rng.normal(size=(8, repetitions)) * np.broadcast_to(sd, 8)[:, np.newaxis]
    values = np.broadcast_to(mean, 8)[:, np.newaxis] + errors + 3 * np.arange(repetitions)
    frame = pd.DataFrame(np.repeat(CELLS, repetitions, axis=0), columns=FACTORS)
    return frame.assign(block=np.tile(np.arange(repetitions), 8), y=values.ravel())


def analysed(frame, **options):
    return analyse(frame, FACTORS, "y", block="block", **options)


@pytest.mark.slow
@pytest.mark.parametrize("repetitions", [3, 4])
def test_equal_variances_are_refused_in_a_twentieth(repetitions):
    rng = np.random.default_rng(1)
    refused = sum(
        p_of_equal_variances(analysed(design(rng, 2.0, repetitions))) < 0.05 for _ in range(200)
    )
    assert 2 <= refused <= 20


def test_one_cell_that_does_not_repeat_itself_is_found():
    rng = np.random.default_rng(2)
    sd = np.array([1, 1, 1, 1, 1, 1, 1, 12.0])
    found = sum(p_of_equal_variances(analysed(design(rng, sd, 5))) < 0.05 for _ in range(60))
    assert found > 40


def test_unequal_variances_change_degrees_of_freedom_alone():
    frame = design(np.random.default_rng(4), np.arange(1, 9))
    pooled, apart = (analysed(frame, equal_variances=equal) for equal in (True, False))
    assert pooled.freedom == 14 > apart.freedom >= 2
    assert apart.sse == pooled.sse
    assert apart.effects["effect"].tolist() == pooled.effects["effect"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("power", "excluded"), [(0.0, 1.0), (1.0, 0.0)])
def test_the_power_that_was_planted_is_found(power, excluded):
    rng = np.random.default_rng(5)
    held, others = 0, 0
    for _ in range(60):
        logs = 2 + CELLS @ np.array([0.8, 0.5, 0.3])
        mean = logs if power == 0 else 5 * np.exp(logs) + 20
        frame = design(rng, 0.05 if power == 0 else 2.0, 4, mean)
        frame["y"] -= 3 * frame["block"]
        if power == 0:
            frame["y"] = np.exp(frame["y"])
        low, high = powers_that_fit(analysed(frame))
        held += low <= power <= high
        others += low <= excluded <= high
    assert held / 60 > 0.88
    assert others / 60 < 0.5


def test_without_repetitions_nothing_is_known_of_the_errors():
    once = analysed(design(np.random.default_rng(6), 1.0, 1))
    same = analysed(design(np.random.default_rng(6), 0.0, 3))
    for result in (once, same):
        assert np.isnan(p_of_equal_variances(result))
        assert np.isnan(powers_that_fit(result)).all()
        evidence = evidence_table({("get", "y"): result}).iloc[0]
        assert np.isnan(evidence["p of normality"])


def test_residuals_of_one_size_but_for_rounding_tell_nothing_of_normality():
    frame = pd.DataFrame({"a": [-1, -1, 1, 1], "block": [1, 2, 1, 2], "y": [3.7, 41.2, 7.1, 9.9]})
    result = analyse(frame, ["a"], "y", block="block")
    assert np.isnan(evidence_table({("get", "y"): result}).iloc[0]["p of normality"])
