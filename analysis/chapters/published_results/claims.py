"""Chapter 10: what follows from the numbers that the studies print, and from their machines.

The campaign that is asked for changes none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import pandas as pd

from analysis.chapters.published_results.machines import cells_near, machines
from analysis.claims.claim import Chapter, Kind
from analysis.claims.measurements import Measurements, limits, ratio
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.statistics.estimates import Estimate, exact
from analysis.studies.machines.fit import CONSTANT, GROWING, NEAR
from analysis.studies.machines.khalils_server import STUDY, ratios
from analysis.studies.machines.on_the_lab import near, sets_on_the_lab
from analysis.studies.machines.printed_sets import DESIGN, OTHER
from analysis.studies.message_queue import su_numbers
from analysis.studies.printed import khalils_numbers
from analysis.studies.rederived_designs import schmid_allocation, yenicelik_effects
from analysis.studies.rederived_stations import yenicelik_many_servers, yenicelik_single_queue
from analysis.studies.rederived_variation import cetin_design
from analysis.tables.loading import find_sections, load_tables
from records.paths import DATA

chapter = Chapter("published-results")
NOT_FITTED = "published-results.lab-reaches-other-sets"
"""The claim that can explain why a study measured something else than the lab."""
_MOST = at_least(0.8)
_PRINTED = khalils_numbers().set_index("replicas")["throughput_ops_per_s"]
_MACHINES = "no campaign of examples/studies-machines"


def _follow(name: str, statement: str, places: str, *rederive: Callable[[], pd.DataFrame]) -> None:
    """Judge the share of a study's derived numbers that agree with its inputs."""

    @cache
    def share() -> float:
        numbers = pd.concat([derive() for derive in rederive])
        return float(numbers.loc[~numbers["inferred"], "agrees"].mean())

    chapter.claim(
        "10",
        "10-agreement",
        f"share of numbers that agree, {places}",
        at_least(0.95),  # one printed number of twenty may be a slip
        name=name,
        statement=statement,
        kind=Kind.VALIDITY,
    )(lambda measured: exact(share()))


_follow(
    "yenicelik-effects-follow",
    "The effects that Yenicelik prints follow from the values that he prints.",
    "his tables 1 to 4",
    yenicelik_effects,
)
_follow(
    "yenicelik-queues-follow",
    "The queue lengths and times that Yenicelik prints follow from the rates that he prints.",
    "his tables 5 to 8",
    yenicelik_single_queue,
    yenicelik_many_servers,
)
_follow(
    "schmid-variation-follows",
    "The shares of variation that Schmid prints follow from the effects that he prints.",
    "his tables 7 and 8",
    schmid_allocation,
)
_follow(
    "cetin-effects-follow",
    "The tables of effects that Cetin prints are consistent with each other.",
    "his tables 7 to 15",
    cetin_design,
)
_follow(
    "su-numbers-follow",
    "The rates, times and utilizations that Su prints satisfy the operational laws.",
    "his tables 1 to 7 and text",
    su_numbers,
)


_predicted = partial(chapter.claim, "10", "10-7-predicted", "share of cells predicted within 10 %")


# Cells to which machines were fitted only check the fit.
@_predicted(_MOST, kind=Kind.VALIDITY)
def machines_fit_their_design(measured: Measurements) -> pd.Series:
    """A model with five parameters fits the write throughput of each study's factorial design."""
    return cells_near(machines()[GROWING], DESIGN)


@_predicted(_MOST)
def machines_predict_other_sets(measured: Measurements) -> pd.Series:
    """A model with five parameters predicts write throughput of cells it was not fitted to."""
    return cells_near(machines()[GROWING], OTHER)


@_predicted(at_most(0.25))
def constant_servers_predict_few_sets(measured: Measurements) -> pd.Series:
    """With constant service times, the model predicts few cells it was not fitted to."""
    return cells_near(machines()[CONSTANT], OTHER)


def _reached(*, fitted: bool) -> pd.Series:
    """Tell which sets the lab reaches with the studies' processors, by campaigns of its own."""
    sets = sets_on_the_lab(DATA)
    own = sets[sets["fitted"].astype(bool) == fitted]
    names = own["study"] + " " + own["place"] + " " + own["num_clients"].astype(str)
    return near(own["ratio"]).set_axis(names)


_measured = partial(chapter.claim, "10", "10-7-predicted", missing=_MACHINES)


@_measured("share of cells measured within 10 % of what is printed", _MOST, kind=Kind.VALIDITY)
def lab_reaches_fitted_sets(measured: Measurements) -> pd.Series:
    """With emulated processors, the lab reproduces the write throughput they were fitted to."""
    return _reached(fitted=True)


@_measured("share of cells measured within 10 % of what is printed", _MOST)
def lab_reaches_other_sets(measured: Measurements) -> pd.Series:
    """With emulated processors, the lab reproduces write throughput they were not fitted to."""
    return _reached(fitted=False)


@_measured("largest difference from what he prints", at_most(NEAR), kind=Kind.VALIDITY)
def lab_has_khalils_curve(measured: Measurements) -> Estimate:
    """With Khalil's server and network, the lab reproduces the throughputs to which they were
    fitted.
    """
    return exact(float((ratios(DATA)["ratio"] - 1).abs().max()))


def _khalils() -> Measurements:
    """Return what was measured on Khalil's machines."""
    is_held = STUDY in find_sections(DATA / STUDY)
    return Measurements({STUDY: load_tables(DATA / STUDY, STUDY)} if is_held else {})


@chapter.claim(
    "10",
    "10-6-counterparts",
    "throughput, three replicas over no middleware, largest loads",
    equal_to(round(_PRINTED[3] / _PRINTED.max(), 3), NEAR),
    instead=lambda measured: limits(STUDY, replicas=3)(_khalils()),
    missing=_MACHINES,
)
def replicas_cost_as_khalil_prints(measured: Measurements) -> Estimate:
    """A middleware with three replicas lowers throughput by as much as Khalil prints."""
    own = _khalils()
    return ratio(own.values(STUDY, replicas=3), own.values(STUDY, num_middlewares=0))
