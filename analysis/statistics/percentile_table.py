"""Percentiles of several systems in one table, for sections with one load."""

from collections.abc import Sequence

import pandas as pd

from analysis.results.histograms import percentiles_by


def percentile_table(histograms: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Put the percentiles of every system in one row.

    Parameters
    ----------
    histograms
        Rows of `analysis.tables.frames.Tables.histograms` of one time; the repetitions are merged.
    by
        What makes a system, such as ``["side", "request_type"]``.

    Returns
    -------
    pandas.DataFrame
        `by`, and a column for each percentile with its heading, ``95 % (ms)``.
    """
    values = percentiles_by(histograms, by)
    names = values["percentile"].map("{}\N{NO-BREAK SPACE}% (ms)".format)
    wide = values.assign(name=names).pivot_table(index=list(by), columns="name", values="value_ms")
    return wide.reindex(columns=names.unique()).rename_axis(columns=None).reset_index()
