"""The full system under writes: by workers, beside the studies' section 4, and by dispatch."""

from dataclasses import replace

import pandas as pd

from analysis.laws.limits import at_load, server_times
from analysis.laws.summary import cells
from analysis.models.asymptotes import asymptote_table, bounds_over
from analysis.models.fed_with_closed_loops import recipe_table, station_predictions
from analysis.statistics.loads.capacity import capacities
from analysis.statistics.loads.curve import THINK_TIME
from analysis.studies.printed import published_table, study_name
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

OURS = "this campaign"
MEASURES = {  # what the cells of a section call it, and the tables here
    "client_throughput_ops_per_s": "throughput_ops_per_s",
    "middleware_queueing_time_ms": "queueing_time_ms",
    "middleware_queue_length": "queue_length",
    "middleware_servers_net_time_ms": "servers_net_time_ms",
}
_STUDIES = {
    "schmid2018": "t06_full_system",
    "yenicelik2018": "s4_2_full_system",
    "cetin2018": "t05_full_system",
}
_CLIENTS = ("n_uc", "saturation_clients")
_THEIR_NAMES = {
    "x_client_ops_s": "throughput_ops_per_s",
    "queue_time_ms": "queueing_time_ms",
    "queue_len_both_mw": "queue_length",
    "memcached_wait_ms": "servers_net_time_ms",
    "workers_per_middleware": "workers",
}
_QUEUE_OF_ONE = ("queue_len", "queue_len_per_mw")  # of one of two middlewares
_SYSTEM = ("num_servers", "dispatch", "workers")  # of section 4.4
_THREADS = 6  # memtier threads over all machines


def full_system_table(loads: pd.DataFrame) -> pd.DataFrame:
    """Summarise each number of workers at its usable capacity, as the studies do.

    Parameters
    ----------
    loads
        From `analysis.laws.summary.cells`, of one workload.

    Returns
    -------
    pandas.DataFrame
        `workers` (and `think_time_s` where it varies), `num_clients` (linear between loads), and
        the means of `throughput_ops_per_s` (at the clients), `queueing_time_ms`, `queue_length`
        (jobs, all middlewares) and `servers_net_time_ms`.
    """
    found = capacities(loads, ["workers"])
    clients = found["num_clients"].round().astype("int64")
    levels = [name for name in ("workers", THINK_TIME) if name in found]
    columns = {**{name: found[name] for name in levels}, "num_clients": clients}
    columns |= {name: found[f"{measure}_mean"] for measure, name in MEASURES.items()}
    return pd.DataFrame(columns)


def published_full_system() -> pd.DataFrame:
    """Give the studies' tables of section 4 in the form of `full_system_table`, with `study`.

    Yenicelik's and Cetin's queue lengths are those of one middleware (Little's law of their own
    numbers tells) and are doubled. Schmid's 96 workers are those of his text, with what the
    clients measured alone.
    """
    rows = [_published(study, table) for study, table in _STUDIES.items()]
    return pd.concat([*rows, ninety_six_workers()], ignore_index=True)


def ninety_six_workers() -> pd.DataFrame:
    """Return the throughput that Schmid's text gives of 96 workers, as `published_full_system`."""
    prose = published_table("schmid2018", "prose")
    (row,) = prose[prose["subject"].str.contains("WT=96 N=288")].to_dict("records")
    return pd.DataFrame(
        {
            "study": ["schmid2018"],
            "workers": [96],
            "num_clients": [288],
            "throughput_ops_per_s": [float(row["value"])],
        }
    )


def beside_published(ours: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Put our rows above the studies' of the same number of workers.

    Returns
    -------
    pandas.DataFrame
        `workers`, `study` (`OURS` for ours), `num_clients`, `throughput_ops_per_s`,
        `throughput_ratio` (ours over the study's; missing for ours), and the other measures of
        `full_system_table`.
    """
    mine = ours.assign(study=OURS)
    own = ours.set_index("workers")["throughput_ops_per_s"]
    theirs = published[published["workers"].isin(ours["workers"])]
    theirs = theirs.assign(
        throughput_ratio=theirs["workers"].map(own) / theirs["throughput_ops_per_s"]
    )
    both = pd.concat([mine, theirs], ignore_index=True)
    order = {study: rank for rank, study in enumerate([OURS, *_STUDIES])}
    ranked = both.assign(rank=both["study"].map(order)).sort_values(["workers", "rank"])
    columns = ["workers", "study", "num_clients", *MEASURES.values()]
    columns.insert(4, "throughput_ratio")
    return ranked.reindex(columns=columns).astype({"num_clients": "Int64"}).reset_index(drop=True)


def beside_one_server(tables: Tables) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return loads and asymptotic bounds of sets by servers, of the most workers that all have.

    Parameters
    ----------
    tables
        Of sections 3.2, with one server, and 4.1, with three, or of one of them; with section 0.

    Returns
    -------
    tuple of pandas.DataFrame
        What `analysis.laws.summary.cells` and `analysis.models.asymptotes.asymptote_table`
        give, with `num_servers`.
    """
    sets = tables.runs[tables.runs["workload"] == "set"]
    workers = max(set.intersection(*map(set, sets.groupby("section")["workers"].unique())))
    runs = sets[sets["workers"] == workers]
    servers = runs.groupby("section", as_index=False)["num_servers"].first()
    loads, bounds = cells(runs), asymptote_table(replace(tables, runs=runs))
    return loads.merge(servers, on="section"), bounds.merge(servers, on="section")


def by_dispatch(tables: Tables) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what workers that wait for replies do, and those that do not, and their bounds.

    Parameters
    ----------
    tables
        Of section 4.4, and of section 0 if it was measured.

    Returns
    -------
    tuple of pandas.DataFrame
        Of the largest load, with `system` (such as ``3 servers, pipelined``): cells, and the most
        throughput and the least response time at that number of clients.
    """
    runs = at_load(tables.runs, "largest")
    loads = cells(runs)
    same = {name: runs[name].iloc[0] for name in _SYSTEM if name not in loads}
    loads = loads.assign(**same)
    bounds = asymptote_table(replace(tables, runs=runs), ["section", "workload", *_SYSTEM])
    most, least_s = bounds_over(
        bounds["most_ops_per_s"],
        bounds["least_response_time_ms"] / MS_PER_S,
        loads[THINK_TIME].max(),
        loads["num_clients"].max(),
    )
    bounds = bounds.assign(most_ops_per_s=most, least_response_time_ms=least_s * MS_PER_S)
    return _with_names(loads), _with_names(bounds)


def station_table(loads: pd.DataFrame, windows: pd.DataFrame, num_middlewares: int) -> pd.DataFrame:
    """Predict the largest load of each number of workers by M/M/1 and M/M/m, as the studies do.

    All middlewares together are one station.

    Parameters
    ----------
    loads
        From `analysis.laws.summary.cells`, of one workload.
    windows
        `analysis.tables.frames.Tables.windows` of the same section.
    num_middlewares
        Among which the requests are shared.

    Returns
    -------
    pandas.DataFrame
        Of `analysis.models.fed_with_closed_loops.recipe_table`, without the workload; `workers`
        are those of all middlewares.
    """
    system, seconds = (
        frame.assign(workers=frame["workers"] * num_middlewares) for frame in (loads, windows)
    )
    largest = system[system["num_clients"] == system["num_clients"].max()]
    return recipe_table(station_predictions(largest, seconds)).drop(columns="workload")


def server_table(servers: pd.DataFrame) -> pd.DataFrame:
    """Put the response times of servers side by side, as the middlewares see them.

    Parameters
    ----------
    servers
        `analysis.tables.frames.Tables.servers` of one section.

    Returns
    -------
    pandas.DataFrame
        `server`, and its mean response time in ms at the smallest and at the largest load, in
        columns headed such as ``6 clients (ms)``; no rows where middlewares tell nothing of them.
    """
    if servers.empty:
        return servers[["server"]]
    loads = [at_load(servers, load) for load in ("smallest", "largest")]
    times = {f"{rows['num_clients'].iloc[0]} clients (ms)": server_times(rows) for rows in loads}
    return pd.DataFrame(times).rename_axis("server").reset_index()


def source_name(study: str) -> str:
    """Name the source of a row of `beside_published`."""
    return study if study == OURS else study_name(study)


def _with_names(frame: pd.DataFrame) -> pd.DataFrame:
    servers = frame["num_servers"].astype(str) + " servers, "
    names = servers.str.replace("^1 servers", "1 server", regex=True) + frame["dispatch"]
    return frame.assign(system=names)


def _published(study: str, name: str) -> pd.DataFrame:
    table = published_table(study, name)
    clients = next((table[column] for column in _CLIENTS if column in table), None)
    if clients is None:
        clients = table["virtual_clients_per_thread"] * _THREADS
    for column in _QUEUE_OF_ONE:
        if column in table:
            table = table.assign(queue_length=table[column] * 2)
    table = table.rename(columns=_THEIR_NAMES).assign(num_clients=clients, study=study)
    return table.reindex(columns=["study", "workers", "num_clients", *MEASURES.values()])
