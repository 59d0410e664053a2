"""Cells of message queues and the lines of the networks beside them, as figures want them."""

from __future__ import annotations

import pandas as pd

from analysis.chapters.message_queues.costs import ROW_LOCKS, SKIP_LOCKED, paired_runs
from analysis.chapters.message_queues.evidence import Evidence
from analysis.chapters.message_queues.networks import RESPONSE_TIME, THROUGHPUT
from analysis.chapters.message_queues.runs import MOST, SCALABILITY
from analysis.chapters.message_queues.what_ifs import is_usual
from analysis.laws.summary import cells as cells_of

Lines = tuple[pd.DataFrame, pd.DataFrame]


def over_clients(measured: Evidence) -> Lines:
    """Return the loads of section q4 of the system as it is, and what networks predict of them.

    Returns
    -------
    tuple of pandas.DataFrame
        Cells, and predictions with the columns that `plot_prediction` wants.
    """
    return _with_lines(measured, MOST, usual=True)


def over_workers(measured: Evidence) -> Lines:
    """Return the cells of section q2 with the workers of all middlewares in place of the clients.

    Returns
    -------
    tuple of pandas.DataFrame
        As of `over_clients`; `num_clients` are workers.
    """
    cells, lines = _with_lines(measured, SCALABILITY, usual=False)
    both = (
        own.assign(num_clients=own["num_middlewares"] * own["workers"]) for own in (cells, lines)
    )
    cells, lines = both
    first = cells.sort_values("num_middlewares").drop_duplicates("num_clients")
    return first, lines.sort_values("num_middlewares").drop_duplicates(["model", "num_clients"])


def by_locks(measured: Evidence) -> pd.DataFrame:
    """Return the cells that were measured with both kinds of locks, over workers.

    Returns
    -------
    pandas.DataFrame
        As `analysis.laws.summary.cells`, by `locks`; `num_clients` are the workers of all
        middlewares. Empty where none was.
    """
    pairs = paired_runs(measured.runs, "locks", (SKIP_LOCKED, ROW_LOCKS))
    if pairs.empty:
        return cells_of(measured.runs).iloc[:0].assign(locks="")  # a column where it is no factor
    return cells_of(pairs.assign(num_clients=pairs["num_middlewares"] * pairs["workers"]))


def _with_lines(measured: Evidence, section: str, *, usual: bool) -> Lines:
    chosen, found = (
        table[table["section"] == section] for table in (measured.cells, measured.predicted)
    )
    if usual and len(chosen):
        found = found[is_usual(found, chosen)]
        chosen = chosen[is_usual(chosen, chosen)]
    names = {"throughput_ops_per_s": THROUGHPUT, "response_time_ms": RESPONSE_TIME}
    return chosen, found.rename(columns=names).assign(workload="queue")
