"""Which runs of sections q1 to q6 are of what: components alone, light loads, the whole system."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from analysis.laws.bottlenecks import are_apart
from analysis.tables.frames import SETTINGS, Tables

SECTIONS = ("q1", "q2", "q3", "q4", "q5", "q6")
STABILITY, SCALABILITY, COMPONENTS, MOST, DESIGN, TRANSACTIONS = SECTIONS
ECHO, POSTGRESQL = "echo", "postgresql"
AS_IT_IS = {  # of settings that some sections vary to see what they cost
    "locks": "skip-locked",
    "synchronous_commit": True,
    "autovacuum": True,
    "durable": False,
    "receivers": 0,
}
_USUAL = ("queue_mix", "queues", "value_bytes")
_DEFAULTS = {"num_databases": 1, "net_threads": 1, "workers": 1}
_KEY = (
    *("section", "workload", "clients_per_thread", "repetition", "num_clients", "time_dilation"),
    *SETTINGS,
)
_UNKNOWN = pd.Series(dtype=float)
_OF_DATABASES = ["database_cpus_used", "database_cpus_each", "database_utilization"]


def with_databases(tables: Tables) -> pd.DataFrame:
    """Return the runs with what the CPUs of their databases did.

    Parameters
    ----------
    tables
        Of any of the sections.

    Returns
    -------
    pandas.DataFrame
        `Tables.runs` with whole numbers of `num_databases`, `net_threads` and `workers` (1 where a
        run does not tell them), and `database_cpus_used` (by all databases together),
        `database_cpus_each` (that each may use) and `database_utilization` (0..1, of these, mean
        over databases), all three of the undilated system and missing without a database or where
        its host does not count its own CPU time; and `machine_utilization` (0..1, of the processors
        that hosts of one machine share; missing of machines of their own, and where it is not
        known).
    """
    return _with_databases(tables).copy(deep=False)


@lru_cache(maxsize=2)  # demands, cells and claims ask for the same runs in turn
def _with_databases(tables: Tables) -> pd.DataFrame:
    parts = []
    for section, runs in tables.runs.groupby("section", sort=False):
        hosts = _of_section(tables.hosts, str(section))
        parts.append(_with_machine(_with_hosts(runs, hosts), hosts))
    runs = pd.concat(parts, ignore_index=True) if parts else tables.runs
    levels = {name: runs.get(name, pd.Series(np.nan, runs.index)) for name in _DEFAULTS}
    return runs.assign(
        **{
            name: pd.to_numeric(levels[name]).fillna(usual).astype("int64")
            for name, usual in _DEFAULTS.items()
        }
    )


def whole_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of clients, middlewares and databases together."""
    backends = runs.get("backend", pd.Series(POSTGRESQL, runs.index)).fillna(POSTGRESQL)
    chosen: pd.DataFrame = runs[(runs["num_middlewares"] > 0) & (backends == POSTGRESQL)]
    return chosen


def plain_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the whole system's runs without what is varied to see what it costs (`AS_IT_IS`).

    Of several mixes of requests, numbers of queues and sizes of messages those that most runs of a
    section have. Those that send at a rate of their own are left out.
    """
    own = whole_runs(runs)
    for name, level in AS_IT_IS.items():
        if name in own:
            own = own[own[name].isna() | (own[name] == level)]
    for name in _USUAL:
        if name in own and len(own):
            usual = own.groupby("section")[name].transform(_most_frequent)
            own = own[own[name].isna() | (own[name] == usual)]
    chosen: pd.DataFrame = own[own["think_time_s"].notna()]
    return chosen


def echo_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of middlewares that answer by themselves."""
    if "backend" not in runs:
        return runs.iloc[:0]
    chosen: pd.DataFrame = runs[runs["backend"] == ECHO]
    return chosen


def database_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of the database as a component: as many requests at once as workers."""
    chosen: pd.DataFrame = whole_runs(runs[runs["section"] == COMPONENTS])
    return chosen


def lightest_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the plain runs of sections q2 and q4 at the lightest load of all, of q3 without them.

    That is where the fewest requests can be at the database at once: of workers and clients there
    are not more than the smaller number. Of several such the one with the fewest workers.
    """
    own = plain_runs(runs)
    judged = own[own["section"].isin([SCALABILITY, MOST])]
    own = own[own["section"] == COMPONENTS] if judged.empty else judged
    places = own["num_middlewares"] * own["workers"]
    ranked = own.assign(places=places, at_once=np.minimum(places, own["num_clients"]))
    for name in ("at_once", "places"):
        ranked = ranked[ranked[name] == ranked[name].min()]
    chosen: pd.DataFrame = ranked.drop(columns=["places", "at_once"])
    return chosen


def _most_frequent(levels: pd.Series) -> object:
    modes = levels.mode()
    return modes.iloc[0] if len(modes) else None


def _of_section(hosts: pd.DataFrame, section: str) -> pd.DataFrame:
    """Rows of a section."""
    return hosts if hosts.empty else hosts[hosts["section"] == section]


def _with_hosts(runs: pd.DataFrame, hosts: pd.DataFrame) -> pd.DataFrame:
    own = hosts if hosts.empty else hosts[hosts["role"] == "databases"]
    own = own.dropna(axis="columns", how="all")
    if own.empty or "cpu_utilization" not in own:
        return runs.assign(**dict.fromkeys(_OF_DATABASES, np.nan))
    key = [name for name in _KEY if name in own and name in runs]
    known = own.merge(runs[[*key, "stable_s"]].drop_duplicates(key), on=key)
    of_clock = known["cpu_s"] / known["stable_s"] if "cpu_s" in known else np.nan
    quota = known.get("cpu_quota", pd.Series(np.nan, known.index))
    share = known["cpu_utilization"]
    each = known.assign(
        database_cpus_used=(share * quota).fillna(of_clock),
        database_cpus_each=quota.fillna(of_clock / share),
        database_utilization=share,
    )
    groups = each.groupby(key, dropna=False)
    used = pd.concat(
        [groups[_OF_DATABASES[:1]].sum(min_count=1), groups[_OF_DATABASES[1:]].mean()],
        axis="columns",
    )
    return runs.drop(columns=_OF_DATABASES, errors="ignore").merge(
        used.reset_index(), on=key, how="left"
    )


def _with_machine(runs: pd.DataFrame, hosts: pd.DataFrame) -> pd.DataFrame:
    busy = hosts.dropna(subset="cpu_percent") if "cpu_percent" in hosts else hosts.iloc[:0]
    shared = busy if busy.empty else busy[busy["shares_machine"].astype(bool) & ~are_apart(busy)]
    if shared.empty:
        return runs.assign(machine_utilization=np.nan)
    key = [name for name in _KEY if name in runs and shared.get(name, _UNKNOWN).notna().any()]
    means = shared.groupby(key, dropna=False)["cpu_percent"].mean() / 100
    return runs.drop(columns=["machine_utilization"], errors="ignore").merge(
        means.rename("machine_utilization").reset_index(), on=key, how="left"
    )
