"""Chapter 12: what throughput follows, and by how much."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd

from analysis.claims.claim import Kind
from analysis.claims.findings import SAME, Findings
from analysis.claims.rules import at_least, equal_to
from analysis.lab.measured_study import MeasuredStudy
from analysis.lab.sensitivity import MACHINE_BY_DILATION, PARAMETERS, RATE
from analysis.laws.bottlenecks import utilization_table
from analysis.laws.elasticities import ALL_RATES, sum_of
from analysis.statistics.estimates import Estimate, mean_of

FULL_SYSTEM = "sensitivity/4.1-workload=set_clients_per_thread=8_workers=8"
BLACK_BOX = "middlewares/nutcracker/sensitivity/3.1-workload=get_clients_per_thread=1"
_STUDIES = (("12.1", FULL_SYSTEM, "12-1"), ("12.2", BLACK_BOX, "12-2"))
_CLOSE = 2 * SAME
_UNKNOWN = mean_of([])
_RATE_OF = {  # of a resource of `analysis.laws.bottlenecks`
    "clients' links": "client link rate",
    "middlewares' links": "middleware link rate",
    "servers' links": "server link rate",
    "clients' CPUs": "client CPU quota",
    "middlewares' CPUs": "middleware CPU quota",
    "servers' CPUs": "server CPU quota",
    "machine's CPU": MACHINE_BY_DILATION,
}


def check(found: Findings) -> None:
    """Check what elasticities sum to, whether a model tells them, and whether utilization does."""
    for section, name, see in _STUDIES:
        study = found.study(name)
        found.check(
            section,
            "The elasticities of all rates sum to 1.",
            quantity="sum of the rates' elasticities",
            measured=_UNKNOWN if study is None else sum_of(_rates(study).values()),
            holds=equal_to(ALL_RATES, _CLOSE),
            see=f"{see}-elasticities",
            kind=Kind.VALIDITY,
        )
        found.check_share(
            section,
            "The network of queues predicts each elasticity within 0.1.",
            of="parameters whose elasticity is predicted within 0.1",
            passes=pd.Series(dtype=float) if study is None else _errors(study) <= _CLOSE,
            holds=at_least(1),
            see=f"{see}-elasticities",
        )
        found.check(
            section,
            "The busiest resource is the one whose rate helps most.",
            quantity="its elasticity less the largest of other rates",
            measured=_UNKNOWN if study is None else _lead_of_busiest(study),
            holds=at_least(0),
            see=f"{see}-limits",
        )


def _rates(study: MeasuredStudy) -> dict[str, Estimate]:
    return {name: one for name, one in study.slopes.items() if PARAMETERS[name].kind == RATE}


def _errors(study: MeasuredStudy) -> pd.Series:
    """Return the absolute error of each prediction that can be judged, by parameter."""
    measured = pd.Series({name: slope.value for name, slope in study.slopes.items()})
    predicted = pd.Series(study.predicted, dtype=float).reindex(measured.index)
    errors: pd.Series = (predicted - measured).abs().dropna()
    return errors


def _lead_of_busiest(study: MeasuredStudy) -> Estimate:
    """Estimate by how much the elasticity to the busiest resource's rate is above all others."""
    resources = utilization_table(study.tables.hosts, study.tables.runs, ["section"])
    rates = resources.assign(rate=resources["resource"].map(_RATE_OF)).dropna(subset="rate")
    utilizations = rates.set_index("rate")["utilization"].dropna()
    slopes = _rates(study)
    known = utilizations[utilizations.index.isin(list(slopes))]
    if known.empty or len(slopes) < 2 or math.isnan(sum_of(slopes.values()).value):
        return _UNKNOWN
    own = slopes.pop(str(known.idxmax()))
    most = max(slopes.values(), key=lambda slope: slope.value)
    return sum_of([own, replace(most, value=-most.value)])
