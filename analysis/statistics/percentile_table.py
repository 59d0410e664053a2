"""Percentiles of several systems in one table, for sections with one load."""

from collections.abc import Sequence

import pandas as pd

from analysis.results.histograms import percentiles_by
from analysis.statistics.intervals import half_width_of_mean
from analysis.text.numbers import digits


def percentile_table(histograms: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Put the percentiles of every system in one row.

    Columns: `by`, and a column of texts for each percentile with its heading, ``95 % (ms)``. Where
    there are repetitions the half width of its 95 % interval stands beside it: ``5.31 ± 0.2``.
    """
    values = with_intervals(percentiles_by(histograms, by))
    names = values["percentile"].map("{}\N{NO-BREAK SPACE}% (ms)".format)
    texts = [_text(*pair) for pair in zip(values["value_ms"], values["half_width_ms"], strict=True)]
    wide = values.assign(name=names, text=texts).pivot_table(
        index=list(by), columns="name", values="text", aggfunc="first"
    )
    return wide.reindex(columns=names.unique()).rename_axis(columns=None).reset_index()


def with_intervals(percentiles: pd.DataFrame) -> pd.DataFrame:
    """Add `half_width_ms`, of the 95 % interval between repetitions; NaN with one of them."""
    half_width = half_width_of_mean(percentiles["sd_ms"], percentiles["runs"])
    return percentiles.assign(half_width_ms=half_width)


def measured_over(histograms: pd.DataFrame) -> str:
    """Say what part of their runs histograms are of, as captions want it."""
    whole = set(histograms.loc[~histograms["stable"].astype(bool), "side"])
    if not whole:
        return "stable window"
    return "whole runs" if whole == set(histograms["side"]) else "clients: whole runs"


def _text(value_ms: float, half_width_ms: float) -> str:
    value = digits(value_ms)
    return value if pd.isna(half_width_ms) else f"{value} ± {half_width_ms:.2g}"
