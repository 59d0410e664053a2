"""Chapter 0: links and round trips of the idle network, each by itself: they are no sample."""

from __future__ import annotations

from functools import partial

import pandas as pd

from analysis.chapters.lab_and_network.between_hosts import schmid_bandwidths
from analysis.claims.claim import Chapter, Kind
from analysis.claims.measurements import SAME, Measurements, NotMeasured
from analysis.claims.rules import at_least, at_most
from analysis.laws.bottlenecks import ROLES
from analysis.statistics.estimates import Estimate, exact
from analysis.statistics.loads.message_sizes import BYTES_PER_SEGMENT, HEADER_BYTES
from analysis.statistics.verdicts import margin_bounds

chapter = Chapter("lab-and-network")
_PAYLOAD = round(BYTES_PER_SEGMENT / (BYTES_PER_SEGMENT + HEADER_BYTES), 3)
_FARTHER = 1.2  # what a machine of its own may add to a delay, and hosts may differ by
_MOST = at_least(0.95)  # each is measured once: one of twenty may be disturbed


def _links(measured: Measurements) -> pd.DataFrame:
    return _by_ends(measured.tables("0").bandwidths)


def _pings(measured: Measurements) -> pd.DataFrame:
    return _by_ends(measured.tables("0").pings)


def _by_ends(pairs: pd.DataFrame) -> pd.DataFrame:
    """Name each pair of hosts: ``c1 to s1``."""
    if pairs.empty:
        raise NotMeasured
    return pairs.set_axis(pairs["source"] + " to " + pairs["target"])


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


_check = partial(chapter.claim, "0", kind=Kind.VALIDITY)


@_check(
    "00-1-network", f"share of links whose payload is {_PAYLOAD} of their limit within 5 %", _MOST
)
def one_stream_fills_a_link(measured: Measurements) -> pd.Series:
    """The payload of one TCP stream is within 5 % of 95.6 % of the link's limit."""
    links = _links(measured)
    shares = links["bandwidth_mbit_per_s"] / links["limit_mbit_per_s"]
    return shares.between(*margin_bounds(_PAYLOAD, SAME))


@_check("00-2-roles", "share of links whose bandwidth is Schmid's of that role within 10 %", _MOST)
def links_as_in_the_studies(measured: Measurements) -> pd.Series:
    """Each link has the bandwidth that Schmid measured for hosts of its role, within 10 %."""
    links = _links(measured)
    of_schmid = links["source_role"].map(ROLES).map(schmid_bandwidths()).astype(float)
    return (links["bandwidth_mbit_per_s"] / of_schmid).between(*margin_bounds(1, 2 * SAME))


@_check(
    "00-1-network",
    f"share of pairs whose mean ping is at most {_FARTHER} of the round trip added",
    _MOST,
)
def round_trips_as_emulated(measured: Measurements) -> pd.Series:
    """The mean round-trip time between two hosts exceeds the emulated delay by at most 20 %."""
    pings = _pings(measured)
    return pings["round_trip_time_mean_ms"] / added_ms(pings) <= _FARTHER


@_check(
    "00-1-network",
    f"share of hosts whose longest mean round trip is at most {_FARTHER} of their shortest",
    _MOST,
)
def hosts_equally_far(measured: Measurements) -> pd.Series:
    """From each host, the mean round-trip times to the other hosts differ by at most 20 %."""
    of_host = _pings(measured).groupby("source")["round_trip_time_mean_ms"]
    return of_host.max() / of_host.min() <= _FARTHER


@_check("00-2-roles", "share of pings that were not answered", at_most(0))
def no_packet_lost(measured: Measurements) -> Estimate:
    """The idle network loses no packet."""
    pings = _pings(measured)
    sent = (pings["lost"] + pings["replies"]).sum()
    if not sent:
        raise NotMeasured
    return exact(pings["lost"].sum() / sent)
