"""The studies' published tables, as they stand and in one form to put beside our own numbers."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.units import us_to_ms
from records.paths import PUBLISHED

WORKLOADS = {"read-only": "get", "write-only": "set"}
COLUMNS = [
    "section",
    "study",
    "workload",
    "workers",
    "measured_on",
    "num_clients",
    "throughput_ops_per_s",
    "throughput_sd_ops_per_s",
    "response_time_ms",
    "response_time_sd_ms",
    "queueing_time_ms",
    "queueing_time_sd_ms",
    "miss_rate",
]
_BASELINE = (
    ("schmid2018", "t02_baseline_max"),
    ("yenicelik2018", "s2_3_baseline_max"),
    ("cetin2018", "t02_baseline_max"),
)
MIDDLEWARE = {  # section to study to table
    "3.1": {
        "schmid2018": "t04_max_1mw",
        "yenicelik2018": "s3_3_max_1mw",
        "cetin2018": "t03_max_1mw",
    },
    "3.2": {
        "schmid2018": "t05_max_2mw",
        "yenicelik2018": "s3_3_max_2mw",
        "cetin2018": "t04_max_2mw",
    },
}
WORKERS = 64  # with the tables of `MIDDLEWARE`; Yenicelik prints none: the most that he had
_SECTION_OF_SYSTEM = {"one_memcached_server": "2.1", "one_load_generating_vm": "2.2"}
_THREADS = {"2.1": 6, "2.2": 2}  # memtier threads over all machines, in every study
_OUR_NAMES = {
    "throughput_ops_s": "throughput_ops_per_s",
    "throughput_mw_ops_s": "throughput_ops_per_s",
    "sd_ops_s": "throughput_sd_ops_per_s",
    "throughput_sd": "throughput_sd_ops_per_s",
    "response_ms": "response_time_ms",
    "response_sd": "response_time_sd_ms",
    "queue_time_ms": "queueing_time_ms",
    "queue_time_sd": "queueing_time_sd_ms",
    "workers_per_middleware": "workers",
    "clients": "num_clients",
    "n_uc": "num_clients",
    "miss_rate_fraction": "miss_rate",
}


def study_name(study: str) -> str:
    """Return a study's name as tables show it: ``schmid2018`` is Schmid 2018, never broken."""
    return f"{study[:-4].title()}\N{NO-BREAK SPACE}{study[-4:]}"


def table_name(study: str, table: str) -> str:
    """Return where a table stands in its study: ``table 3``, ``section 4.2``.

    Parameters
    ----------
    study, table
        As in `published_index`; a name that is not in it, such as ``section 3.1``, stays as it is.
    """
    index = published_index()
    place = index.loc[(index["study"] == study) & (index["table"] == table), "place"]
    if place.empty:
        return table
    name = str(place.iloc[0]).split(",")[0].split(" with ")[0].split(" and ")[0].split(" (")[0]
    return name[:1].lower() + name[1:]


def published_index() -> pd.DataFrame:
    """List all tables: `study`, `table`, `place` in the report, `content`, `units`."""
    index = pd.read_csv(PUBLISHED / "index.csv")
    tables = index["file"].str.removesuffix(".csv").str.split("_", n=1).str[1]
    return pd.DataFrame(
        {
            "study": index["seed"],
            "table": tables,
            "place": index["table_or_place"],
            "content": index["what_it_holds"],
            "units": index["units"],
        }
    )


def published_table(study: str, table: str) -> pd.DataFrame:
    """Read one table as the study printed it, in its own column names.

    Parameters
    ----------
    study, table
        As in `published_index`, such as ``"schmid2018"``, ``"t03_workers"``.
    """
    path = PUBLISHED / f"{study}_{table}.csv"
    if not path.exists():
        known = published_index().query("study == @study")["table"].tolist()
        raise ValueError(f"no table {table!r} of {study!r} among {known}")
    return pd.read_csv(path)


def published_summary(section: str) -> pd.DataFrame:
    """Give the studies' throughput and response time of a section in one form.

    One row per study, workload and place of measurement, columns `COLUMNS`: `workload` (``get``,
    ``set``), `workers` of each middleware (`WORKERS`; 0 without a middleware), `measured_on`
    (``clients``, ``middleware``), rates in op/s, times in ms, `miss_rate` 0..1; NaN where a study
    does not tell. Schmid and Cetin give usable capacity, Yenicelik the largest throughput.

    Parameters
    ----------
    section
        ``"2.1"``, ``"2.2"`` (without middleware), ``"3.1"``, ``"3.2"`` (one or two middlewares).
    """
    if section in _THREADS:
        rows = [_baseline(study, table, section) for study, table in _BASELINE]
    elif section in MIDDLEWARE:
        rows = [_with_middleware(study, table) for study, table in MIDDLEWARE[section].items()]
    else:
        known = [*_THREADS, *MIDDLEWARE]
        raise ValueError(f"section must be one of {known}, got {section!r}")
    return pd.concat(rows, ignore_index=True).assign(section=section)[COLUMNS]


def published_workers() -> pd.DataFrame:
    """Give Schmid's table 3 in our form: usable capacity by workers, section 3.1, set-only."""
    table = published_table("schmid2018", "t03_workers").rename(columns=_OUR_NAMES)
    fixed = {"section": "3.1", "study": "schmid2018", "workload": "set"}
    return table.assign(**fixed, measured_on="middleware").reindex(columns=COLUMNS)


def khalil_conditions() -> pd.DataFrame:
    """Tell what Khalil's two measurements of section 3.3 were made with; they are not alike.

    Index ``without_middleware``, ``with_middleware``: `num_clients`, `num_servers`.
    """
    prose = published_table("khalil2016", "prose").set_index(["subject", "quantity"])["value"]
    config = {
        section: published_table("khalil2016", f"config_{section}").set_index("parameter")["value"]
        for section in ("s2", "s3")
    }
    clients = (prose["baseline", "total clients high"], prose["trace", "total clients"])
    servers = (table["number_of_servers"] for table in config.values())
    return pd.DataFrame(
        {"num_clients": [int(n) for n in clients], "num_servers": [int(n) for n in servers]},
        index=pd.Index(["without_middleware", "with_middleware"]),
    )


def khalils_numbers() -> pd.DataFrame:
    """Give Khalil's curve without a middleware at both ends, and his trace with one.

    Columns: `source`, `num_clients`, `num_servers`, `replicas` (missing without a middleware),
    `workers` (missing: he tells none), `throughput_ops_per_s` (missing at the smallest load),
    `response_time_ms`, `think_time_s`.
    """
    conditions = khalil_conditions()
    both = published_table("khalil2016", "s3_3_overhead").set_index("quantity")
    both = both[list(conditions.index)].T
    told = published_table("khalil2016", "prose").set_index(["subject", "quantity"])["value"]
    few: dict[str, Any] = {
        "num_clients": int(told["baseline", "total clients low"]),
        "num_servers": conditions["num_servers"].iloc[0],
        "response_time_ms": us_to_ms(float(told["baseline", "response time low"])),
    }
    rows = conditions.assign(
        replicas=conditions["num_servers"].where(conditions.index == "with_middleware"),
        throughput_ops_per_s=both["throughput_mean"],
        response_time_ms=us_to_ms(both["response_time_mean"]),
    )
    table = pd.concat([pd.DataFrame([few]), rows], ignore_index=True)
    return table.assign(source=study_name("khalil2016"), workers=np.nan, think_time_s=0.0)


def _baseline(study: str, name: str, section: str) -> pd.DataFrame:
    table = published_table(study, name)
    table = table[table["system"].map(_SECTION_OF_SYSTEM) == section]
    if "clients" not in table:
        table = table.assign(clients=table["virtual_clients_per_thread"] * _THREADS[section])
    return _in_our_form(table, study).assign(measured_on="clients", workers=0)


def _with_middleware(study: str, name: str) -> pd.DataFrame:
    table = published_table(study, name)
    if "miss_rate_pct" in table:
        table = table.assign(miss_rate=table["miss_rate_pct"] / 100)
    return _in_our_form(table, study).assign(workers=WORKERS)


def _in_our_form(table: pd.DataFrame, study: str) -> pd.DataFrame:
    renamed = table.rename(columns=_OUR_NAMES).reindex(columns=COLUMNS)
    return renamed.assign(study=study, workload=table["workload"].map(WORKLOADS))
