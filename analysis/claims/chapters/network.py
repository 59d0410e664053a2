"""Chapter 0: links and round trips of the idle network."""

from __future__ import annotations

import pandas as pd

from analysis.claims.claim import Kind
from analysis.claims.findings import SAME, Findings
from analysis.claims.rules import at_most, equal_to
from analysis.laws.bottlenecks import ROLES
from analysis.models.system import BYTES_PER_SEGMENT, HEADER_BYTES
from analysis.sections.between_hosts import schmid_bandwidths
from analysis.statistics.estimates import exact, mean_of

_PAYLOAD = round(BYTES_PER_SEGMENT / (BYTES_PER_SEGMENT + HEADER_BYTES), 3)
_FARTHER = 1.2  # what a machine of its own may add to a delay, and hosts may differ by


def check(found: Findings) -> None:
    """Check what the network carries and delays."""
    tables = found.tables("0")
    _links(found, pd.DataFrame() if tables is None else tables.bandwidths)
    _round_trips(found, pd.DataFrame() if tables is None else tables.pings)


def _links(found: Findings, links: pd.DataFrame) -> None:
    shares: list[float] = []
    of_schmid: list[float] = []
    if len(links):
        shares = (links["bandwidth_mbit_per_s"] / links["limit_mbit_per_s"]).tolist()
        theirs = links["source_role"].map(ROLES).map(schmid_bandwidths())
        of_schmid = (links["bandwidth_mbit_per_s"] / theirs).tolist()
    found.check(
        "0",
        "One TCP stream fills a link but for its headers.",
        quantity="payload per second over the limit, all links",
        measured=mean_of(shares),
        holds=equal_to(_PAYLOAD, SAME),
        see="00-1-network",
        kind=Kind.VALIDITY,
    )
    found.check(
        "0",
        "Links carry what the studies' links carried.",
        quantity="bandwidth over Schmid's of that role, all links",
        measured=mean_of(of_schmid),
        holds=equal_to(1, 2 * SAME),
        see="00-2-roles",
        kind=Kind.VALIDITY,
    )


def _round_trips(found: Findings, pings: pd.DataFrame) -> None:
    delays: list[float] = []
    farther: list[float] = []
    lost = float("nan")
    if len(pings):
        means = pings["round_trip_time_mean_ms"]
        delays = (means / _added_ms(pings)).tolist()
        of_host = means.groupby(pings["source"])
        farther = (of_host.max() / of_host.min()).tolist()
        lost = float(pings["lost"].sum() / (pings["lost"] + pings["replies"]).sum())
    found.check(
        "0",
        "A round trip takes what is emulated, and at most a fifth more.",
        quantity="mean ping over the round trip added, all pairs",
        measured=mean_of(delays),
        holds=at_most(_FARTHER),
        see="00-1-network",
        kind=Kind.VALIDITY,
    )
    found.check(
        "0",
        "Hosts are equally far from each other.",
        quantity="longest over shortest mean round trip of a host",
        measured=mean_of(farther),
        holds=at_most(_FARTHER),
        see="00-1-network",
        kind=Kind.VALIDITY,
    )
    found.check(
        "0",
        "The idle network loses no packet.",
        quantity="share of pings that were not answered",
        measured=exact(lost),
        holds=at_most(0),
        see="00-2-roles",
        kind=Kind.VALIDITY,
    )


def _added_ms(pings: pd.DataFrame) -> pd.Series:
    """Round trip that ping should see: what a calibrated delay line adds, else what is emulated."""
    emulated = pings["emulated_round_trip_time_ms"]
    return pings.get("line_round_trip_time_ms", emulated).fillna(emulated)
