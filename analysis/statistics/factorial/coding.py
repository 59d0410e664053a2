"""The rows of a 2^k r design checked and coded, with the signs of all effects."""

from collections.abc import Sequence
from itertools import combinations
from string import ascii_uppercase

import numpy as np
import pandas as pd

MEAN = "I"
LARGEST_K = 5
MODELS = ("additive", "multiplicative")


def check_arguments(factors: Sequence[str], model: str, confidence: float) -> None:
    """Refuse arguments that are out of their domains."""
    if not 1 <= len(factors) <= LARGEST_K or len(set(factors)) != len(factors):
        raise ValueError(f"factors must be 1 to {LARGEST_K} different columns, got {list(factors)}")
    if model not in MODELS:
        raise ValueError(f"model must be one of {MODELS}, got {model!r}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be in (0, 1), got {confidence}")


def coded_levels(frame: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """Return the levels, coded -1 and +1, under the letters A, B, ..."""
    levels = frame[list(factors)].set_axis(list(ascii_uppercase[: len(factors)]), axis="columns")
    wrong = ~levels.isin([-1, 1])
    if wrong.any(axis=None):
        raise ValueError(
            f"levels must be coded -1 or +1, got {levels.astype(object).to_numpy()[wrong][0]!r}"
        )
    return levels.astype(float)


def responses_of(frame: pd.DataFrame, response: str, model: str) -> np.ndarray:
    """Return the responses as finite numbers, above 0 for a multiplicative model."""
    try:
        values: np.ndarray = frame[response].to_numpy(dtype=float)
    except (ValueError, TypeError) as exc:
        raise ValueError(f"{response} must hold numbers: {exc}") from exc
    if not np.isfinite(values).all():
        raise ValueError(f"{response} must be finite, got {values[~np.isfinite(values)][0]}")
    if model == "multiplicative" and (values <= 0).any():
        raise ValueError(f"{response} must be > 0 for a multiplicative model, got {values.min():g}")
    return values


def count_repetitions(levels: pd.DataFrame, factors: Sequence[str]) -> int:
    """Count the repetitions of the combinations, which must all be there as often."""
    counts = levels.groupby(list(levels.columns)).size()
    combinations_wanted = 2 ** len(factors)
    if len(counts) != combinations_wanted:
        raise ValueError(
            f"all {combinations_wanted} combinations of {list(factors)} must be measured, "
            f"got {len(counts)}"
        )
    if counts.min() != counts.max():
        raise ValueError(
            f"every combination must have the same number of repetitions, got {counts.tolist()}"
        )
    return int(counts.iloc[0])


def sign_table(levels: pd.DataFrame) -> tuple[list[str], np.ndarray]:
    """Return effects in the order mean, factors, products of two, ..., and signs of each row."""
    letters = list(levels.columns)
    groups = [list(g) for degree in range(len(letters) + 1) for g in combinations(letters, degree)]
    signs = np.column_stack([levels[group].prod(axis="columns") for group in groups])
    return ["".join(group) or MEAN for group in groups], signs


def cells_of(levels: pd.DataFrame) -> np.ndarray:
    """Name each row's cell by the signs of its factors, such as ``+-+``."""
    signs = np.where(levels.to_numpy() > 0, "+", "-")
    return np.array(["".join(row) for row in signs])


def blocks_of(
    frame: pd.DataFrame, levels: pd.DataFrame, block: str | None, repetitions: int
) -> np.ndarray:
    """Return each row's block; all are of one without blocks, or without repetitions."""
    if block is None or repetitions == 1:
        return np.zeros(len(frame), dtype=int)
    blocks = frame[block]
    if levels.assign(block=blocks).duplicated().any() or blocks.nunique() != repetitions:
        raise ValueError(f"every combination must stand once in each of the blocks of {block}")
    return blocks.to_numpy()
