"""What all generators of a run together saw in a part of it, counted from its start."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.results.memtier.result_section import MemtierRun

SLICES_PER_S = 10


def client_slices(
    generators: Sequence[MemtierRun], *, start_s: int, end_s: int
) -> pd.DataFrame | None:
    """Add up the slices of all instances.

    Returns
    -------
    pandas.DataFrame
        `requests`, `response_time_sum_ms`, a row for each 100 ms from `start_s` to `end_s`; None
        unless all instances tell slices.
    """
    if any(run.slices.empty for run in generators):
        return None
    rows = pd.concat([run.slices for run in generators])
    number = (rows["start_s"] * SLICES_PER_S).round().astype("int64")
    wanted = range(start_s * SLICES_PER_S, end_s * SLICES_PER_S)
    sums = rows.groupby(number)[["requests", "response_time_sum_ms"]].sum()
    return sums.reindex(wanted, fill_value=0).reset_index(drop=True)


def client_histograms_by_second(
    generators: Sequence[MemtierRun], *, start_s: int, end_s: int
) -> pd.DataFrame | None:
    """Put the histograms of all instances below each other, of the seconds before `end_s`.

    Returns
    -------
    pandas.DataFrame
        `request_type`, `second`, `upper_edge_ms`, `count`; None unless all instances tell them.
    """
    parts = [run.histograms_by_second for run in generators]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    rows = pd.concat(known, ignore_index=True)
    return rows[rows["second"].between(start_s, end_s, inclusive="left")]


def counts_by_second(
    rows: pd.DataFrame, *, start_s: int, end_s: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of all bins in ms, and the counts of every second in them.

    Parameters
    ----------
    rows
        Columns `second`, `upper_edge_ms`, `count`, such as `client_histograms_by_second` gives.

    Returns
    -------
    Shapes (B,) and (S, B), of S seconds.
    """
    edges, bins = np.unique(rows["upper_edge_ms"], return_inverse=True)
    counts = np.zeros((end_s - start_s, len(edges)))
    np.add.at(counts, (rows["second"].to_numpy() - start_s, bins), rows["count"].to_numpy())
    return edges, counts
