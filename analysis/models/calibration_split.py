"""Cells that calibrate models, and cells that judge their predictions out of sample.

A model that is fed with the runs which it predicts can only look better than it is. So of every
section and workload one half of the cells (a number of workers, a load) is drawn at random, before
any is measured: by a seed that stands here, and the campaign's own, which is drawn when it begins.
"""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd

from analysis.statistics.loads.curve import with_think_time

SEED = 1991
DEMANDS, JUDGED = "demands", "judged"
CELL = ["section", "workload", "workers", "num_clients"]


def draw_calibration_split(runs: pd.DataFrame) -> pd.DataFrame:
    """Draw the cells of each section and workload that calibrate models: half of them.

    One row per cell: `CELL`, `think_time_s` where it varies, and `half`, ``demands`` or ``judged``.
    Of an odd number of cells one more is judged; a single cell tells the demands, and none is
    judged.

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs`, of sections with middlewares whose cells differ in
        workers and clients.
    """
    names = with_think_time(runs, CELL)
    cells = runs[names].drop_duplicates().sort_values(names, ignore_index=True)
    parts = []
    for (section, workload), own in cells.groupby(["section", "workload"]):
        draw = np.random.default_rng(
            [SEED, campaign_seed(runs), zlib.crc32(f"{section}/{workload}".encode())]
        )
        first = draw.permutation(len(own)) < max(1, len(own) // 2)
        parts.append(own.assign(half=np.where(first, DEMANDS, JUDGED)))
    return pd.concat(parts, ignore_index=True) if parts else cells.assign(half="")


def campaign_seed(runs: pd.DataFrame) -> int:
    """Return the seed that was drawn when the campaign began; 0 where the tables lack it."""
    known = runs.get("campaign_seed", pd.Series(dtype=float)).dropna()
    return int(known.iloc[0]) if len(known) else 0


def calibration_cells(runs: pd.DataFrame, section: str, workload: str) -> pd.DataFrame:
    """Return the cells of one section and workload from which demands are calibrated."""
    cells = draw_calibration_split(runs)
    own = (cells["section"] == section) & (cells["workload"] == workload)
    chosen: pd.DataFrame = cells[own & (cells["half"] == DEMANDS)]
    return chosen


def out_of_sample_rows(cells: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table of cells, all of one section, that judge predictions.

    Parameters
    ----------
    cells
        With columns `workload`, `workers`, `num_clients`, and `think_time_s` where it varies.
    """
    drawn = draw_calibration_split(runs)
    judged = drawn[drawn["half"] == JUDGED].drop(columns=["section", "half"])
    chosen: pd.DataFrame = cells.merge(judged)
    return chosen


def split_table(runs: pd.DataFrame) -> pd.DataFrame:
    """List the loads that calibrate the demands and the loads that judge predictions.

    One row per section, workload, number of workers and think time, where that varies: `section`,
    `workload`, `workers`, `think_time_s`, `clients_for_demands`, `clients_judged`, such as
    ``6, 96``.
    """
    cells = draw_calibration_split(runs)
    wide = cells.pivot_table(
        index=[name for name in cells if name not in ("num_clients", "half")],
        columns="half",
        values="num_clients",
        aggfunc=lambda own: ", ".join(f"{load}" for load in sorted(own)),
    ).reindex(columns=[DEMANDS, JUDGED])
    wide.columns = pd.Index(["clients_for_demands", "clients_judged"])
    table: pd.DataFrame = wide.reset_index().astype({"workers": int})
    return table
