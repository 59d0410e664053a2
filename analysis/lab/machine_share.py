"""Cells of a local lab in which the machine takes more of the response cycle than is negligible.

What a lab emulates is compared across cells of different time dilation, since results are
undilated; the machine's own share of each is told in the runs' manifests.
"""

import pandas as pd

from analysis.tables.frames import SETTINGS
from analysis.text.numbers import percent

LARGEST_SHARE = 0.02
MARK = "\N{DAGGER}"
SHARE = "machine_share"
_KEY = ("section", "workload", "clients_per_thread", "num_clients", *SETTINGS)


def marked(table: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Mark the rows of a table whose cell the machine takes more than 2 % of.

    A last column, headed by the mark, holds it or nothing, if the share of any of the cells is
    known; of several cells that a row may stand for the largest counts.

    Parameters
    ----------
    table
        Rows of cells, with columns by which `cells` differ, such as `workload`, `workers`
        and `num_clients`.
    """
    key = [name for name in _KEY if name in table and name in cells]
    if f"{SHARE}_mean" not in cells or not key:
        return table
    largest = cells.groupby(key, as_index=False, dropna=False)[f"{SHARE}_mean"].max()
    shares = table[key].merge(largest, on=key, how="left")[f"{SHARE}_mean"]
    if shares.isna().all():
        return table
    marks = [MARK if share > LARGEST_SHARE else "" for share in shares]
    return table.assign(**{MARK: marks})


def legend(table: pd.DataFrame) -> str:
    """Say what the mark means, for the caption of a table from `marked`; else nothing."""
    if MARK not in table:
        return ""
    return f" {MARK} the machine takes more than {percent(LARGEST_SHARE)} of the response cycle."
