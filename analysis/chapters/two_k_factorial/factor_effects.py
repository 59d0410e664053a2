"""Section 6: servers, middlewares and workers, what bounds predict of them, what studies found."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.models.asymptotes import asymptote_table, bounds_over
from analysis.statistics.factorial import FactorialResult
from analysis.statistics.factorial.designs import Key
from analysis.statistics.factorial.effects_table import (
    RESPONSE_TIME,
    RESPONSES,
    THROUGHPUT,
    UNITS,
    share_text,
    with_share,
)
from analysis.statistics.factorial.effects_table import effects_table as effects_table
from analysis.statistics.loads.curve import THINK_TIME, with_think_time
from analysis.studies.printed import published_table, study_name
from analysis.tables.frames import Tables
from analysis.text.formatting import Format
from analysis.text.numbers import digits, short
from analysis.units import MS_PER_S
from records.text.words import MISSING

FACTORS = ("num_servers", "num_middlewares", "workers")  # A, B, C
SMALLEST_P = 0.001
_SYSTEM = ("workload", *FACTORS)
_SCHMID = {"set": "t07_2k4_write", "get": "t08_2k4_read"}
_TABLES = {  # study to the table of each workload and response, and to its letters for A, B, C
    "yenicelik2018": (
        {
            ("set", THROUGHPUT): "t04_2kr_write_throughput",
            ("set", RESPONSE_TIME): "t03_2kr_write_response",
            ("get", THROUGHPUT): "t02_2kr_read_throughput",
            ("get", RESPONSE_TIME): "t01_2kr_read_response",
        },
        str.maketrans("YXZ", "ABC"),
    ),
    "cetin2018": (
        {
            ("set", THROUGHPUT): "t12_addi_write_throughput",
            ("set", RESPONSE_TIME): "t13_addi_write_latency",
            ("get", THROUGHPUT): "t08_addi_read_throughput",
            ("get", RESPONSE_TIME): "t09_addi_read_latency",
        },
        str.maketrans("BAC", "ABC"),
    ),
}


def p_text(p_value: float) -> str:
    """Write a p value; one too small to matter is only bounded."""
    return f"{p_value:.2g}" if p_value >= SMALLEST_P else f"< {SMALLEST_P:g}"


def unbroken(text: str) -> str:
    """Keep the words of a short cell on one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


CARRIER_FORMATS: dict[str, Format] = {
    "response": unbroken,
    "Cells": unbroken,
    **dict.fromkeys(("A", "B", "C", "AB", "AC", "BC", "ABC"), short),
    "Interactions": share_text,
    "Error": share_text,
}
EVIDENCE_FORMATS: dict[str, Format] = {
    "response": unbroken,
    "Max / min": ".2f",
    "Interactions": share_text,
    "Error": share_text,
    "Power from": ".2f",
    "Power to": ".2f",
    "p of equal variances": p_text,
    "Freedom": ".1f",
    "p of normality": p_text,
}


def varied(runs: pd.DataFrame) -> tuple[str, ...]:
    """Return those of `FACTORS` with several levels: not what a middleware cannot be told."""
    return tuple(name for name in FACTORS if runs[name].min() < runs[name].max())


def bound_runs(tables: Tables) -> pd.DataFrame:
    """Give what links, round trips and workers alone allow in every combination, as if measured.

    Parameters
    ----------
    tables
        Of section 6, and of section 0 if it was measured.

    Returns
    -------
    pandas.DataFrame
        `workload`, `FACTORS` (and `think_time_s` where it varies), `repetition` (1), the columns of
        `RESPONSES`, and `limit`, what sets the bound. One row per combination that was measured.
    """
    system = with_think_time(tables.runs, _SYSTEM)
    bounds = asymptote_table(tables, ["section", *system])
    clients = tables.runs.groupby(system)["num_clients"].max()
    bounds = bounds.merge(clients.reset_index(), on=system)
    throughput, time_s = np.vectorize(bounds_over)(
        bounds["most_ops_per_s"],
        bounds["least_response_time_ms"] / MS_PER_S,
        bounds.get(THINK_TIME, 0.0),
        bounds["num_clients"],
    )
    return bounds[[*system, "limit"]].assign(
        repetition=1,
        **{RESPONSES[THROUGHPUT]: throughput, RESPONSES[RESPONSE_TIME]: time_s * MS_PER_S},
    )


def cells_table(cells: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """Put what was measured in every combination beside its bound.

    Parameters
    ----------
    cells, bounds
        From `analysis.laws.summary.cells` and `bound_runs`.

    Returns
    -------
    pandas.DataFrame
        `workload`, `FACTORS` (and `think_time_s` where it varies), `limit`, `bound_ops_per_s`, of
        throughput and response time at the clients mean and `_sd`, and `share_of_bound` (of the
        throughput, 0..1).
    """
    column = RESPONSES[THROUGHPUT]
    system = [name for name in (*_SYSTEM, THINK_TIME) if name in bounds]
    ascending = [name != "workload" for name in system]
    known = cells.merge(bounds, on=system).sort_values(
        system, ascending=ascending, ignore_index=True
    )
    table = known[[*system, "limit"]].assign(bound_ops_per_s=known[column])
    for name, unit in (("throughput", "ops_per_s"), ("response_time", "ms")):
        for suffix, kind in (("", "mean"), ("_sd", "sd")):
            table[f"{name}{suffix}_{unit}"] = known[f"client_{name}_{unit}_{kind}"]
    return table.assign(share_of_bound=known[f"{column}_mean"] / known[column])


def studies_table(results: Mapping[Key, FactorialResult]) -> pd.DataFrame:
    """Put the effects of each factor beside the studies', and what interactions explain.

    Parameters
    ----------
    results
        As for `effects_table`.

    Returns
    -------
    pandas.DataFrame
        `workload`, `response` (with its unit), `effect` (``A``, ``B``, ``C``, ``interactions``),
        and a column of text for `this campaign` and each study.
    """
    rows = []
    for (workload, response), result in results.items():
        ours = result.effects.rename(columns={"effect": "q", "variation_explained": "share"})
        sources = {"This campaign": ours} | {
            study_name(study): published_effects(study, workload, response)
            for study in ("schmid2018", *_TABLES)
        }
        for effect in (*"ABC", "interactions"):
            told = {name: _told(source, effect) for name, source in sources.items()}
            of = {"workload": workload, "response": f"{response} ({UNITS[response]})"}
            rows.append({**of, "effect": effect, **told})
    return pd.DataFrame(rows)


def published_effects(study: str, workload: str, response: str) -> pd.DataFrame:
    """Give a study's effects in our letters: A servers, B middlewares, C workers.

    Parameters
    ----------
    study
        ``schmid2018``, ``yenicelik2018`` or ``cetin2018``.
    workload, response
        ``set`` or ``get``; ``throughput`` or ``response time``.

    Returns
    -------
    pandas.DataFrame
        Indexed by effect: `q` (op/s or ms) and `share` (of the variation, a fraction).
    """
    if study == "schmid2018":
        table = published_table(study, _SCHMID[workload])
        table = table[table["response_variable"] == response.replace(" ", "_")].set_index("factor")
        return pd.DataFrame({"q": table["effect"], "share": table["attribution_pct"] / 100})
    tables, letters = _TABLES[study]
    table = published_table(study, tables[workload, response])
    names = ["".join(sorted(name.translate(letters))) for name in table["effect"]]
    in_seconds = (table["response_variable"] == "latency").to_numpy()  # Cetin's
    q = table["q"].to_numpy() * np.where(in_seconds, MS_PER_S, 1)
    return pd.DataFrame({"q": q, "share": table["fraction"].to_numpy()}, index=names)


def _told(effects: pd.DataFrame, effect: str) -> str:
    if effect not in (*effects.index, "interactions"):
        return MISSING
    if effect == "interactions":
        products = effects.index[effects.index.isin(["AB", "AC", "BC", "ABC"])]
        return share_text(float(effects.loc[products, "share"].sum()))
    return with_share(digits(effects["q"].loc[effect]), effects["share"].loc[effect])
