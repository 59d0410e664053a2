"""Histograms as frames: decode HdrHistograms, merge them, read percentiles.

A histogram is a DataFrame with one row per non-empty bucket, in rising order:

``upper_edge_ms``  highest value that falls into the bucket (float)
``count``          samples in the bucket (int)

Percentiles of several instances, hosts or repetitions are read from their merged histogram,
never averaged.
"""

import base64
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from hdrh.histogram import HdrHistogram

from analysis.units import us_to_ms
from records.files.unpacking import LARGEST_HISTOGRAM_BYTES, inflate

PERCENTILES = (25, 50, 75, 90, 95, 99)
_OF_SAMPLES = ("side", "request_type", "time", "upper_edge_ms", "count", "stable")  # of no run
_HEADER_BYTES = 8  # before what is compressed
_DIGITS = slice(12, 16)  # where, in that, the number of significant digits stands
_MOST_DIGITS = 3
EMPTY = pd.DataFrame(
    {"upper_edge_ms": np.array([], dtype="float64"), "count": np.array([], dtype="int64")}
)


def decode_histogram(encoded: str) -> pd.DataFrame:
    """Decode a base64 HdrHistogram (V2, compressed) whose values are microseconds.

    memtier writes one per request type, the middleware one per second and tag, each with two or
    three significant digits.

    Raises
    ------
    ValueError
        The text is not an encoded HdrHistogram, or the histogram is larger than any run's.
    """
    try:
        payload = inflate(base64.b64decode(encoded)[_HEADER_BYTES:], LARGEST_HISTOGRAM_BYTES)
        if int.from_bytes(payload[_DIGITS]) > _MOST_DIGITS:  # it would have millions of buckets
            raise ValueError(f"it has more than {_MOST_DIGITS} significant digits")
        histogram = HdrHistogram.decode(encoded)
    except Exception as exc:  # the decoder lets binascii, zlib, struct and its own errors through
        raise ValueError(f"not an encoded HdrHistogram ({exc}): {encoded[:20]!r}...") from exc
    counts = np.ctypeslib.as_array(histogram.counts)
    filled = np.flatnonzero(counts)
    edges_us = _upper_edges_us(
        histogram.lowest_trackable_value,
        histogram.highest_trackable_value,
        histogram.significant_figures,
    )
    return pd.DataFrame(
        {
            "upper_edge_ms": us_to_ms(edges_us[filled].astype("float64")),
            "count": counts[filled].astype("int64"),
        }
    )


def merge_histograms(histograms: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Add histograms bucket by bucket."""
    rows = pd.concat([EMPTY, *histograms], ignore_index=True)
    return rows.groupby("upper_edge_ms")["count"].sum().reset_index()


def histogram_percentiles(
    histogram: pd.DataFrame, percentiles: Sequence[float] = PERCENTILES
) -> np.ndarray:
    """Percentiles in ms, as HdrHistogram defines them: the upper edge of the bucket of that rank.

    All are NaN when the histogram is empty.

    Parameters
    ----------
    histogram
        Columns `upper_edge_ms`, `count`; may be empty.
    percentiles
        In percent, above 0 up to 100; shape (P,).
    """
    wanted = np.asarray(percentiles, dtype=float)
    if np.any((wanted <= 0) | (wanted > 100)):
        raise ValueError(f"percentiles must be in (0, 100], got {list(percentiles)}")
    cumulative = histogram["count"].to_numpy().cumsum()
    if cumulative.size == 0 or cumulative[-1] == 0:
        return np.full(wanted.shape, np.nan)
    rank = np.maximum(1, np.floor(wanted / 100 * cumulative[-1] + 0.5))
    edges_ms: np.ndarray = histogram["upper_edge_ms"].to_numpy()[np.searchsorted(cumulative, rank)]
    return edges_ms


def percentiles_by(
    histograms: pd.DataFrame, by: Sequence[str], percentiles: Sequence[float] = PERCENTILES
) -> pd.DataFrame:
    """Merge the histograms of each group and read their percentiles.

    Columns `by`, `percentile`, `value_ms`, `runs` (number of merged runs), `sd_ms` (sample standard
    deviation of the percentiles of the single runs; NaN for one run).

    Parameters
    ----------
    histograms
        Columns `by`, `upper_edge_ms`, `count`, such as `analysis.tables.frames.Tables.histograms`.
    by
        Columns whose values define the groups; without ``repetition``, the repetitions of a
        configuration are merged.
    """
    rows = []
    for group, samples in histograms.groupby(list(by), dropna=False):
        values = histogram_percentiles(merge_histograms([samples[list(EMPTY)]]), percentiles)
        each = _percentiles_of_runs(samples, percentiles)
        deviations = np.std(each, axis=0, ddof=1) if len(each) > 1 else np.full(len(values), np.nan)
        rows += [
            (*group, percentile, value, len(each), sd)
            for percentile, value, sd in zip(percentiles, values, deviations, strict=True)
        ]
    return pd.DataFrame(rows, columns=[*by, "percentile", "value_ms", "runs", "sd_ms"])


def num_runs(histograms: pd.DataFrame) -> int:
    """Count the runs in rows of `analysis.tables.frames.Tables.histograms`."""
    return len(histograms[_of_run(histograms)].drop_duplicates())


def _percentiles_of_runs(histograms: pd.DataFrame, percentiles: Sequence[float]) -> np.ndarray:
    """Read the percentiles of each run, shape (runs, P); rows that name no run count as one."""
    names = _of_run(histograms)
    runs = [part for _, part in histograms.groupby(names, dropna=False)] if names else [histograms]
    merged = [merge_histograms([part[list(EMPTY)]]) for part in runs]
    return np.array([histogram_percentiles(one, percentiles) for one in merged])


def _of_run(histograms: pd.DataFrame) -> list[str]:
    return [column for column in histograms.columns if column not in _OF_SAMPLES]


@lru_cache
def _upper_edges_us(lowest: int, highest: int, significant_figures: int) -> np.ndarray:
    """Highest value of every bucket; cached, because a log has thousands of histograms."""
    layout = HdrHistogram(lowest, highest, significant_figures)
    return np.array(
        [
            layout.get_highest_equivalent_value(layout.get_value_from_index(index))
            for index in range(layout.counts_len)
        ]
    )
