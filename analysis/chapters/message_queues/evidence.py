"""All that the chapter of message queues is told from, read once from the tidy tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.chapters.message_queues import costs, networks
from analysis.chapters.message_queues.demands import Demands, database_ms, measured_demands
from analysis.chapters.message_queues.networks import THROUGHPUT
from analysis.chapters.message_queues.runs import (
    MOST,
    STABILITY,
    database_runs,
    plain_runs,
    with_databases,
)
from analysis.statistics.stationarity import block_means
from analysis.tables.frames import NAMES, Tables, stack
from analysis.tables.loading import find_sections, load_tables

_OF_RUN = ("repetition", "clients_per_thread", "num_middlewares", "sending_rate_per_s")
_SYSTEM = ["num_clients", "num_middlewares", "workers", "net_threads", "think_time_s"]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was measured of message queues, and what the networks of queues make of it.

    Attributes
    ----------
    tables
        Of the sections q1 to q6 that were measured.
    runs
        Theirs, from `runs.with_databases`.
    """

    tables: Tables
    runs: pd.DataFrame

    @cached_property
    def demands(self) -> Demands:
        """The service demands, from `demands.measured_demands`."""
        return measured_demands(self.tables)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The configurations, from `networks.queue_cells`."""
        return networks.queue_cells(self.tables)

    @cached_property
    def predicted(self) -> pd.DataFrame:
        """The predictions for them, from `networks.predictions`."""
        return networks.predictions(self.tables, self.cells, self.demands)

    def plain(self, section: str) -> pd.DataFrame:
        """Return the plain runs of a section (`runs.plain_runs`)."""
        own: pd.DataFrame = plain_runs(self.runs[self.runs["section"] == section])
        return own

    def ends(self, factor: str) -> tuple[object, object]:
        """Return the smallest and the largest level of a factor in section q4."""
        own = self.runs.loc[self.runs["section"] == MOST, factor]
        return (own.min(), own.max()) if len(own) else (None, None)

    def blocks(self) -> list[pd.DataFrame]:
        """Return the blocks of each run of q1 (`analysis.statistics.stationarity.block_means`)."""
        return [block_means(run, self.seconds(run)) for _, run in self._paced().iterrows()]

    def kept_rates(self) -> list[float]:
        """Return the share of what its clients were told to send that each run of q1 did."""
        own = self._paced()
        rate = own.get("sending_rate_per_s", pd.Series(np.nan, own.index)) * own["num_clients"]
        kept: list[float] = (own[THROUGHPUT] / rate).tolist()
        return kept

    def share_at_database(self) -> pd.Series:
        """Return the share of the response time that is at the database, of requests one by one."""
        alone = database_runs(self.runs)
        alone = alone[alone["num_clients"] == 1]
        waited = alone.get("middleware_servers_net_time_ms", pd.Series(np.nan, alone.index))
        shares: pd.Series = waited / alone["client_response_time_ms"]
        return shares.dropna()

    def database_times(self) -> dict[str, tuple[pd.Series, pd.Series]]:
        """Return the database's CPU time of a request, in ms, at both ends of two factors.

        Returns
        -------
        dict
            ``connections``: with most and with fewest workers, the database alone; ``clients``:
            with fewest and with most that think, section q4. Empty where it is not known.
        """
        alone = database_runs(self.runs)
        alone = alone[alone["num_clients"] == alone["num_clients"].max()]
        whole = self.plain(MOST)
        few, many = (_cpu_time(alone, "workers", end) for end in ("min", "max"))
        seldom, often = (_cpu_time(whole, "num_clients", end) for end in ("min", "max"))
        return {"connections": (many, few), "clients": (seldom, often)}

    def seconds(self, run: pd.Series) -> pd.DataFrame:
        """Return the rows of `Tables.windows` of one run."""
        windows = self.tables.windows
        own: pd.DataFrame = windows[
            (windows["section"] == run["section"]) & (windows["num_clients"] == run["num_clients"])
        ]
        for name in _OF_RUN:
            if name in own and name in run and pd.notna(run[name]):
                own = own[own[name].isna() | (own[name] == run[name])]  # not told where all alike
        return own

    def _paced(self) -> pd.DataFrame:
        return self.runs[self.runs["section"] == STABILITY]

    def transactions(self) -> pd.DataFrame:
        """Tell what transactions that were left open did (`costs`)."""
        return costs.open_transactions(left_open(self.tables), self.tables.windows)


def evidence_of(held: Iterable[Tables | None]) -> Evidence | None:
    """Read the sections that were measured, None where none was.

    Parameters
    ----------
    held
        Tables of sections q1 to q6; None for one that was not measured.
    """
    known = [tables for tables in held if tables is not None]
    if not known:
        return None
    tables = Tables(**{name: stack([getattr(one, name) for one in known]) for name in NAMES})
    return Evidence(tables=tables, runs=with_databases(tables))


def load_evidence(campaign_dir: Path, *sections: str) -> Evidence:
    """Read what a campaign holds of the sections.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    FileNotFoundError
        None of them was measured.
    """
    held = [name for name in sections if name in find_sections(campaign_dir)]
    found = evidence_of(load_tables(campaign_dir, name) for name in held)
    if found is None:
        names = " ".join(sections)
        raise FileNotFoundError(f"{campaign_dir} holds no message queues: `lab run {names}`")
    return found


def most_of(runs: pd.DataFrame) -> pd.Series:
    """Return the throughputs of the cell that does most, of those with the fewest databases."""
    if runs.empty:
        return pd.Series(dtype=float)
    own = runs[runs["num_databases"] == runs["num_databases"].min()]
    cpus = own["database_cpus_each"].round(3)
    usual = cpus.mode()
    own = own[cpus.isna() | (cpus == usual.iloc[0])] if len(usual) else own
    means = own.groupby(_SYSTEM, dropna=False)[THROUGHPUT].transform("mean")
    chosen: pd.Series = own.loc[means == means.max(), THROUGHPUT]
    return chosen


def _cpu_time(runs: pd.DataFrame, factor: str, end: str) -> pd.Series:
    own = runs[runs[factor] == runs[factor].agg(end)]
    return database_ms(own).dropna()


def left_open(tables: Tables) -> pd.DataFrame:
    """Return the transactions that were left open on purpose, as `Tables.pauses` tells them."""
    pauses = tables.pauses
    if pauses.empty or "kind" not in pauses:
        return pd.DataFrame(columns=["section", "repetition", "start_s", "length_s"])
    chosen: pd.DataFrame = pauses[pauses["kind"] == "open transaction"].drop(columns="kind")
    return chosen
