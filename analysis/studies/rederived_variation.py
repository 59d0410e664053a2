r"""Cetin's tables 7 to 15: a 2^3 design by two models, computed again, and beside the others'.

He prints single values of one of four responses. What the other tables hold is tied to them by
the laws of the design and by the interactive law: where :math:`R = N / X`, effects on
:math:`\ln R` are those on :math:`\ln X` with their signs changed.
"""

from typing import Literal

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import stdtrit

from analysis.laws.operational import interactive_response_time
from analysis.statistics.factorial import MEAN, FactorialResult, analyse
from analysis.studies.printed import published_table
from analysis.studies.rederived_designs import rebuild_cells, yenicelik_runs
from analysis.studies.rows import EFFECTS, INTERACTIVE, SHARES, rows_of

Workload = Literal["get", "set"]

NUM_CLIENTS = 192  # the multiple of 6 that his response times over 1 / X make
FACTORS = ["middlewares", "servers", "workers"]  # A, B and C
_ADDITIVE = {"get": ("t08_addi_read_throughput", "t09_addi_read_latency")}
_ADDITIVE |= {"set": ("t12_addi_write_throughput", "t13_addi_write_latency")}
_MULTIPLICATIVE = {"get": ("t14_mult_read_throughput", "t15_mult_read_latency")}
_MULTIPLICATIVE |= {"set": ("t10_mult_write_throughput", "t11_mult_write_latency")}
_OF_ALL_CELLS = 0.03  # of the interactive law, as in the other sections
_LARGEST = {"get": "B", "set": "C"}


def cetin_runs() -> pd.DataFrame:
    """Return the single values of his table 7: `FACTORS` (-1, +1), `throughput` in op/s."""
    table = published_table("cetin2018", "t07_raw_write_throughput")
    errors = table.rename(columns=dict(zip("ABC", FACTORS, strict=True))).melt(
        id_vars=[*FACTORS, "mean_ops_s"], value_vars=["e1", "e2", "e3"]
    )
    return errors[FACTORS].assign(throughput=errors["mean_ops_s"] + errors["value"])


def cetin_read_cells() -> pd.DataFrame:
    """Rebuild the read-only throughput of his eight cells from the effects of table 8.

    The mean, which he does not print, is the one that gives the largest effect of table 14.

    Columns: `FACTORS` (-1, +1), `throughput` in op/s.
    """
    cells = cetin_runs()[FACTORS].drop_duplicates().reset_index(drop=True)
    q = _printed(_ADDITIVE["get"][0])["q"]
    apart = sum(q[name] * _signs(cells, name) for name in q.index)
    target = float(_printed(_MULTIPLICATIVE["get"][0])["q"][_LARGEST["get"]])

    def too_large(mean: float) -> float:
        of_largest = np.log(mean + apart) * _signs(cells, _LARGEST["get"])
        return float(of_largest.mean()) - target

    mean = brentq(too_large, -apart.min() + 1, -10 * apart.min())
    return cells.assign(throughput=mean + apart)


def cetin_design() -> pd.DataFrame:
    """All that tables 7 to 15 derive."""
    return pd.concat([_errors(), *_from_runs(), _logarithms(), *_other_shares(), *_times()])


def logarithm_table() -> pd.DataFrame:
    """Put Cetin's effects on throughput and on response time beside each other, tables 10 to 15.

    Columns: `effect`, and for sets and gets the effects on the natural logarithms of both.
    """
    columns = {}
    for workload, name in (("set", "Sets"), ("get", "Gets")):
        for table, response in zip(_MULTIPLICATIVE[workload], ("ln X", "ln R"), strict=True):
            columns[f"{name}: {response}"] = _printed(table)["q"]
    return pd.DataFrame(columns).rename_axis("effect").reset_index()


def throughput_effects(study: str, workload: Workload) -> FactorialResult:
    """Give the effects of one study's 2^3 design on throughput, in percent of the mean.

    Factors are A middlewares, B servers, C workers for all studies.

    Parameters
    ----------
    study
        ``yenicelik2018``, ``schmid2018`` or ``cetin2018``. Yenicelik's are computed from his runs,
        and so are Cetin's sets. Schmid's runs are rebuilt from effects and intervals, so that both
        are his. Cetin's gets are cells without repetitions and have no intervals.
    """
    runs = design_runs(study, workload)
    return analyse(
        runs.assign(share=100 * runs["throughput"] / runs["throughput"].mean()), FACTORS, "share"
    )


def design_runs(study: str, workload: Workload) -> pd.DataFrame:
    """Give the throughput of a study's 2^3 design, run by run as far as it tells.

    Columns: `FACTORS` (-1, +1), `throughput` in op/s.
    """
    if study == "yenicelik2018":
        source = {"get": "t09_raw_read_throughput", "set": "t11_raw_write_throughput"}[workload]
        letters = dict(zip("XYZ", FACTORS, strict=True))
        return yenicelik_runs(source).rename(columns=letters | {"value": "throughput"})
    if study == "cetin2018":
        return cetin_runs() if workload == "set" else cetin_read_cells()
    if study == "schmid2018":
        return _schmid_runs({"get": "t08_2k4_read", "set": "t07_2k4_write"}[workload])
    raise ValueError(f"no 2^3 design of {study!r}")


def _schmid_runs(name: str) -> pd.DataFrame:
    """Four runs a cell that have his means and the error that his intervals tell."""
    cells = rebuild_cells(name, "throughput").rename(columns={"published": "throughput"})
    for factor in FACTORS:
        cells[factor] = np.where(cells[factor] == cells[factor].min(), -1, 1)
    table = published_table("schmid2018", name).query("response_variable == 'throughput'")
    half_width = ((table["ci95_hi"] - table["ci95_lo"]) / 2).mean()
    sd = half_width * np.sqrt(32) / stdtrit(24, 0.975)
    apart = sd * np.sqrt(3 / 4)  # of four runs, two above and two below: their SD is sd
    return pd.concat(
        [cells.assign(throughput=cells["throughput"] + sign * apart) for sign in (-1, -1, 1, 1)],
        ignore_index=True,
    )


def _cells(workload: str) -> pd.DataFrame:
    if workload == "get":
        return cetin_read_cells()
    return cetin_runs().groupby(FACTORS, as_index=False).mean()


def _printed(table: str) -> pd.DataFrame:
    return published_table("cetin2018", table).set_index("effect")


def _signs(cells: pd.DataFrame, effect: str) -> pd.Series:
    return cells[[FACTORS["ABC".index(letter)] for letter in effect]].prod(axis=1)


def _errors() -> pd.DataFrame:
    """Compute the third error of each cell of table 7: together they are 0."""
    table = published_table("cetin2018", "t07_raw_write_throughput")
    cells = pd.Index([f"of cell {cell}" for cell in range(1, len(table) + 1)])
    third = -(table["e1"] + table["e2"]).set_axis(cells)
    printed = table["e3"].set_axis(cells)
    return rows_of(
        "cetin2018", EFFECTS, "t07_raw_write_throughput", "error3", printed, third, 0.016,
        "the errors of a cell add up to 0",
    )  # fmt: skip


def _from_runs() -> list[pd.DataFrame]:
    """Tables 10 and 12, both models of the sets' throughput, from table 7."""
    rows = []
    for model, table, digit in (
        ("multiplicative", _MULTIPLICATIVE["set"][0], 0.00006),
        ("additive", _ADDITIVE["set"][0], 0.06),
    ):
        effects = _natural(model).drop(index=MEAN)
        printed = _printed(table)
        effects = effects.loc[printed.index]
        rows += [
            rows_of(
                "cetin2018", EFFECTS, table, "q", printed["q"], effects["effect"], digit,
                f"{model} model of table 7",
            ),
            rows_of(
                "cetin2018", SHARES, table, "fraction", printed["fraction"],
                effects["variation_explained"], 0.00051, f"{model} model of table 7",
                "needs more error than table 7",
            ),
        ]  # fmt: skip
    return rows


def _natural(model: str) -> pd.DataFrame:
    """Effects and shares of table 7; of a multiplicative model those of natural logarithms."""
    runs = cetin_runs()
    if model == "multiplicative":
        runs = runs.assign(throughput=np.log(runs["throughput"]))
    return analyse(runs, FACTORS, "throughput").effects


def _logarithms() -> pd.DataFrame:
    """Table 14 from the cells of table 8, whose mean is read from its largest effect."""
    cells, table = cetin_read_cells(), _MULTIPLICATIVE["get"][0]
    printed = _printed(table)["q"]
    logarithms = np.log(cells["throughput"])
    rederived = {name: float((logarithms * _signs(cells, name)).mean()) for name in printed.index}
    return rows_of(
        "cetin2018", EFFECTS, table, "q", printed, pd.Series(rederived), 2e-4,
        "logarithms of the cells of table 8, their mean from B of table 14", within="0.0002",
        inferred=printed.index == _LARGEST["get"],
    )  # fmt: skip


def _other_shares() -> list[pd.DataFrame]:
    """Shares of the tables without single values: as the squares of effects, to the largest."""
    rows = []
    for table in (*_ADDITIVE["get"], *_MULTIPLICATIVE["get"], _ADDITIVE["set"][1]):
        rows.append(_shares_to_largest(table))
    return [*rows, _shares_to_largest(_MULTIPLICATIVE["set"][1])]


def _shares_to_largest(table: str) -> pd.DataFrame:
    printed = _printed(table)
    largest = str(printed["q"].abs().idxmax())
    others = printed.drop(index=largest)
    share, q = (float(printed[name].loc[largest]) for name in ("fraction", "q"))
    rederived = share * (others["q"] / q) ** 2
    last = 0.00005  # half of the last digit of every q but table 8's, which has as many places
    spread = 2 * rederived * last * (1 / others["q"].abs() + 1 / abs(q))
    return rows_of(
        "cetin2018", SHARES, table, "fraction", others["fraction"], rederived, 0.00051 + spread,
        f"share of {largest}, times the squared ratio of effects",
    )  # fmt: skip


def _times() -> list[pd.DataFrame]:
    """Tables 9, 11, 13 and 15: effects on response time as the interactive law has them."""
    rows = []
    for workload in ("set", "get"):
        logarithms = _printed(_MULTIPLICATIVE[workload][0])["q"]
        table = _MULTIPLICATIVE[workload][1]
        rows.append(
            rows_of(
                "cetin2018", INTERACTIVE, table, "q", _printed(table)["q"],
                -logarithms, _OF_ALL_CELLS, "ln R = ln N - ln X", within="3 %",
            )
        )  # fmt: skip
        cells = _cells(workload)
        times = pd.Series(interactive_response_time(NUM_CLIENTS, cells["throughput"]), cells.index)
        table = _ADDITIVE[workload][1]
        printed = _printed(table)["q"]
        rederived = {name: float((times * _signs(cells, name)).mean()) for name in printed.index}
        rows.append(
            rows_of(
                "cetin2018", INTERACTIVE, table, "q", printed, pd.Series(rederived),
                _OF_ALL_CELLS * times.mean(), f"N / X of the cells, N = {NUM_CLIENTS}",
                within="3 %", inferred=printed.index == _LARGEST[workload],
            )
        )  # fmt: skip
    return rows
