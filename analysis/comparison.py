"""Predictions beside measurements, with a verdict and its reason."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

TOLERANCE = 0.05


def compare(
    cells: pd.DataFrame, predicted: pd.Series, column: str, tolerance: float = TOLERANCE
) -> pd.DataFrame:
    r"""Put predictions beside what was measured.

    .. math:: e = (\text{predicted} - \text{measured}) / \text{measured}

    Parameters
    ----------
    cells
        Measured, one row per case, with `column` as ``<column>_mean``, ``_ci_low``, ``_ci_high``
        (`analysis.stats.aggregate`; the interval may be missing).
    predicted
        On the index of `cells`, in the unit of `column`.
    tolerance
        Largest fraction that counts as close.

    Returns
    -------
    pandas.DataFrame
        On the index of `cells`: `predicted`, `measured`, `relative_error`, `verdict` (``agrees``:
        inside the confidence interval, at most twice the tolerance off; ``close``: within the
        tolerance; ``undecided``: inside an interval that is too wide to tell; ``differs``; ``no
        prediction``) and `reason`.

    Raises
    ------
    ValueError
        A measured value that is not above 0, or a tolerance that is not.
    """
    if tolerance <= 0:
        raise ValueError(f"tolerance must be > 0, got {tolerance}")
    measured = cells[f"{column}_mean"]
    if not (measured > 0).all():
        raise ValueError(f"{column} must be > 0, got {measured[~(measured > 0)].iloc[0]}")
    predicted = predicted.reindex(cells.index)
    low, high = cells[f"{column}_ci_low"], cells[f"{column}_ci_high"]
    error = predicted / measured - 1
    inside = predicted.between(low, high)
    agrees = inside & (error.abs() <= 2 * tolerance)
    missing = error.isna()
    verdict = np.select(
        [missing, agrees, error.abs() <= tolerance, inside],
        ["no prediction", "agrees", "close", "undecided"],
        "differs",
    )
    spread = np.where(low.notna(), "outside the 95 % CI", "without a CI to judge by")
    side = np.where(error > 0, "above", "below")
    reasons = [
        _reason(float(e), ok, where, "inside a 95 % CI too wide to tell" if wide else how)
        for e, ok, wide, where, how in zip(error, agrees, inside, side, spread, strict=True)
    ]
    return pd.DataFrame(
        {
            "predicted": predicted,
            "measured": measured,
            "relative_error": error,
            "verdict": verdict,
            "reason": reasons,
        },
        index=cells.index,
    )


def _reason(error: float, inside: bool, side: str, spread: str) -> str:
    if np.isnan(error):
        return "the model gives nothing here"
    if inside:
        return "inside the 95 % CI"
    return f"{abs(error):.1%} {side} the measurement, {spread}"


def error_table(compared: Mapping[str, pd.DataFrame], near: float = TOLERANCE) -> pd.DataFrame:
    """Summarise how far the models of several comparisons are off.

    Parameters
    ----------
    compared
        What was predicted, in words, to what `compare` returns with a column `model`.
    near
        Relative error that counts as near.

    Returns
    -------
    pandas.DataFrame
        One row per comparison and model: `predicted` (in words), `model`, `predictions`,
        `median_absolute_error`, `largest_error` (signed), `near` (the share of them).
    """
    rows = []
    for what, frame in compared.items():
        for model, own in frame.groupby("model", sort=False):
            errors = own["relative_error"].astype(float).dropna()
            if errors.empty:
                continue
            rows.append(
                {
                    "predicted": what,
                    "model": model,
                    "predictions": len(errors),
                    "median_absolute_error": errors.abs().median(),
                    "largest_error": errors.iloc[int(np.argmax(errors.abs()))],
                    "near": (errors.abs() <= near).mean(),
                }
            )
    columns = [
        "predicted",
        "model",
        "predictions",
        "median_absolute_error",
        "largest_error",
        "near",
    ]
    return pd.DataFrame(rows, columns=columns)
