import numpy as np
import pandas as pd
import pytest

from analysis.statistics.intervals import half_width_of_mean
from analysis.statistics.spread import FEWEST_CELLS, shared_spread

SEED = 20151
MEAN = 2000.0


def of_cells(values: np.ndarray) -> pd.DataFrame:
    """Share the spread of cells by repetitions, shape (C, R)."""
    frame = pd.DataFrame(values)
    return shared_spread(frame.std(axis=1), frame.mean(axis=1), frame.count(axis=1))


def share_that_holds(spreads: np.ndarray, cells: int, repetitions: int) -> float:
    """Count intervals of cells that hold the truth, over sections of `cells` of them."""
    rng = np.random.default_rng(SEED)
    holds = []
    for _ in range(500):
        sd = MEAN * rng.choice(spreads, size=(cells, 1))
        frame = pd.DataFrame(rng.normal(MEAN, sd, (cells, repetitions)))
        mean, counts = frame.mean(axis=1), frame.count(axis=1)
        shared = shared_spread(frame.std(axis=1), mean, counts)
        half_width = half_width_of_mean(shared["sd"], counts, freedom=shared["freedom"])
        holds.append((mean - MEAN).abs() <= half_width)
    return float(np.mean(holds))


@pytest.mark.slow
@pytest.mark.parametrize("repetitions", [2, 3])
@pytest.mark.parametrize(
    ("spreads", "least"),
    [(np.array([0.02]), 0.94), (np.array([0.01, 0.02, 0.04]), 0.92)],
    ids=["alike", "of three sizes"],
)
def test_intervals_hold_the_truth(spreads, least, repetitions):
    assert share_that_holds(spreads, 12, repetitions) > least


def test_cells_that_spread_alike_lend_each_other_their_freedom():
    rng = np.random.default_rng(SEED)
    shared = of_cells(rng.normal(MEAN, 0.02 * MEAN, (200, 2)))
    assert shared["sd"].median() == pytest.approx(0.02 * MEAN, rel=0.15)
    assert shared["freedom"].min() > 20


def test_a_cell_that_jumps_keeps_its_spread_where_cells_differ():
    """Queues of two regimes: what calm cells lend must not hide it."""
    rng = np.random.default_rng(SEED)
    values = rng.normal(MEAN, MEAN * np.geomspace(1e-3, 0.3, 20)[:, None], (20, 4))
    own = values.std(axis=1, ddof=1)
    assert of_cells(values)["sd"].iloc[-1] > 0.7 * own[-1]


def test_few_cells_keep_their_own_spread_and_freedom():
    rng = np.random.default_rng(SEED)
    values = rng.normal(MEAN, 50, (FEWEST_CELLS - 1, 3))
    shared = of_cells(values)
    assert shared["sd"].to_numpy() == pytest.approx(values.std(axis=1, ddof=1))
    assert (shared["freedom"] == 2).all()


def test_what_has_no_spread_or_one_repetition_borrows_none():
    rng = np.random.default_rng(SEED)
    values = rng.normal(MEAN, 50, (8, 2))
    values[0], values[1, 1] = 7.0, np.nan
    shared = of_cells(values)
    assert shared.loc[0].tolist() == [0, 1]
    assert shared.loc[1].isna().all()
