"""Slices and histograms of all generators of a run together, over a part of the run."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.results.memtier.result_section import MemtierRun

SLICES_PER_S = 10


def client_slices(
    generators: Sequence[MemtierRun], *, start_s: int, end_s: int
) -> pd.DataFrame | None:
    """Add up the slices of all instances.

    Columns: `requests`, `response_time_sum_ms`, with a row for each 100 ms from `start_s` to
    `end_s` (from the start of the run); None unless all instances recorded slices.
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
    """Stack the histograms of all instances, for the seconds from `start_s` to before `end_s`.

    Columns: `request_type`, `second` (from the start of the run), `upper_edge_ms`, `count`; None
    unless all instances recorded histograms by second.
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
    """Return the edges of all bins in ms, and the counts in them, shape (seconds, bins).

    Parameters
    ----------
    rows
        Columns `second`, `upper_edge_ms`, `count`, as `client_histograms_by_second` returns them.
    """
    edges, bins = np.unique(rows["upper_edge_ms"], return_inverse=True)
    counts = np.zeros((end_s - start_s, len(edges)))
    np.add.at(counts, (rows["second"].to_numpy() - start_s, bins), rows["count"].to_numpy())
    return edges, counts
