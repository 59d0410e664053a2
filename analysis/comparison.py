"""Predictions beside measurements, with a verdict and its reason."""

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
        inside the confidence interval; ``close``: within the tolerance; ``differs``; ``no
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
    agrees = predicted.between(low, high)
    missing = error.isna()
    verdict = np.select(
        [missing, agrees, error.abs() <= tolerance], ["no prediction", "agrees", "close"], "differs"
    )
    spread = np.where(low.notna(), "outside the 95 % CI", "without a CI to judge by")
    side = np.where(error > 0, "above", "below")
    reasons = [
        _reason(float(e), inside, where, how)
        for e, inside, where, how in zip(error, agrees, side, spread, strict=True)
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
