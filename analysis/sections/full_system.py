"""The full system under writes, summarised by workers as the studies' tables of section 4 are."""

import pandas as pd

from analysis.laws.bottlenecks import is_busy
from analysis.published.printed import published_table, study_name
from analysis.statistics.capacity import usable_capacity
from analysis.text.formatting import grouped
from analysis.text.lists import joined
from analysis.text.numbers import percent

OURS = "this campaign"
MEASURES = {  # ours to what the studies call it
    "middleware_throughput_ops_per_s": "middleware_throughput_ops_per_s",
    "middleware_derived_throughput_ops_per_s": "derived_throughput_ops_per_s",
    "client_throughput_ops_per_s": "client_throughput_ops_per_s",
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
    "x_mw_ops_s": "middleware_throughput_ops_per_s",
    "x_mw_sd": "middleware_throughput_sd_ops_per_s",
    "x_derived_ops_s": "derived_throughput_ops_per_s",
    "x_derived_sd": "derived_throughput_sd_ops_per_s",
    "x_client_ops_s": "client_throughput_ops_per_s",
    "x_client_sd": "client_throughput_sd_ops_per_s",
    "queue_time_ms": "queueing_time_ms",
    "queue_time_sd": "queueing_time_sd_ms",
    "queue_len_both_mw": "queue_length",
    "queue_len_sd": "queue_length_sd",
    "memcached_wait_ms": "servers_net_time_ms",
    "memcached_wait_sd": "servers_net_time_sd_ms",
    "workers_per_middleware": "workers",
}
_QUEUE_OF_ONE = ("queue_len", "queue_len_per_mw")  # of one of two middlewares
_THREADS = 6  # memtier threads over all machines


def full_system_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Summarise each number of workers at its usable capacity, in the studies' layout.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`, of one workload.

    Returns
    -------
    pandas.DataFrame
        `workers`, `num_clients`, and with SD `middleware_throughput_ops_per_s`,
        `derived_throughput_ops_per_s` (what the interactive law makes of response and think time
        at the middleware), `client_throughput_ops_per_s`, `queueing_time_ms`, `queue_length`
        (jobs, all middlewares), `servers_net_time_ms`.
    """
    found = usable_capacity(cells, ["workers"])
    columns = {"workers": found["workers"], "num_clients": found["num_clients"].astype("int64")}
    for measure, name in MEASURES.items():
        columns[name] = found[f"{measure}_mean"]
        columns[_sd_name(name)] = found[f"{measure}_sd"]
    return pd.DataFrame(columns)


def outside_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Split the clients' response time at the largest load into parts in and outside middlewares.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`, of one workload.

    Returns
    -------
    pandas.DataFrame
        By `workers`: `num_clients`, `client_response_time_ms`, and what of it passes in the
        `queue_ms` for a worker, in the `rest_of_middleware_ms`, and `outside_ms`, between client
        and middleware.
    """
    loaded = cells[cells["num_clients"] == cells["num_clients"].max()]
    seen, inside, queue = (
        loaded[f"{name}_time_ms_mean"]
        for name in ("client_response", "middleware_response", "middleware_queueing")
    )
    return pd.DataFrame(
        {
            "workers": loaded["workers"],
            "num_clients": loaded["num_clients"],
            "client_response_time_ms": seen,
            "queue_ms": queue,
            "rest_of_middleware_ms": inside - queue,
            "outside_ms": seen - inside,
        }
    ).sort_values("workers", ignore_index=True)


def outside_sentences(outside: pd.DataFrame, utilizations: pd.DataFrame) -> str:
    """Say where the time passes with the fewest and with the most workers.

    Parameters
    ----------
    outside
        From `outside_table`.
    utilizations
        From `analysis.laws.bottlenecks.utilization_table`, by ``workers``.
    """
    few, many = outside.iloc[0], outside.iloc[-1]
    words = " ".join(
        f"With {row['workers']:.0f} workers a set takes {row['client_response_time_ms']:.1f} ms: "
        f"{row['queue_ms']:.1f} ms in the queue for a worker, "
        f"{row['rest_of_middleware_ms']:.1f} ms elsewhere in the middleware and "
        f"{row['outside_ms']:.1f} ms between client and middleware."
        for row in ([few] if len(outside) == 1 else [few, many])
    )
    links = utilizations[utilizations["resource"] == "middlewares' links"]
    links = links[links["workers"] == many["workers"]]
    if many["outside_ms"] <= few["outside_ms"] or not is_busy(links).any():
        return words
    busy = percent(links["utilization"].iloc[0])
    return (
        f"{words} The middlewares' links are busy for {busy} of the time then: what waited for a "
        "worker before waits for the link now, a set on its way to the servers and a reply, behind "
        "all those sets, on its way to the client."
    )


def published_full_system() -> pd.DataFrame:
    """Give the studies' tables of section 4 in the form of `full_system_table`, with `study`.

    Yenicelik's and Cetin's queue lengths are those of one middleware (Little's law of their own
    numbers tells) and are doubled. Schmid's 96 workers are those of his text, with what the
    clients measured alone.
    """
    rows = [_published(study, table) for study, table in _STUDIES.items()]
    return pd.concat([*rows, _ninety_six_workers()], ignore_index=True)


def beside_published(ours: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Put our rows above the studies' of the same number of workers; SDs are left out.

    Returns
    -------
    pandas.DataFrame
        `workers`, `study` (`OURS` for ours), and the measures of `full_system_table`.
    """
    both = pd.concat(
        [ours.assign(study=OURS), published[published["workers"].isin(ours["workers"])]]
    )
    order = {study: rank for rank, study in enumerate([OURS, *_STUDIES])}
    ranked = both.assign(rank=both["study"].map(order)).sort_values(["workers", "rank"])
    columns = ["workers", "study", "num_clients", *MEASURES.values()]
    return ranked[columns].astype({"num_clients": "Int64"}).reset_index(drop=True)


def source_name(study: str) -> str:
    """Name the source of a row of `beside_published`."""
    return study if study == OURS else study_name(study)


def ratio_sentences(
    ours: pd.DataFrame,
    published: pd.DataFrame,
    measure: str = "client_throughput_ops_per_s",
) -> str:
    """Say of each study how our usable capacity compares with its own, by workers.

    Returns
    -------
    str
        Markdown, one list item per study.
    """
    both = published.merge(ours, on="workers", suffixes=("_study", "_ours"))
    lines = []
    for study in (name for name in _STUDIES if (both["study"] == name).any()):
        rows = both[both["study"] == study].sort_values("workers")
        ratios = rows[f"{measure}_ours"] / rows[f"{measure}_study"]
        parts = [
            f"{ratio:.2f} times with {workers} workers ({grouped(mine)} against {grouped(theirs)})"
            for ratio, workers, mine, theirs in zip(
                ratios,
                rows["workers"],
                rows[f"{measure}_ours"],
                rows[f"{measure}_study"],
                strict=True,
            )
        ]
        lines.append(
            f"- **{study_name(study)}**, ours over theirs in op/s: {joined(parts)}. "
            f"{_waits(rows.dropna(subset='servers_net_time_ms_study').head(1))}"
        )
    return "\n".join(lines) or "No study has these numbers of workers."


def _waits(rows: pd.DataFrame) -> str:
    """Say how long the servers take here and there with the fewest workers, which decides then."""
    return "".join(
        f"With {row['workers']} workers a worker waits {row['servers_net_time_ms_ours']:.2f} ms "
        f"for the servers here and {row['servers_net_time_ms_study']:.2f} ms there."
        for _, row in rows.iterrows()
    )


def _published(study: str, name: str) -> pd.DataFrame:
    table = published_table(study, name)
    clients = next((table[column] for column in _CLIENTS if column in table), None)
    if clients is None:
        clients = table["virtual_clients_per_thread"] * _THREADS
    for column in _QUEUE_OF_ONE:
        if column in table:
            table = table.assign(queue_length=table[column] * 2)
            if "queue_len_sd" in table:
                table["queue_len_sd"] *= 2
    table = table.rename(columns=_THEIR_NAMES).assign(num_clients=clients, study=study)
    measures = [name for measure in MEASURES.values() for name in (measure, _sd_name(measure))]
    return table.reindex(columns=["study", "workers", "num_clients", *measures])


def _ninety_six_workers() -> pd.DataFrame:
    prose = published_table("schmid2018", "prose")
    (row,) = prose[prose["subject"].str.contains("WT=96 N=288")].to_dict("records")
    return pd.DataFrame(
        {
            "study": ["schmid2018"],
            "workers": [96],
            "num_clients": [288],
            "client_throughput_ops_per_s": [float(row["value"])],
            "client_throughput_sd_ops_per_s": [float(row["uncertainty"])],
        }
    )


def _sd_name(measure: str) -> str:
    for unit in ("_ops_per_s", "_ms"):
        if measure.endswith(unit):
            return f"{measure.removesuffix(unit)}_sd{unit}"
    return f"{measure}_sd"
