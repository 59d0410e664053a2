"""Whether the window was stable: no drift in it, and no warm-up that still shows."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr

from analysis.units import MS_PER_S

BLOCKS = 12
HALF = BLOCKS // 2
SIGNIFICANCE = 0.01
TOLERANCE = 0.05  # of the mean: a drift or warm-up that does not matter
TESTS = ["drift", "p_value", "warm_up", "p_value_of_warm_up"]


def stationarity(
    windows: pd.DataFrame,
    by: Sequence[str],
    column: str = "throughput_ops_per_s",
) -> pd.DataFrame:
    """Test the stable window of every run with `trend`.

    One row per run: `by`, what `trend` returns, and `stationary`: whether neither a drift nor a
    warm-up is both significant and above `TOLERANCE`. Missing for a window below 12 s, or with
    seconds that have no value.

    Parameters
    ----------
    windows
        `analysis.tables.frames.Tables.windows`: `by`, `second_s`, `stable` and `column`.
    by
        What makes a run and a place of measurement, such as
        ``["workload", "num_clients", "repetition", "side"]``.
    """
    rows = []
    for key, seconds in windows[windows["stable"]].groupby(list(by), dropna=False):
        values = seconds.sort_values("second_s")[column]
        rows.append(dict(zip(by, key, strict=True)) | _judge(values))
    return pd.DataFrame(rows, columns=[*by, *TESTS, "stationary"]).astype({"stationary": "boolean"})


def _judge(values: pd.Series) -> dict[str, object]:
    if len(values) < BLOCKS or values.isna().any():
        return {"stationary": pd.NA}
    found = trend(values)
    changes = any(
        found[f"p_value{of}"] < SIGNIFICANCE and abs(found[change]) > TOLERANCE
        for of, change in (("", "drift"), ("_of_warm_up", "warm_up"))
    )
    return {**found, "stationary": not changes}


def trend(values: ArrayLike) -> dict[str, float]:
    r"""Test a series of equally spaced values for drift and warm-up.

    Values of neighbouring seconds depend on each other, so the tests are made on the means of 12
    blocks of equal length (of the values themselves if there are fewer than 24). Drift is Theil
    and Sen's slope, the median of the slopes of all pairs, over the whole window; its test is that
    of Mann and Kendall, the rank correlation with time.

    A warm-up may be of any length up to a fourth of the blocks. For each number of first blocks h
    their mean is tested against the n others, of mean :math:`\bar x` and standard deviation s,

    .. math:: t_{n - 1} = \frac{\bar x_h - \bar x}{s \sqrt{1 / h + 1 / n}}

    and the h of the smallest p-value is reported, the p-value times the number of tests
    (Bonferroni).

    Returned are `drift`, a fraction of the mean, and `warm_up`, how far the start is off as a
    fraction of the mean of the rest; `p_value`, `p_value_of_warm_up`: how often as much would be
    seen in a series without any.

    Parameters
    ----------
    values
        At least 12, finite, shape (S,).

    Raises
    ------
    ValueError
        Fewer than 12 values, or one that is not finite.

    References
    ----------
    Sen 1968, doi:10.1080/01621459.1968.10480934; Mann 1945, doi:10.2307/1907187; Jain 1991,
    sections 13.4.2 (t test of two means) and 25.3 (transient removal).
    """
    from scipy import stats  # here: half a second, for every kernel

    series = np.asarray(values, dtype=float)
    if len(series) < BLOCKS or not np.isfinite(series).all():
        raise ValueError(f"at least {BLOCKS} finite values are needed, got {series.tolist()}")
    if series.min() == series.max():
        return {"drift": 0.0, "p_value": 1.0, "warm_up": 0.0, "p_value_of_warm_up": 1.0}
    if abs(series.mean()) <= np.finfo(float).eps * np.abs(series).max():
        raise ValueError("the mean of the values must not be 0: changes are fractions of it")
    count = BLOCKS if len(series) >= 2 * BLOCKS else len(series)
    blocks = np.array([block.mean() for block in np.array_split(series, count)])
    warm_up, p_value_of_warm_up = _warm_up(blocks)
    return {
        "drift": float(stats.theilslopes(blocks).slope * count / series.mean()),
        "p_value": float(stats.kendalltau(np.arange(count), blocks).pvalue),
        "warm_up": warm_up,
        "p_value_of_warm_up": p_value_of_warm_up,
    }


def block_means(run: pd.Series, windows: pd.DataFrame) -> pd.DataFrame:
    """Cut the stable window of a run into twelve blocks, as `trend` does.

    One row per block, shape (12,): `throughput_ops_per_s` (at the clients), `collected_share` (of a
    middleware's time, 0..1, spent on garbage). Empty where the window is shorter than twelve
    seconds.
    """
    clients = stable_seconds(windows, "client")
    collected_s = collections(windows) / run["num_middlewares"]
    seconds = pd.DataFrame(
        {
            "throughput_ops_per_s": clients["throughput_ops_per_s"],
            "collected_share": collected_s.reindex(clients.index),
        }
    )
    if len(seconds) < BLOCKS:
        return seconds.iloc[:0]
    blocks = np.array_split(np.arange(len(seconds)), BLOCKS)
    return pd.DataFrame([seconds.iloc[block].mean() for block in blocks])


def drift(blocks: pd.DataFrame) -> float:
    """Return the throughput of a run in the last half of its blocks over that in the first half.

    Parameters
    ----------
    blocks
        From `block_means`, not empty.
    """
    rate = blocks["throughput_ops_per_s"]
    return float(rate[HALF:].mean() / rate[:HALF].mean())


def collections(windows: pd.DataFrame) -> pd.Series:
    """Seconds of the clock that the middlewares collected garbage, by stable second."""
    rows = stable_seconds(windows, "middleware")
    if "gc_time_ms" not in rows:
        return pd.Series(dtype=float)
    return rows["gc_time_ms"].fillna(0) * _dilation(windows) / MS_PER_S


def stable_seconds(windows: pd.DataFrame, side: str) -> pd.DataFrame:
    """Return the rows of one side in the stable window, by second."""
    rows = windows[windows["stable"] & (windows["side"] == side)]
    return rows.set_index("second_s").sort_index()


def _warm_up(blocks: np.ndarray) -> tuple[float, float]:
    """How far the most suspicious start is off, and its p-value."""
    lengths = range(1, len(blocks) // 4 + 1)
    found = [_start_against_rest(blocks[:length], blocks[length:]) for length in lengths]
    warm_up, p_value = min(found, key=lambda start: start[1])
    return warm_up, min(1.0, p_value * len(lengths))


def _start_against_rest(start: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    difference = start.mean() - rest.mean()
    error = rest.std(ddof=1) * np.sqrt(1 / len(start) + 1 / len(rest))
    with np.errstate(divide="ignore", invalid="ignore"):  # a rest without spread, or of nothing
        t, relative = difference / error, difference / rest.mean()
    p_value = 1.0 if difference == 0 else 2 * stdtr(len(rest) - 1, -abs(t))
    return float(relative), float(p_value)


def _dilation(windows: pd.DataFrame) -> float:
    return float(windows["time_dilation"].iloc[0]) if "time_dilation" in windows else 1.0
