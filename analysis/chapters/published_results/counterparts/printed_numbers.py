"""Which table of a study prints a number, and the response times that studies print."""

from __future__ import annotations

import itertools
from enum import StrEnum

import pandas as pd

from analysis.studies.machines.printed_sets import DESIGN
from analysis.studies.printed import MIDDLEWARE, published_summary, published_table
from analysis.studies.rederived_designs import SCHMIDS_CLIENTS, rebuild_cells, yenicelik_runs
from analysis.studies.rederived_laws import number_of_clients

SYSTEM = ["middlewares", "servers", "workers"]
LEVELS = {  # of section 6, coded as designs code them
    "middlewares": {-1: 1, 1: 2},
    "servers": {-1: 1, 1: 3},
    "workers": {-1: 8, 1: 32},
}
TEXT = "prose"
BANDWIDTHS = {"schmid2018": "t01_vm", "yenicelik2018": "bandwidth", "cetin2018": "t01_bandwidth"}
_BASELINE = {
    "schmid2018": "t02_baseline_max",
    "yenicelik2018": "s2_3_baseline_max",
    "cetin2018": "t02_baseline_max",
}
_DESIGN_SETS = {
    "schmid2018": "t07_2k4_write",
    "yenicelik2018": "t11_raw_write_throughput",
    "cetin2018": "t07_raw_write_throughput",
}
DESIGN_GETS = {
    "schmid2018": "t08_2k4_read",
    "yenicelik2018": "t09_raw_read_throughput",
    "cetin2018": "t08_addi_read_throughput",
}
FULL_SYSTEM = {
    "schmid2018": "t06_full_system",
    "yenicelik2018": "s4_2_full_system",
    "cetin2018": "t05_full_system",
}
TABLES = {  # of throughputs, by what `analysis.studies.machines.printed_sets` calls the place
    "section 2.1": _BASELINE,
    "section 2.2": _BASELINE,
    "section 3.1": MIDDLEWARE["3.1"],
    "section 3.2": MIDDLEWARE["3.2"],
    "table 3": {"schmid2018": "t03_workers"},
    "section 4": FULL_SYSTEM,
    DESIGN: _DESIGN_SETS,
}
REBUILT = ("t07_2k4_write", "t08_2k4_read", "t08_addi_read_throughput", "t01_2kr_read_response")
"""Tables of effects: their cells are sums and differences of printed numbers."""


class Quantity(StrEnum):
    """Quantity that a study prints and that this repository measures."""

    THROUGHPUT = "throughput"
    BANDWIDTH = "bandwidth"
    SERVICE_TIME = "service time"
    RESPONSE_TIME = "response time"
    QUEUEING_TIME = "queueing time"


TIMES = (Quantity.RESPONSE_TIME, Quantity.QUEUEING_TIME)
"""Quantities that are counted apart: where clients do not think, R = N / X follows from X."""
UNITS = dict.fromkeys(Quantity, "ms") | {
    Quantity.THROUGHPUT: "op/s",
    Quantity.BANDWIDTH: "Mbit/s",
}


def cell_names(systems: pd.DataFrame) -> pd.Series:
    """Name the systems of cells: ``1 middleware, 3 servers, 8 workers``.

    Parameters
    ----------
    systems
        Integer columns `SYSTEM`; `workers` are those of each middleware.
    """
    names = []
    for middlewares, servers, workers in systems[SYSTEM].astype(int).itertuples(index=False):
        behind = f"{servers} server{'s' if servers > 1 else ''}"
        plural = "s" if middlewares > 1 else ""
        names.append(
            f"{middlewares} middleware{plural}, {behind}, {workers} workers"
            if middlewares
            else f"no middleware, {behind}"
        )
    return pd.Series(names, systems.index, dtype=object)


def printed_times() -> pd.DataFrame:
    """Collect the mean response times at the clients that three studies print with their load.

    Where a study does not print the number of clients, it is the load next to X R. Cetin prints
    effects on response times without their mean, from which no cell can be rebuilt.

    Returns
    -------
    pandas.DataFrame
        `study`, `table`, `section`, `workload`, `SYSTEM`, `num_clients`, `printed` (ms).
    """
    return pd.concat([*_of_sections(), *_of_designs()], ignore_index=True)


def _of_sections() -> list[pd.DataFrame]:
    parts = []
    for middlewares, section in enumerate(MIDDLEWARE, start=1):
        summary = published_summary(section).query("measured_on == 'clients'")
        for study, rows in summary.groupby("study"):
            own = rows[["study", "section", "workload", "workers"]].assign(
                table=MIDDLEWARE[section][str(study)],
                num_clients=number_of_clients(rows),
                printed=rows["response_time_ms"],
            )
            parts.append(own.assign(middlewares=middlewares, servers=1))
    return parts


def _of_designs() -> list[pd.DataFrame]:
    parts = []
    for workload, table in (("set", "t07_2k4_write"), ("get", "t08_2k4_read")):
        cells = rebuild_cells(table, "response_time").rename(columns={"published": "printed"})
        parts.append(cells.assign(study="schmid2018", table=table, workload=workload))
    for workload, cells in (("set", _yenicelik_sets()), ("get", _yenicelik_gets())):
        parts.append(cells.assign(study="yenicelik2018", workload=workload))
    return [part.assign(section="6", num_clients=SCHMIDS_CLIENTS) for part in parts]


def _yenicelik_sets() -> pd.DataFrame:
    """Compute the means of his raw values; table 10, which should hold gets, repeats them."""
    table = "t12_raw_write_response"
    letters = dict(zip("XYZ", SYSTEM, strict=True))
    runs = yenicelik_runs(table).rename(columns=letters)
    cells = runs.groupby(SYSTEM)["value"].mean().rename("printed").reset_index()
    return _decoded(cells).assign(table=table)


def _yenicelik_gets() -> pd.DataFrame:
    """Rebuild the cells of his table 1 from its effects."""
    table = "t01_2kr_read_response"
    q = published_table("yenicelik2018", table).set_index("effect")["q"]
    cells = pd.DataFrame(itertools.product((-1, 1), repeat=3), columns=list("XYZ"))
    effects = q.drop("I")
    signs = {name: cells[list(name)].prod(axis=1) for name in effects.index}
    printed = q["I"] + sum(effects[name] * sign for name, sign in signs.items())
    letters = dict(zip("XYZ", SYSTEM, strict=True))
    return _decoded(cells.rename(columns=letters).assign(printed=printed)).assign(table=table)


def _decoded(cells: pd.DataFrame) -> pd.DataFrame:
    return cells.assign(**{name: cells[name].map(levels) for name, levels in LEVELS.items()})
