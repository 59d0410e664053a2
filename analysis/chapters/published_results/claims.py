"""Chapter 10: what follows from the numbers that the studies print, and from their machines."""

from __future__ import annotations

from functools import cache

import pandas as pd

from analysis.chapters.published_results.machines import cells_near, machines
from analysis.claims.claim import Kind
from analysis.claims.findings import Findings, ratio
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.paths import DATA
from analysis.statistics.estimates import exact
from analysis.studies.machines.fit import CONSTANT, GROWING, NEAR
from analysis.studies.machines.khalils_server import STUDY, ratios
from analysis.studies.machines.on_the_lab import near, sets_on_the_lab
from analysis.studies.machines.printed_sets import DESIGN, OTHER
from analysis.studies.message_queue import su_numbers
from analysis.studies.printed import khalils_numbers
from analysis.studies.rederived_designs import schmid_allocation, yenicelik_effects
from analysis.studies.rederived_stations import yenicelik_many_servers, yenicelik_single_queue
from analysis.studies.rederived_variation import cetin_design
from analysis.tables.held import held_sections, held_tables

FOLLOW = at_least(0.95)  # one printed number of twenty may be a slip
_MOST, _FEW = at_least(0.8), at_most(0.25)
_REPLICAS = 3
_MACHINES = "no campaign of examples/studies-machines"


def check(found: Findings) -> None:
    """Check what follows from printed numbers; the campaign asked for changes none of it."""
    _derived(found)
    _sets(found)
    _measured(found)
    _replicas(found)


def _derived(found: Findings) -> None:
    for statement, places, share in _shares_that_agree():
        found.check(
            "10",
            statement,
            quantity=f"share of numbers that agree, {places}",
            measured=exact(share),
            holds=FOLLOW,
            see="10-agreement",
            kind=Kind.VALIDITY,
        )


@cache
def _shares_that_agree() -> list[tuple[str, str, float]]:
    """Return statement, places and the share of derived numbers that agree, computed once."""
    stations = pd.concat([yenicelik_single_queue(), yenicelik_many_servers()])
    derived = (
        (
            "Yenicelik's effects follow from the values that he prints.",
            "his tables 1 to 4",
            yenicelik_effects(),
        ),
        (
            "Yenicelik's queues and times follow from the rates he prints.",
            "his tables 5 to 8",
            stations,
        ),
        (
            "Schmid's shares of variation follow from his effects.",
            "his tables 7 and 8",
            schmid_allocation(),
        ),
        (
            "Cetin's tables of effects follow from each other.",
            "his tables 7 to 15",
            cetin_design(),
        ),
        (
            "Su's rates, times and utilizations follow from laws.",
            "his tables 1 to 7 and text",
            su_numbers(),
        ),
    )
    return [
        (statement, places, float(numbers.loc[~numbers["inferred"], "agrees"].mean()))
        for statement, places, numbers in derived
    ]


def _sets(found: Findings) -> None:
    """Check what is predicted of the studies' sets; cells that were fitted only check the fit."""
    fits = machines()
    for statement, server, part, holds, kind in (
        (
            "Five numbers of a study's machines give its design's sets, to which they were fitted.",
            GROWING,
            DESIGN,
            _MOST,
            Kind.VALIDITY,
        ),
        (
            "Those five numbers give the sets of other systems.",
            GROWING,
            OTHER,
            _MOST,
            Kind.FINDING,
        ),
        (
            "Servers of constant time give few of those sets.",
            CONSTANT,
            OTHER,
            _FEW,
            Kind.FINDING,
        ),
    ):
        found.check_share(
            "10",
            statement,
            of="cells predicted within 10 %",
            passes=cells_near(fits[server], part),
            holds=holds,
            see="10-7-predicted",
            kind=kind,
        )


def _measured(found: Findings) -> None:
    """Check what the lab does with the studies' processors, by campaigns of its own."""
    sets = sets_on_the_lab(DATA)
    fitted = sets["fitted"].astype(bool)
    for own, statement, kind in (
        (
            sets[fitted],
            "A lab with the studies' processors reaches the sets to which they were fitted.",
            Kind.VALIDITY,
        ),
        (
            sets[~fitted],
            "A lab with the studies' processors reaches the sets to which they were not fitted.",
            Kind.FINDING,
        ),
    ):
        names = own["study"] + " " + own["place"] + " " + own["num_clients"].astype(str)
        found.check_share(
            "10",
            statement,
            of="cells measured within 10 % of what is printed",
            passes=near(own["ratio"]).set_axis(names),
            holds=_MOST,
            see="10-7-predicted",
            missing=_MACHINES,
            kind=kind,
        )
    khalils = ratios(DATA)["ratio"]
    found.check(
        "10",
        "With Khalil's server and network the lab has the ends of his curve that set them.",
        quantity="largest difference from what he prints",
        measured=exact(float((khalils - 1).abs().max())),
        holds=at_most(NEAR),
        see="10-7-predicted",
        missing=_MACHINES,
        kind=Kind.VALIDITY,
    )


def _replicas(found: Findings) -> None:
    """Check what a middleware that replicates to three servers costs on Khalil's machines."""
    printed = khalils_numbers().set_index("replicas")["throughput_ops_per_s"]
    is_held = STUDY in held_sections(DATA / STUDY)
    own = Findings({STUDY: held_tables(DATA / STUDY, STUDY)} if is_held else {})
    found.check(
        "10",
        "A middleware with three replicas costs as much throughput as Khalil prints.",
        quantity="throughput, three replicas over no middleware, largest loads",
        measured=ratio(own.values(STUDY, replicas=_REPLICAS), own.values(STUDY, num_middlewares=0)),
        holds=equal_to(round(printed[_REPLICAS] / printed.max(), 3), NEAR),
        see="10-6-counterparts",
        instead=own.limits(STUDY, replicas=_REPLICAS),
        missing=_MACHINES,
    )
