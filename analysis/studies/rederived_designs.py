"""Factorial designs of the studies, computed again: effects, percentages, cells."""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from analysis.laws.operational import interactive_response_time
from analysis.statistics.factorial import MEAN, analyse
from analysis.studies.names import cell_name
from analysis.studies.printed import published_table
from analysis.studies.rows import EFFECTS, INTERACTIVE, ROUNDING, SHARES, TEXT, rows_of

FACTORS = ["servers", "middlewares", "workers"]
SCHMIDS_CLIENTS = 192  # of his section 6
_HIS_RUNS = {
    "t02_2kr_read_throughput": "t09_raw_read_throughput",
    "t04_2kr_write_throughput": "t11_raw_write_throughput",
    "t03_2kr_write_response": "t12_raw_write_response",
    "t01_2kr_read_response": "t10_raw_read_response_DUPLICATE",
}
_REASONS = {
    "t02_2kr_read_throughput": "29470 / SST is 0.0002",
    "t01_2kr_read_response": "table 10 repeats table 12",
}


def yenicelik_runs(source: str) -> pd.DataFrame:
    """Return single values of a table of raw values: columns `X`, `Y`, `Z` (-1, +1), `value`."""
    return published_table("yenicelik2018", source).melt(
        id_vars=["X", "Y", "Z"], value_vars=["value1", "value2", "value3"]
    )


def yenicelik_effects() -> pd.DataFrame:
    """Tables 1 to 4, the effects of his 2^3 3 design, from the raw values of tables 9 to 12."""
    rows = []
    for table, source in _HIS_RUNS.items():
        remark = _REASONS.get(table, "")
        published = published_table("yenicelik2018", table).set_index("effect")
        runs = yenicelik_runs(source)
        result = analyse(runs, ["X", "Y", "Z"], "value")
        effects = result.effects.set_axis(result.effects.index.map(_his_letters))
        squares = len(runs) * effects["effect"] ** 2
        for kind, quantity, rederived, tolerance, within in (
            (EFFECTS, "q", effects["effect"], 0.0051, ROUNDING),
            (SHARES, "sum_of_squares", squares, np.maximum(0.51, 1e-3 * squares), "0.1 %"),
            (SHARES, "fraction", effects["variation_explained"].dropna(), 1e-4, ROUNDING),
        ):
            printed = published[quantity].loc[rederived.index]
            basis = f"Jain 1991, ch. 18, raw values of table {int(source[1:3])}"
            rows.append(
                rows_of(
                    "yenicelik2018", kind, table, quantity, printed, rederived, tolerance, basis,
                    remark, within=within,
                )
            )  # fmt: skip
    return pd.concat(rows)


def yenicelik_means() -> pd.DataFrame:
    """Means of the cells of tables 9 to 12 and how far each value lies from them."""
    rows = []
    for source in sorted(_HIS_RUNS.values()):
        table = published_table("yenicelik2018", source).set_index("config")
        values = table[["value1", "value2", "value3"]]
        mean = values.mean(axis=1)
        for place, name in enumerate(("mean", "error1", "error2", "error3")):
            rederived = mean if name == "mean" else values.iloc[:, place - 1] - mean
            rows.append(
                rows_of(
                    "yenicelik2018", EFFECTS, source, f"{name} of cell", table[name], rederived,
                    0.011, "mean of the three values; value less mean",
                )
            )  # fmt: skip
    return pd.concat(rows)


def _his_letters(name: str) -> str:
    return name.translate(str.maketrans("ABC", "XYZ"))


def schmid_allocation() -> pd.DataFrame:
    """Percentages and significance of tables 7 and 8 from effects and confidence intervals.

    The width of the intervals gives the SSE: h = t(0.975; 24) sqrt(SSE / 24 / 32).
    """
    rows = []
    for name in ("t07_2k4_write", "t08_2k4_read"):
        for response, table in published_table("schmid2018", name).groupby("response_variable"):
            effects = table[table["factor"] != "error"].set_index("factor")
            half_width = ((effects["ci95_hi"] - effects["ci95_lo"]) / 2).mean()
            sse = 24 * 32 * (half_width / stdtrit(24, 0.975)) ** 2
            squares = 32 * effects["effect"].drop(MEAN) ** 2
            shares = 100 * pd.concat([squares, pd.Series({"error": sse})]) / (squares.sum() + sse)
            printed = table.set_index("factor")["attribution_pct"].loc[shares.index]
            # an effect printed as 0.4 may be 0.45: that much its percentage is uncertain
            digit = 0.5 if response == "throughput" else 0.05
            rounding = 0.06 + 200 * 32 * effects["effect"].abs() * digit / (squares.sum() + sse)
            basis = "SS = 2^3 4 q^2; SSE from the width of the intervals"
            rows.append(
                rows_of(
                    "schmid2018", SHARES, name, f"attribution_pct of {response}", printed, shares,
                    rounding.reindex(shares.index).fillna(0.06), basis,
                )
            )  # fmt: skip
            excluded = (effects["ci95_lo"] > 0) | (effects["ci95_hi"] < 0)
            rows.append(
                rows_of(
                    "schmid2018", SHARES, name, f"significant of {response}",
                    effects["significant"], excluded.astype(int), 0, "the interval holds no 0",
                )
            )  # fmt: skip
    return pd.concat(rows)


def rebuild_cells(name: str, response: str) -> pd.DataFrame:
    """Mean response of the eight configurations of Schmid's design, from its effects.

    Columns: `servers`, `middlewares`, `workers`, `published`.

    Parameters
    ----------
    name
        ``t07_2k4_write`` or ``t08_2k4_read``.
    response
        ``throughput`` (op/s) or ``response_time`` (ms).
    """
    table = published_table("schmid2018", name)
    effects = table[table["response_variable"] == response].set_index("factor")["effect"]
    rows = []
    for a, b, c in np.ndindex(2, 2, 2):
        signs = dict(zip("ABC", (2 * a - 1, 2 * b - 1, 2 * c - 1), strict=True))
        names = [g for size in range(4) for g in combinations("ABC", size)]
        value = sum(
            effects["".join(g) or MEAN] * np.prod([signs[letter] for letter in g]) for g in names
        )
        rows.append(((1, 3)[a], (1, 2)[b], (8, 32)[c], value))
    return pd.DataFrame(rows, columns=[*FACTORS, "published"])


def schmid_cells() -> pd.DataFrame:
    """Numbers of Schmid's section 6 text from the cells that his effects make."""
    prose = published_table("schmid2018", "prose").query("section == '6' or section == '6.2'")
    printed = prose.set_index(prose["subject"] + ", " + prose["quantity"].fillna(""))["value"]
    reads = rebuild_cells("t08_2k4_read", "throughput")
    times = rebuild_cells("t08_2k4_read", "response_time")
    writes = rebuild_cells("t07_2k4_write", "throughput")
    rederived = pd.Series(
        {
            "read-only 1 server (I-A), throughput": _mean_at(reads, 1),
            "read-only 3 servers (I+A), throughput": _mean_at(reads, 3),
            "read-only 1 server (I-A), response time": _mean_at(times, 1),
            "read-only 3 servers (I+A), response time": _mean_at(times, 3),
            "write-only, y_max / y_min": _ratio(writes),
            "read-only, y_max / y_min": _ratio(reads),
        }
    )
    rounding = np.array([1, 1, 0.11, 0.11, 0.051, 0.051])
    basis = "cells rebuilt from the effects of tables 7 and 8"
    published = pd.to_numeric(printed.loc[rederived.index])
    remark = pd.Series("", rederived.index)
    remark[remark.index.str.contains("y_max")] = "of single runs, not printed"
    return rows_of("schmid2018", TEXT, "prose", "", published, rederived, rounding, basis, remark)


def cells_keep_the_interactive_law() -> pd.DataFrame:
    """Response time cells of Schmid against 192 clients over his throughput cells."""
    parts = []
    for name in ("t07_2k4_write", "t08_2k4_read"):
        times = rebuild_cells(name, "response_time").set_index(FACTORS)["published"]
        throughput = rebuild_cells(name, "throughput").set_index(FACTORS)["published"]
        rederived = interactive_response_time(SCHMIDS_CLIENTS, throughput) * 1000
        cells = [cell_name(*levels) for levels in times.index]
        parts.append(
            rows_of(
                "schmid2018", INTERACTIVE, name, "response_time of cells", times.set_axis(cells),
                pd.Series(rederived, cells), 0.05 * rederived,
                f"N / X with N = {SCHMIDS_CLIENTS}, Z = 0", within="5 %",
            )
        )  # fmt: skip
    return pd.concat(parts)


def _mean_at(cells: pd.DataFrame, servers: int) -> float:
    return float(cells.loc[cells["servers"] == servers, "published"].mean())


def _ratio(cells: pd.DataFrame) -> float:
    return float(cells["published"].max() / cells["published"].min())
