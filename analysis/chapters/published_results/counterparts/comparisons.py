"""Find what this repository measured for each number that the studies print."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from analysis.chapters.gets_and_multi_gets.multi_gets import published_numbers
from analysis.chapters.lab_and_network.between_hosts import network_table, studies_bandwidths
from analysis.chapters.message_queues.beside_su import (
    STUDY,
    component_table,
    growth_table,
    load_table,
)
from analysis.chapters.message_queues.demands import CPU
from analysis.chapters.message_queues.evidence import load_evidence
from analysis.chapters.message_queues.runs import database_runs
from analysis.chapters.published_results.counterparts.printed_numbers import (
    BANDWIDTHS,
    DESIGN_GETS,
    FULL_SYSTEM,
    LEVELS,
    REBUILT,
    SYSTEM,
    TABLES,
    TEXT,
    Quantity,
    cell_names,
    printed_times,
)
from analysis.chapters.writes import full_system
from analysis.laws import summary
from analysis.studies.machines.khalils_server import at_his_loads
from analysis.studies.machines.on_the_lab import sets_on_the_lab
from analysis.studies.machines.printed_sets import DESIGN, STUDIES
from analysis.studies.printed import (
    WORKERS,
    published_summary,
    published_table,
    published_workers,
    study_name,
)
from analysis.studies.rederived_variation import FACTORS, Workload, design_runs
from analysis.tables.loading import find_sections, load_tables
from records.paths import DATA

COLUMNS = ["study", "table", "quantity", "workload", "cell", "campaign"]
COLUMNS += ["printed", "measured", "fitted", "rebuilt"]
KEY = COLUMNS[:5]  # of a printed number
MACHINES = "sets_on_their_machines"
_WORKLOADS: tuple[Workload, ...] = ("get", "set")
_KHALIL = "khalil2016"
_THROUGHPUT = "client_throughput_ops_per_s"
_TIME = "client_response_time_ms"
_SYSTEMS = {"2.1": (0, 1), "2.2": (0, 2), "3.1": (1, 1), "3.2": (2, 1)}  # as `SYSTEM`, no workers
_NAMES = {"num_middlewares": "middlewares", "num_servers": "servers"}


def compare_with_published(name: str, campaign_dir: Path) -> pd.DataFrame:
    """Compare measurements with the numbers that the studies print.

    Parameters
    ----------
    name
        One of `COMPARISONS`.
    campaign_dir
        ``data/<campaign>``; the studies' own machines are read from the folders of `DATA`.

    Returns
    -------
    pandas.DataFrame
        One row for each number that both have, `COLUMNS`: `study`, `table` (as in
        `analysis.studies.printed.published_index`; a number that several tables print is of
        one), `quantity` (`Quantity`), `workload`, `cell` (what it is of, in words), `campaign`
        (name of the folder), `printed` and `measured` (units of `printed_numbers.UNITS`), `fitted`
        (whether the lab was set up by the number), `rebuilt` (whether it is computed from printed
        effects). Empty where no campaign holds the sections.

    Raises
    ------
    ValueError
        There is no such comparison.
    """
    if name not in COMPARISONS:
        raise ValueError(f"comparison must be one of {sorted(COMPARISONS)}, got {name!r}")
    sections, compare = COMPARISONS[name]
    if sections and not set(sections) & set(find_sections(campaign_dir)):
        return pd.DataFrame(columns=COLUMNS)
    rows = compare(campaign_dir)
    defaults: dict[str, str | bool] = {"workload": "", "cell": "", "fitted": False}
    defaults["campaign"] = campaign_dir.name
    for column, value in defaults.items():
        if column not in rows:
            rows[column] = value
    rows["rebuilt"] = rows["table"].isin(REBUILT)
    return rows[COLUMNS].dropna(subset=["printed", "measured"]).reset_index(drop=True)


def _sets_on_their_machines(_: Path) -> pd.DataFrame:
    """Throughput of sets on the emulated machines of each study."""
    sets = sets_on_the_lab(DATA)
    codes = {study_name(study): study for study in STUDIES}
    sets = sets.assign(study=sets["study"].map(codes))
    places = zip(sets["place"], sets["study"], strict=True)
    return sets.assign(
        table=[TABLES[place][study] for place, study in places],
        quantity=Quantity.THROUGHPUT,
        workload="set",
        cell=cell_names(sets),
        campaign=sets["study"],
        printed=sets["published"],
    )


def _times_on_their_machines(_: Path) -> pd.DataFrame:
    """Response times of sets on the emulated machines of each study; N / X of a fitted X."""
    parts = []
    for study in STUDIES:
        if study in find_sections(DATA / study):
            theirs = printed_times().query("study == @study").drop(columns="section")
            own = _times(theirs, load_tables(DATA / study, study).runs)
            parts.append(own.assign(campaign=study, fitted=own["middlewares"] > 0))
    return pd.concat(parts) if parts else pd.DataFrame(columns=COLUMNS)


def _times_of_sections(campaign_dir: Path) -> pd.DataFrame:
    """Response times under the studies' numbers of clients."""
    return _times(printed_times(), load_tables(campaign_dir, "3.1", "3.2", "6").runs)


def _times(theirs: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    own = runs.rename(columns=_NAMES)
    on = [name for name in ("section", "workload", *SYSTEM, "num_clients") if name in theirs]
    means = own.groupby(on)[_TIME].mean().rename("measured").reset_index()
    both = theirs.merge(means.astype({name: "int64" for name in on[-4:]}), on=on)
    return both.assign(quantity=Quantity.RESPONSE_TIME, cell=cell_names(both))


def _baseline(campaign_dir: Path) -> pd.DataFrame:
    """Usable capacity without a middleware."""
    loads = summary.cells(load_tables(campaign_dir, "2.1", "2.2").runs)
    ours = summary.capacity_table(loads, ["section", "workload"])
    return _capacities(ours.assign(workers=0), "2.1", "2.2")


def _with_middleware(campaign_dir: Path) -> pd.DataFrame:
    """Usable capacity at the clients, with as many workers as the studies had."""
    loads = summary.cells(load_tables(campaign_dir, "3.1", "3.2").runs)
    by = ["section", "workload", "workers"]
    return _capacities(summary.capacity_table(loads, by), "3.1", "3.2")


def _capacities(ours: pd.DataFrame, *sections: str) -> pd.DataFrame:
    theirs = pd.concat([published_summary(section) for section in sections])
    on, measured = ["section", "workload", "workers", "measured_on"], "throughput_ops_per_s"
    both = theirs.merge(ours, on=on, suffixes=("", "_ours"))
    systems = pd.DataFrame([_SYSTEMS[section] for section in both["section"]], columns=SYSTEM[:2])
    places = zip("section " + both["section"], both["study"], strict=True)
    return both[["study", "workload"]].assign(
        table=[TABLES[place][study] for place, study in places],
        quantity=Quantity.THROUGHPUT,
        cell=cell_names(systems.assign(workers=both["workers"])),
        printed=both[measured],
        measured=both[f"{measured}_ours"],
    )


def _one_more_load(campaign_dir: Path) -> pd.DataFrame:
    """Throughput of 96 clients without a middleware, which Schmid's text has beside the others."""
    prose = published_table("schmid2018", TEXT)
    is_load = prose["subject"] == "direct 1 server write-only N=96"
    printed = prose.loc[is_load & (prose["quantity"] == "throughput"), "value"]
    runs = load_tables(campaign_dir, "2.1").runs.query("workload == 'set' and num_clients == 96")
    return pd.DataFrame(
        {
            "study": "schmid2018",
            "table": TEXT,
            "quantity": Quantity.THROUGHPUT,
            "workload": "set",
            "cell": "no middleware, 1 server, 96 clients",
            "printed": printed.astype(float).to_numpy(),
            "measured": runs[_THROUGHPUT].mean(),
        }
    )


def _by_workers(campaign_dir: Path) -> pd.DataFrame:
    """Usable capacity of sets by workers, without the line that the next table has at clients."""
    loads = summary.cells(load_tables(campaign_dir, "3.1").runs.query("workload == 'set'"))
    ours = summary.capacity_table(loads, ["workload", "workers"], measured_on="middleware")
    theirs = published_workers()
    theirs = theirs[theirs["workers"] != WORKERS]
    both = theirs.merge(ours, on=["workload", "workers"], suffixes=("", "_ours"))
    return both[["study", "workload"]].assign(
        table=TABLES["table 3"]["schmid2018"],
        quantity=Quantity.THROUGHPUT,
        cell=cell_names(both.assign(middlewares=1, servers=1)),
        printed=both["throughput_ops_per_s"],
        measured=both["throughput_ops_per_s_ours"],
    )


def _full_system(campaign_dir: Path) -> pd.DataFrame:
    """Usable capacity of sets to three servers, by workers."""
    ours = full_system.full_system_table(summary.cells(load_tables(campaign_dir, "4.1").runs))
    both = full_system.published_full_system().merge(ours, on="workers", suffixes=("", "_ours"))
    in_text = full_system.ninety_six_workers()["workers"]
    table = both["study"].map(FULL_SYSTEM).mask(both["workers"].isin(in_text), TEXT)
    return both[["study"]].assign(
        table=table,
        quantity=Quantity.THROUGHPUT,
        workload="set",
        cell=cell_names(both.assign(middlewares=2, servers=3)),
        printed=both["throughput_ops_per_s"],
        measured=both["throughput_ops_per_s_ours"],
    )


def _design(campaign_dir: Path) -> pd.DataFrame:
    """Throughput of the eight cells of each 2^3 design."""
    own = load_tables(campaign_dir, "6").runs.rename(columns=_NAMES)
    ours = own.groupby(["workload", *SYSTEM])[_THROUGHPUT].mean().rename("measured").reset_index()
    parts = []
    for workload in _WORKLOADS:
        tables = TABLES[DESIGN] if workload == "set" else DESIGN_GETS
        for study, table in tables.items():
            cells = design_runs(study, workload).groupby(FACTORS)["throughput"].mean()
            theirs = cells.rename("printed").reset_index()
            coded = {name: theirs[name].map(levels) for name, levels in LEVELS.items()}
            both = theirs.assign(**coded).merge(ours[ours["workload"] == workload], on=SYSTEM)
            parts.append(both.assign(study=study, table=table, cell=cell_names(both)))
    return pd.concat(parts, ignore_index=True).assign(quantity=Quantity.THROUGHPUT)


def _khalil(_: Path) -> pd.DataFrame:
    """Khalil's clients on his emulated server, without and with a middleware."""
    rows = at_his_loads(DATA)
    few = rows["num_clients"] == rows["num_clients"].min()
    return rows.assign(
        study=_KHALIL,
        table=pd.Series("s3_3_overhead", rows.index).mask(few, TEXT),
        workload="mixed",
        campaign=_KHALIL,
        fitted=rows["num_middlewares"] == 0,
    )


def _bandwidths(campaign_dir: Path) -> pd.DataFrame:
    """Bandwidth of one stream on the idle network, by the role that sends."""
    tables = load_tables(campaign_dir, "0")
    links = network_table(tables.pings, tables.bandwidths)
    ours = links.groupby("sender")["bandwidth_mbit_per_s"].mean()
    return pd.concat(
        [
            pd.DataFrame({"printed": theirs, "measured": ours.reindex(theirs.index)})
            .rename_axis("role")
            .reset_index()
            .assign(study=study, table=BANDWIDTHS[study])
            for study, theirs in studies_bandwidths().items()
        ],
        ignore_index=True,
    ).pipe(
        lambda rows: rows.assign(
            quantity=Quantity.BANDWIDTH, cell="one " + rows["role"], fitted=True
        )
    )


def _multi_gets(campaign_dir: Path) -> pd.DataFrame:
    """Compare the numbers of the texts alone: all other results of these sections are figures."""
    rows = published_numbers(load_tables(campaign_dir, "5.1", "5.2").runs)
    is_time = rows["quantity"].str.contains("time")
    microseconds = is_time & rows["quantity"].str.contains("µs")
    scale = pd.Series(1.0, rows.index).mask(microseconds, 1e-3)
    return rows.assign(
        table=TEXT,
        workload="multi-get",
        quantity=pd.Series(Quantity.THROUGHPUT, rows.index, dtype=object).mask(
            is_time, Quantity.QUEUEING_TIME
        ),
        cell=rows["quantity"].str.split(" (", regex=False).str[0],
        printed=rows["published"] * scale,
        measured=rows["ours"] * scale,
    )


def _growth(campaign_dir: Path) -> pd.DataFrame:
    """How long a worker holds a request, by the number of all workers."""
    rows = growth_table(load_evidence(campaign_dir, "q2").runs)
    return _su(
        "t2_service",
        Quantity.SERVICE_TIME,
        "all workers: " + rows["all_workers"].astype(str),
        rows["su2015_ms"],
        rows["service_time_ms"],
    )


def _components(campaign_dir: Path) -> pd.DataFrame:
    """Compare what a request takes of each part, and what the database alone does."""
    found = load_evidence(campaign_dir, "q2", "q3", "q4")
    rows = component_table(found.runs, found.demands)
    most = rows[rows["part"] == CPU]
    table = "t5_interactive"
    alone = database_runs(found.runs).groupby("workers")[_THROUGHPUT].mean()
    theirs = published_table(STUDY, table).merge(alone, left_on="N", right_index=True)
    return pd.concat(
        [
            _su(
                table,
                Quantity.THROUGHPUT,
                "the database alone, " + theirs["N"].astype(str) + " requests at a time",
                theirs["X_meas_req_s"],
                theirs[_THROUGHPUT],
            ),
            _su(
                "t3_network",
                Quantity.SERVICE_TIME,
                rows["part"],
                rows["su2015_ms"],
                rows["demand_ms"],
            ),
            _su(
                TEXT,
                Quantity.THROUGHPUT,
                "the database alone, at most",
                most["su2015_ops_per_s"],
                most["most_ops_per_s"],
            ),
        ]
    )


def _loads(campaign_dir: Path) -> pd.DataFrame:
    """Throughput and response time by the number of clients that think for 5 ms, his table 6."""
    table = "t6_interactive"
    theirs = published_table(STUDY, table).rename(columns={"N": "num_clients"})
    both = load_table(load_evidence(campaign_dir, "q3", "q4")).merge(theirs, on="num_clients")
    cells = both["num_clients"].astype(str) + " clients"
    printed, ours = both["X_meas_req_s"], both["throughput_ops_per_s"]
    times, own = both["R_meas_ms"], both["response_time_ms"]
    return pd.concat(
        [
            _su(table, Quantity.THROUGHPUT, cells, printed, ours),
            _su(table, Quantity.RESPONSE_TIME, cells, times, own),
        ]
    )


def _su(
    table: str, quantity: Quantity, cell: pd.Series | str, printed: pd.Series, measured: pd.Series
) -> pd.DataFrame:
    columns = {"table": table, "quantity": quantity, "cell": cell}
    return pd.DataFrame(columns | {"printed": printed, "measured": measured}).assign(study=STUDY)


COMPARISONS: dict[str, tuple[tuple[str, ...], Callable[[Path], pd.DataFrame]]] = {
    MACHINES: ((), _sets_on_their_machines),
    "times_on_their_machines": ((), _times_on_their_machines),
    "khalil": ((), _khalil),
    "baseline": (("2.1", "2.2"), _baseline),
    "one_more_load": (("2.1",), _one_more_load),
    "middleware": (("3.1", "3.2"), _with_middleware),
    "workers": (("3.1",), _by_workers),
    "full_system": (("4.1",), _full_system),
    "design": (("6",), _design),
    "times": (("3.1", "3.2", "6"), _times_of_sections),
    "bandwidths": (("0",), _bandwidths),
    "multi_gets": (("5.1", "5.2"), _multi_gets),
    "growth": (("q2",), _growth),
    "components": (("q2", "q3", "q4"), _components),
    "loads": (("q4",), _loads),
}
"""Name to the sections of which one must be held, and what puts measured beside printed numbers.

Campaigns on the studies' own machines come first: of a number that two campaigns measure the first
counts (`numbers.comparable_numbers`).
"""
