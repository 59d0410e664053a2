"""Predictions beside measurements, with a verdict and its reason."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.statistics.intervals import CONFIDENCE
from analysis.text.formatting import Format
from analysis.text.numbers import digits, error_text, percent

TOLERANCE = 0.05
UNEXPLAINED = "not explained by the assumptions that were checked"
MET = ("agrees", "close")  # the verdicts of a prediction that needs no explanation
_CI = f"{percent(CONFIDENCE)} CI"


def compare(
    cells: pd.DataFrame, predicted: pd.Series, column: str, tolerance: float = TOLERANCE
) -> pd.DataFrame:
    r"""Put predictions beside what was measured.

    .. math:: e = (\text{predicted} - \text{measured}) / \text{measured}

    Parameters
    ----------
    cells
        Measured, one row per case, with `column` as ``<column>_mean``, ``_ci_low``, ``_ci_high``
        (`analysis.statistics.intervals.aggregate`; the interval may be missing).
    predicted
        On the index of `cells`, in the unit of `column`.
    tolerance
        Largest fraction that counts as close.

    Returns
    -------
    pandas.DataFrame
        On the index of `cells`: `predicted`, `measured`, `ci_low`, `ci_high` (of the measurement),
        `relative_error`, `verdict` (``agrees``: inside the confidence interval, at most twice the
        tolerance off; ``close``: within the tolerance; ``undecided``: inside an interval that is
        too wide to tell; ``differs``; ``no prediction``; `verdict_words` tells the reader) and
        `reason`.

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
    spread = np.where(low.notna(), f"outside the {_CI}", "without a CI to judge by")
    side = np.where(error > 0, "above", "below")
    reasons = [
        _reason(float(e), ok, where, f"inside a {_CI} too wide to tell" if wide else how)
        for e, ok, wide, where, how in zip(error, agrees, inside, side, spread, strict=True)
    ]
    return pd.DataFrame(
        {
            "predicted": predicted,
            "measured": measured,
            "ci_low": low,
            "ci_high": high,
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
        return f"inside the {_CI}"
    return f"{percent(abs(error), 1)} {side} the measurement, {spread}"


def verdict_words(tolerance: float = TOLERANCE) -> str:
    """Tell readers what the verdicts of `compare` mean."""
    near, far = percent(tolerance), percent(2 * tolerance)
    return (
        f"A prediction **agrees** where it is inside the {percent(CONFIDENCE)} confidence interval "
        f"of the measurement and at most {far} off; it is **close** where it is outside, or there "
        f"is no interval, and at most {near} off; it is **undecided** where it is more than {far} "
        "off, but inside an interval that is as wide; otherwise it **differs**. Relative errors "
        "are (predicted \N{MINUS SIGN} measured) / measured."
    )


def shown(compared: pd.DataFrame) -> pd.DataFrame:
    """Lay out what `compare` returns as a table, without reasons.

    Returns
    -------
    pandas.DataFrame
        The interval is one column, `ci95`, such as ``1.05 to 1.12``, empty where there is none.
    """
    bounds = zip(compared["ci_low"], compared["ci_high"], strict=True)
    to = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}"
    texts = [None if pd.isna(low) else f"{digits(low)}{to}{digits(high)}" for low, high in bounds]
    table = compared.drop(columns=["reason", "ci_high"]).rename(columns={"ci_low": "ci95"})
    return table.assign(ci95=pd.Series(texts, table.index))


def side_by_side(compared: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """Put the models of each case beside each other, one row per case.

    Parameters
    ----------
    compared
        From `compare`, with a column `model`.
    key
        Columns that make a case, the same for all models.

    Returns
    -------
    pandas.DataFrame
        `key`, `measured`, and for each model m what it predicts, ``m``, its relative error,
        ``m error``, and ``m verdict``, named as readers see them.
    """
    wide = compared.drop_duplicates(list(key))[[*key, "measured"]].reset_index(drop=True)
    for model, own in compared.groupby("model", sort=False):
        name = f"{str(model)[:1].upper()}{str(model)[1:]}"
        named = {"predicted": name, "relative_error": f"{name} error", "verdict": f"{name} verdict"}
        wide = wide.merge(own[[*key, *named]].rename(columns=named), on=list(key), how="left")
    return wide


def wide_formats(wide: pd.DataFrame) -> dict[str, Format]:
    """Return formats of the numbers in what `side_by_side` returns."""
    errors = [name for name in wide.columns if str(name).endswith(" error")]
    predicted = ["measured", *(name.removesuffix(" error") for name in errors)]
    return {**dict.fromkeys(predicted, digits), **dict.fromkeys(errors, error_text)}


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
