"""What throughput follows: elasticities to all that a lab emulates, measured beside predicted.

Each parameter of a lab is made larger and smaller by a factor and the rest left as it is
(`remote.campaign.changes.cases`). A delay counts as the rate 1/delay, a CPU quota as the rate
of its host's CPU. The elasticities of all rates sum to 1 (`analysis.laws.elasticities`); workers
and clients are counts, which are shown but do not belong to the sum. A host that has a limit of its
own has a parameter of its own, and those of its role or of the network do not change it.

What runs at the machine's own speed, such as the CPU of a server without a quota, timers and
wake-ups, cannot be changed on its own. But the machine as a whole can: with a time dilation k all
that is emulated is k times slower on the clock and results are undilated, so that at a larger k
the machine is faster relative to the rest. The elasticity to k is that of everything at the
machine's speed together. It belongs to the sum; without it that share would be most of what is
unexplained. With it, what is left comes from noise and from steps that are not small.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from analysis.laws.elasticities import elasticity, unexplained
from analysis.models.measured import measured_system
from analysis.models.prediction import predict
from analysis.models.system import CPU_TIMES, System
from analysis.statistics.estimates import Estimate
from analysis.statistics.loads.round_trips import RoundTrips, round_trips_of
from analysis.tables.frames import Tables
from records.sensitivity import (
    AS_IT_IS,
    CLIENTS,
    DELAY,
    MACHINE_BY_DILATION,
    OF_HOSTS,
    THROUGHPUT,
    WORKERS,
)

RATE, COUNT = "rate", "count"
UNEXPLAINED = "unexplained"
COLUMNS = ["parameter", "kind", "measured", "lower", "upper", "model", "repetitions", "curved"]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """What can be changed of a lab, and of the model of a system.

    Attributes
    ----------
    kind : str
        `RATE` or `COUNT`.
    rates, times, counts : tuple of str
        Fields of `analysis.models.System` that are multiplied, divided, and multiplied and rounded;
        none where the model does not have it.
    """

    kind: str = RATE
    rates: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()


_UNMODELLED = Parameter()
PARAMETERS: Mapping[str, Parameter] = {
    "client link rate": Parameter(rates=("client_link_rate",)),
    "middleware link rate": Parameter(rates=("middleware_link_rate",)),
    "server link rate": Parameter(rates=("server_link_rate",)),
    DELAY: Parameter(times=("network_delay",)),
    "client CPU quota": _UNMODELLED,
    "middleware CPU quota": _UNMODELLED,
    "server CPU quota": _UNMODELLED,
    MACHINE_BY_DILATION: Parameter(times=CPU_TIMES),
    WORKERS: Parameter(kind=COUNT, counts=("workers",)),
    CLIENTS: Parameter(kind=COUNT),
}
"""Name of each parameter of a lab to what it is, but for those of single hosts."""
_OF_A_HOST = re.compile("|".join(name.format("[a-z][a-z0-9-]*") for name in OF_HOSTS))


def parameter_of(name: str) -> Parameter:
    """Return a parameter of a lab by its name, such as ``server link rate`` or ``s3 link rate``."""
    if name not in PARAMETERS and not _OF_A_HOST.fullmatch(name):
        of_hosts = ", ".join(known.format("s3") for known in OF_HOSTS)
        raise ValueError(
            f"no parameter {name}; there are {', '.join(PARAMETERS)}, "
            f"and of single hosts such as {of_hosts}"
        )
    return PARAMETERS.get(name, _UNMODELLED)


def predict_elasticities(
    system: System, num_clients: int, factors: Mapping[str, Sequence[float]]
) -> dict[str, float]:
    """Predict the elasticities to parameters of a lab by the network of queues.

    Each is the slope between the same factors as were measured.

    The elasticity to what the model does not have is NaN.

    Parameters
    ----------
    system
        As it is, with the machine that all hosts share (`analysis.models.measured_system`).
    factors
        Parameter to what it is multiplied by.
    """
    predicted = {}
    for name, changes in factors.items():
        if parameter_of(name) == _UNMODELLED:
            predicted[name] = math.nan
            continue
        reached = {factor: [_throughput(system, num_clients, name, factor)] for factor in changes}
        predicted[name] = elasticity(reached).slope.value
    return predicted


def _throughput(system: System, num_clients: int, name: str, factor: float) -> float:
    """Predict the throughput with one parameter multiplied by a factor."""
    parameter = parameter_of(name)
    changed = {field: getattr(system, field) * factor for field in parameter.rates}
    changed |= {field: getattr(system, field) / factor for field in parameter.times}
    changed |= {field: round(getattr(system, field) * factor) for field in parameter.counts}
    clients = round(num_clients * factor) if name == CLIENTS else num_clients
    measures = predict(replace(system, **changed), clients).measures
    return float(measures["throughput_ops_per_s"].iloc[-1])


def predict_measured(tables: Tables, factors: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Predict elasticities from the demands that the system as it is has shown.

    Parameters
    ----------
    tables
        With the runs of that system alone.
    """
    rates = tables.hosts.groupby("role")["rate_mbit_per_s"].nunique(dropna=False)
    if (rates > 1).any() or isinstance(round_trips_of(tables.pings), RoundTrips):
        raise ValueError("hosts of a role differ, which the network of queues cannot express")
    run = tables.runs.iloc[0]
    system = measured_system(
        tables, section=run["section"], workload=run["workload"], shared_machine=True
    )
    return predict_elasticities(system, int(run["num_clients"]), factors)


def sensitivity_table(
    throughputs: pd.DataFrame,
    factors: Mapping[str, Sequence[float]],
    predicted: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Put measured elasticities beside predicted ones, the largest first.

    The interval of a slope is made of the repetitions of its own two cells alone
    (`analysis.laws.elasticities.elasticity`).

    One row per parameter, sorted by the size of what was measured: `parameter`, `kind` (`RATE` or
    `COUNT`), `measured`, `lower`, `upper` (95 %; NaN where a side has fewer than two repetitions),
    `model`, `repetitions` (of a cell, the fewest), `curved` (whether the slopes to both sides
    differ by more than their errors). What was not measured is NaN and stands behind. The last row,
    `UNEXPLAINED`, is what the rates lack of 1.

    Parameters
    ----------
    throughputs
        One row per repetition: `parameter` (`AS_IT_IS` for the system as it is), `factor`,
        `throughput_ops_per_s`, undilated.
    factors
        Parameter to the factors that were to be measured; 1 stands for the system as it is.
    predicted
        From `predict_elasticities`; None where there is no model.
    """
    kinds = {name: parameter_of(name).kind for name in factors}
    rows = _rows(throughputs, factors)
    expected = dict.fromkeys(factors, math.nan) | dict(predicted or {})
    table = pd.DataFrame(
        [
            {"parameter": name, "kind": kinds[name], **_shown(slope), **rest}
            | {"model": expected[name]}
            for name, (slope, rest) in rows.items()
        ],
        columns=COLUMNS,
    ).sort_values("measured", key=lambda column: -column.abs(), na_position="last", kind="stable")
    rates = {name: slope for name, (slope, _) in rows.items() if kinds[name] == RATE}
    lacking = {
        "parameter": UNEXPLAINED,
        "kind": RATE,
        **_shown(unexplained(rates.values())),
        "model": 1 - sum(expected[name] for name in rates),
        "repetitions": min((rows[name][1]["repetitions"] for name in rates), default=0),
        "curved": False,
    }
    return pd.concat([table, pd.DataFrame([lacking], columns=COLUMNS)], ignore_index=True)


def slopes_of(
    throughputs: pd.DataFrame, factors: Mapping[str, Sequence[float]]
) -> dict[str, Estimate]:
    """Return the elasticity to each parameter, not known where it was not measured."""
    return {name: slope for name, (slope, _) in _rows(throughputs, factors).items()}


def _rows(
    throughputs: pd.DataFrame, factors: Mapping[str, Sequence[float]]
) -> dict[str, tuple[Estimate, dict[str, int | bool]]]:
    """Return the slope of each parameter, and what else its row tells."""
    cells: dict[tuple[str, float], list[float]] = {}
    for row in throughputs.to_dict("records"):
        cells.setdefault((row["parameter"], row["factor"]), []).append(row[THROUGHPUT])
    return {name: _row(name, factors[name], cells) for name in factors}


def _row(
    name: str,
    factors: Sequence[float],
    cells: Mapping[tuple[str, float], list[float]],
) -> tuple[Estimate, dict[str, int | bool]]:
    reached = {
        factor: cells.get((AS_IT_IS if factor == 1 else name, factor), [])
        for factor in sorted({*factors, 1.0})
    }
    if not all(reached[factor] for factor in factors):
        unknown = Estimate(value=math.nan, error=math.nan, freedom=math.nan)
        return unknown, {"repetitions": 0, "curved": False}
    known = elasticity({factor: values for factor, values in reached.items() if values})
    return known.slope, {"repetitions": known.repetitions, "curved": known.is_curved}


def _shown(slope: Estimate) -> dict[str, float]:
    low, high = slope.interval()
    return {"measured": slope.value, "lower": low, "upper": high}
