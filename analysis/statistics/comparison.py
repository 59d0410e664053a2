"""Predictions beside measurements, and how far models are off."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.statistics.verdicts import Verdict, verdict_equal
from analysis.text.numbers import digits

NEAR = 0.05
_ERROR_COLUMNS = ["quantity", "model", "predictions", "rms_log_error", "largest_error"]
_ERROR_COLUMNS += ["near", "supported", "refuted"]


def compare(cells: pd.DataFrame, predicted: pd.Series, column: str) -> pd.DataFrame:
    r"""Put predictions beside what was measured.

    .. math:: e = (\text{predicted} - \text{measured}) / \text{measured}

    Columns, on the index of `cells`: `predicted`, `measured`, `ci_low`, `ci_high` (of the
    measurement), `relative_error`, and `verdict`: whether the measured mean equals the prediction
    within `NEAR` of it (`analysis.statistics.verdicts`); missing without a prediction.

    Parameters
    ----------
    cells
        Measured, one row per case, with `column` as ``<column>_mean``, ``_ci_low``, ``_ci_high``
        (`analysis.statistics.intervals.aggregate`; the interval may be missing).
    predicted
        On the index of `cells`, in the unit of `column`.
    """
    measured = cells[f"{column}_mean"]
    if not (measured > 0).all():
        raise ValueError(f"{column} must be > 0, got {measured[~(measured > 0)].iloc[0]}")
    predicted = predicted.reindex(cells.index).astype(float)
    return pd.DataFrame(
        {
            "predicted": predicted,
            "measured": measured,
            "ci_low": cells[f"{column}_ci_low"],
            "ci_high": cells[f"{column}_ci_high"],
            "relative_error": predicted / measured - 1,
            "verdict": verdicts(predicted, cells[f"{column}_ci_low"], cells[f"{column}_ci_high"]),
        },
        index=cells.index,
    )


def verdicts(
    targets: pd.Series, ci_low: pd.Series, ci_high: pd.Series, margin: float = NEAR
) -> list[str | None]:
    """Judge by their 95 % intervals whether means equal targets; None where there is no target."""
    bounds = zip(targets, ci_low, ci_high, strict=True)
    return [
        str(verdict_equal((low, high), target, margin))
        if np.isfinite(target) and target != 0
        else None
        for target, low, high in bounds
    ]


def shown(compared: pd.DataFrame) -> pd.DataFrame:
    """Lay out what `compare` returns as a table with the interval as text, `ci95`: ``1 to 1.1``."""
    bounds = zip(compared["ci_low"], compared["ci_high"], strict=True)
    to = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}"
    texts = [None if pd.isna(low) else f"{digits(low)}{to}{digits(high)}" for low, high in bounds]
    table = compared.drop(columns="ci_high").rename(columns={"ci_low": "ci95"})
    return table.assign(ci95=pd.Series(texts, table.index))


def as_points(compared: pd.DataFrame, column: str) -> pd.DataFrame:
    """Name what `compare` returns as figures of predictions over measurements want it.

    The rows that have a prediction, with ``<column>_predicted``, ``_mean``, ``_ci_low`` and
    ``_ci_high`` beside the columns of `compared`.
    """
    names = {"predicted": "predicted", "measured": "mean", "ci_low": "ci_low", "ci_high": "ci_high"}
    known = compared.dropna(subset="predicted")
    return known.assign(
        **{f"{column}_{name}": known[part].astype(float) for part, name in names.items()}
    )


def rms_log_error(relative_errors: pd.Series) -> float:
    r"""Root mean square of the logarithm of predicted over measured.

    .. math:: \sqrt{\frac{1}{n} \sum_i \ln^2(1 + e_i)}

    Half of what was measured counts as much as twice of it; as a mean of absolute relative errors,
    half would count half as much.

    Parameters
    ----------
    relative_errors
        Predicted over measured, less one, each above -1, shape (n,); missing ones do not count.
    """
    errors = np.log1p(relative_errors.astype(float).dropna())
    return float(np.sqrt((errors**2).mean()))


def misses_more(
    compared: pd.DataFrame,
    first: str,
    second: str,
    *,
    on: Sequence[str],
    factor: float = 1.0,
    apart: float = 0.0,
) -> pd.DataFrame:
    r"""Tell in which cells a model misses by more than another: only of cells that both predict.

    .. math:: |\ln(1 + e_1)| > k\, |\ln(1 + e_2)|

    One row per cell: `on`, and `misses_more`.

    Parameters
    ----------
    compared
        `on`, `model` and `relative_error`.
    on
        What makes a cell; a missing level is a level.
    factor
        k > 0.
    apart
        Fraction by which the two predictions of a cell must differ: where models agree, noise
        decides which of them is nearer.
    """
    known = compared.dropna(subset="relative_error")
    logs = known.assign(log_error=np.log1p(known["relative_error"].astype(float)))
    one, other = (logs.loc[logs["model"] == name, [*on, "log_error"]] for name in (first, second))
    both = one.merge(other, on=list(on), suffixes=("_first", "_second"))
    both = both[(both["log_error_first"] - both["log_error_second"]).abs() >= np.log1p(apart)]
    more = both["log_error_first"].abs() > factor * both["log_error_second"].abs()
    cells: pd.DataFrame = both[list(on)].assign(misses_more=more).reset_index(drop=True)
    return cells


def error_table(compared: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Summarise how far the models of several comparisons are off.

    One row per comparison and model: `quantity` (in words), `model`, `predictions` (how many),
    `rms_log_error` (as `rms_log_error`), `largest_error` (signed), `near` (the share of them), and
    how many of them are `supported` and `refuted` by the verdicts of `compare` (others: undecided).

    Parameters
    ----------
    compared
        What was predicted, in words, to what `compare` returns with a column `model`.
    """
    rows = []
    for what, frame in compared.items():
        for model, own in frame.groupby("model", sort=False):
            errors = own["relative_error"].astype(float).dropna()
            if errors.empty:
                continue
            rows.append(
                {
                    "quantity": what,
                    "model": model,
                    "predictions": len(errors),
                    "rms_log_error": rms_log_error(errors),
                    "largest_error": errors.iloc[int(np.argmax(errors.abs()))],
                    "near": (errors.abs() <= NEAR).mean(),
                    "supported": int((own["verdict"] == Verdict.SUPPORTED).sum()),
                    "refuted": int((own["verdict"] == Verdict.REFUTED).sum()),
                }
            )
    return pd.DataFrame(rows, columns=_ERROR_COLUMNS)
