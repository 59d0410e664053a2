"""Chapter 12: what throughput follows, and by how much."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd

from analysis.claims.claim import Chapter, Kind
from analysis.claims.measurements import SAME, Measurements, NotMeasured
from analysis.claims.rules import at_least, equal_to
from analysis.lab.measured_study import MeasuredStudy
from analysis.lab.sensitivity import PARAMETERS, RATE
from analysis.laws.bottlenecks import utilization_table
from analysis.laws.elasticities import ALL_RATES, sum_of
from analysis.statistics.estimates import Estimate
from records.sensitivity import MACHINE_BY_DILATION

FULL_SYSTEM = "sensitivity/4.1-workload=set_clients_per_thread=8_workers=8"
BLACK_BOX = "middlewares/nutcracker/sensitivity/3.1-workload=get_clients_per_thread=1"
_CLOSE = 2 * SAME
chapter = Chapter("what-limits-it")
_RATE_OF = {  # of a resource of `analysis.laws.bottlenecks`
    "clients' links": "client link rate",
    "middlewares' links": "middleware link rate",
    "servers' links": "server link rate",
    "clients' CPUs": "client CPU quota",
    "middlewares' CPUs": "middleware CPU quota",
    "servers' CPUs": "server CPU quota",
    "machine's CPU": MACHINE_BY_DILATION,
}


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
        raise NotMeasured
    own = slopes.pop(str(known.idxmax()))
    most = max(slopes.values(), key=lambda slope: slope.value)
    return sum_of([own, replace(most, value=-most.value)])


def _elasticities(system: str, section: str, study: str) -> None:
    """Make the claims about a system of which a study measured elasticities."""
    see = section.replace(".", "-")

    @chapter.claim(
        section,
        f"{see}-elasticities",
        "sum of the rates' elasticities",
        equal_to(ALL_RATES, _CLOSE),
        name=f"{system}.elasticities-sum-to-1",
        kind=Kind.VALIDITY,
    )
    def sum_of_rates(measured: Measurements) -> Estimate:
        """The elasticities of throughput with respect to all rates sum to 1."""
        return sum_of(_rates(measured.study(study)).values())

    @chapter.claim(
        section,
        f"{see}-elasticities",
        "share of parameters whose elasticity is predicted within 0.1",
        at_least(1),
        name=f"{system}.network-predicts-elasticities",
    )
    def predicted(measured: Measurements) -> pd.Series:
        """The closed network predicts the elasticity with respect to each parameter within 0.1."""
        return _errors(measured.study(study)) <= _CLOSE

    @chapter.claim(
        section,
        f"{see}-limits",
        "its elasticity minus the largest other elasticity",
        at_least(0),
        name=f"{system}.the-busiest-helps-most",
    )
    def lead_of_busiest(measured: Measurements) -> Estimate:
        """Speeding up the most utilized resource raises throughput more than any other change."""
        return _lead_of_busiest(measured.study(study))


_elasticities("full-system", "12.1", FULL_SYSTEM)
_elasticities("black-box", "12.2", BLACK_BOX)
