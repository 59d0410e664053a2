"""At which loads and numbers of workers models of closed systems are off, and why, in words."""

from collections.abc import Sequence

import pandas as pd

from analysis.laws.bottlenecks import BUSY
from analysis.models.cells import NETWORK, SIMULATION
from analysis.statistics.comparison import TOLERANCE
from analysis.text.lists import joined
from analysis.text.numbers import percent

FAR = TOLERANCE  # relative error from which an explanation is due
_LOAD, _WORKERS, _ERROR = "num_clients", "workers", "relative_error"


def error_reasons(rows: pd.DataFrame, machine: pd.DataFrame | None = None) -> str:
    """Explain the errors of one workload's throughput by their pattern.

    The pattern is that of the model that is nearer: errors at the smallest load, then those that
    differ between numbers of workers, then those that differ between loads.

    Parameters
    ----------
    rows
        From `analysis.models.cells.compare_cells`, of one workload.
    machine
        From `analysis.lab.machine.machine_table` of the same cells; None where it is not known.
    """
    rows = rows.dropna(subset=_ERROR)
    if (rows[_ERROR].abs() <= FAR).all():
        return "Both know the bottleneck, and what they leave out does not matter here."
    best = str(rows.groupby("model")[_ERROR].apply(lambda errors: errors.abs().mean()).idxmin())
    own = rows[rows["model"] == best]
    smallest = own[_LOAD].min()
    idle = own[(own[_LOAD] == smallest) & (own[_LOAD].max() > smallest)]
    loaded = own.drop(index=idle.index)
    parts = [_between_models(rows), _unloaded(idle), _loaded(loaded, machine)]
    return " ".join(filter(None, parts))


def _between_models(rows: pd.DataFrame) -> str:
    means = rows.assign(size=rows[_ERROR].abs()).groupby("model")["size"].mean()
    if not {NETWORK, SIMULATION} <= set(means.index):
        return ""
    if means[NETWORK] <= means[SIMULATION] + 0.01:
        return ""
    return (
        "What only the simulation has explains the difference between the two: times on a link "
        "that do not vary, and bursts that pass it at once."
    )


def _unloaded(rows: pd.DataFrame) -> str:
    """Explain errors at the smallest load, which delays decide."""
    errors = rows[_ERROR]
    if errors.empty or (errors.abs() <= FAR).all() or errors.min() < 0 < errors.max():
        return ""
    much = errors.mean() > 0
    why = (
        "requests also wait for schedulers and system calls, which a ping does not"
        if much
        else "a ping on the idle network finds hosts asleep that are awake under load, so that the "
        "delay that is taken from it is too long"
    )
    return (
        f"At the smallest load, where delays count most, too {_amount(much)} is predicted "
        f"({_mean(rows)} on average): {why}."
    )


def _loaded(rows: pd.DataFrame, machine: pd.DataFrame | None) -> str:
    """Explain errors above the smallest load by what they differ between."""
    far = rows[rows[_ERROR].abs() > FAR]
    if far.empty:
        return ""
    off = _off(rows, _WORKERS) if _WORKERS in rows else []
    near = sorted(set(rows.get(_WORKERS, [])) - set(off))
    if off and near and max(off) < min(near):
        return _few_workers(rows, off, machine)
    off = _off(rows, _LOAD)
    near = sorted(set(rows[_LOAD]) - set(off))
    if off and not (near and min(off) < max(near)):
        return _large_loads(rows, off, machine)
    return (
        f"The other errors above {percent(FAR)}, {len(far)} of {len(rows)}, follow neither the "
        "number of workers nor that of clients."
    )


def _off(rows: pd.DataFrame, factor: str) -> list[int]:
    """Levels of a factor with a mean error that is far, if it is of one sign at all of them."""
    means = rows.groupby(factor)[_ERROR].mean()
    off = means[means.abs() > FAR]
    return [] if off.min() < 0 < off.max() else [int(str(level)) for level in off.index]


def _few_workers(rows: pd.DataFrame, off: Sequence[int], machine: pd.DataFrame | None) -> str:
    there = rows[_WORKERS].isin(off)
    much = rows.loc[there, _ERROR].mean() > 0
    return (
        f"Above the smallest load too {_amount(much)} is predicted with {joined(off)} workers "
        f"({_mean(rows[there])} on average), and not with more ({_mean(rows[~there])}). Few "
        "workers do as many requests as the time allows for which each of them holds one: that "
        f"time is {'longer' if much else 'shorter'} than the models' demands say."
        f"{_machine(rows, there, machine) if much else ''}"
    )


def _large_loads(rows: pd.DataFrame, off: Sequence[int], machine: pd.DataFrame | None) -> str:
    there = rows[_LOAD].isin(off)
    much = rows.loc[there, _ERROR].mean() > 0
    told = f"Too {_amount(much)} is predicted from {min(off)} clients on ({_mean(rows[there])} on"
    if not much:
        return (
            f"{told} average): the demands were measured under load, with work in them that "
            "several requests share when many are under way."
        )
    return (
        f"{told} average): requests wait for something that the models do not have."
        f"{_machine(rows, there, machine)}"
    )


def _machine(rows: pd.DataFrame, there: "pd.Series[bool]", machine: pd.DataFrame | None) -> str:
    """Say whether the shared machine's CPU may be what was waited for."""
    if machine is None or machine.empty:
        return ""
    key = [name for name in ("workload", _WORKERS, _LOAD) if name in rows and name in machine]
    merged = rows[key].merge(machine, on=key, how="left").set_index(rows.index)
    busy = merged["machine_utilization"]
    mine, others = busy[there].mean(), busy[~there].mean()
    if pd.isna(mine):
        return ""
    told = f" The CPU of the machine that all hosts share was busy for {percent(mine)} of the time"
    if mine >= BUSY:
        return f"{told} there: requests waited for it."
    if others >= mine:
        return f"{told} there and for {percent(others)} elsewhere, so that it is not the reason."
    return f"{told} there, which is not its limit."


def _amount(much: bool) -> str:
    return "much" if much else "little"


def _mean(rows: pd.DataFrame) -> str:
    return percent(rows[_ERROR].mean(), 1, signed=True)
