"""Chapter 0: links and round trips of the idle network."""

from __future__ import annotations

import math

import pandas as pd

from analysis.chapters.lab_and_network.between_hosts import schmid_bandwidths
from analysis.claims.claim import Kind
from analysis.claims.findings import SAME, Findings
from analysis.claims.rules import at_least, at_most
from analysis.laws.bottlenecks import ROLES
from analysis.models.system import BYTES_PER_SEGMENT, HEADER_BYTES
from analysis.statistics.estimates import exact
from analysis.statistics.verdicts import margin_bounds

_PAYLOAD = round(BYTES_PER_SEGMENT / (BYTES_PER_SEGMENT + HEADER_BYTES), 3)
_FARTHER = 1.2  # what a machine of its own may add to a delay, and hosts may differ by
_OF_LINKS = ["source", "target", "source_role", "bandwidth_mbit_per_s", "limit_mbit_per_s"]
_OF_PINGS = ["source", "target", "round_trip_time_mean_ms", "emulated_round_trip_time_ms"]
_OF_PINGS += ["lost", "replies"]
_MOST = at_least(0.95)  # each is measured once: one of twenty may be disturbed


def check(found: Findings) -> None:
    """Check what the network carries and delays, link by link: they are no random sample."""
    tables = found.tables("0")
    held = [pd.DataFrame()] * 2 if tables is None else [tables.bandwidths, tables.pings]
    _links(found, held[0] if len(held[0]) else pd.DataFrame(columns=_OF_LINKS, dtype=float))
    _round_trips(found, held[1] if len(held[1]) else pd.DataFrame(columns=_OF_PINGS, dtype=float))


def _links(found: Findings, links: pd.DataFrame) -> None:
    bandwidths = links["bandwidth_mbit_per_s"]
    of_schmid = links["source_role"].map(ROLES).map(schmid_bandwidths()).astype(float)
    for statement, of, shares, target, margin, see in (
        (
            "One TCP stream fills a link but for its headers.",
            f"links whose payload is {_PAYLOAD} of their limit within 5 %",
            bandwidths / links["limit_mbit_per_s"],
            _PAYLOAD,
            SAME,
            "00-1-network",
        ),
        (
            "Links carry what the studies' links carried.",
            "links whose bandwidth is Schmid's of that role within 10 %",
            bandwidths / of_schmid,
            1,
            2 * SAME,
            "00-2-roles",
        ),
    ):
        found.check_share(
            "0",
            statement,
            of=of,
            passes=shares.between(*margin_bounds(target, margin)).set_axis(_ends(links)),
            holds=_MOST,
            see=see,
            kind=Kind.VALIDITY,
        )


def _round_trips(found: Findings, pings: pd.DataFrame) -> None:
    means = pings["round_trip_time_mean_ms"]
    of_host = means.groupby(pings["source"])
    sent = (pings["lost"] + pings["replies"]).sum()
    for statement, of, times in (
        (
            "A round trip takes what is emulated, and at most a fifth more.",
            f"pairs whose mean ping is at most {_FARTHER} of the round trip added",
            (means / added_ms(pings)).set_axis(_ends(pings)),
        ),
        (
            "Hosts are equally far from each other.",
            f"hosts whose longest mean round trip is at most {_FARTHER} of their shortest",
            of_host.max() / of_host.min(),
        ),
    ):
        found.check_share(
            "0",
            statement,
            of=of,
            passes=times <= _FARTHER,
            holds=_MOST,
            see="00-1-network",
            kind=Kind.VALIDITY,
        )
    found.check(
        "0",
        "The idle network loses no packet.",
        quantity="share of pings that were not answered",
        measured=exact(pings["lost"].sum() / sent if sent else math.nan),
        holds=at_most(0),
        see="00-2-roles",
        kind=Kind.VALIDITY,
    )


def _ends(pairs: pd.DataFrame) -> list[str]:
    return [f"{a} to {b}" for a, b in zip(pairs["source"], pairs["target"], strict=True)]


def added_ms(pings: pd.DataFrame) -> pd.Series:
    """Return the round trip that each ping should see, ms.

    It is what a calibrated delay line adds, else what is emulated.

    Parameters
    ----------
    pings
        `analysis.tables.frames.Tables.pings`, shape (P, ...), P = number of pairs of hosts.
    """
    emulated = pings["emulated_round_trip_time_ms"]
    return pings.get("line_round_trip_time_ms", emulated).fillna(emulated)
