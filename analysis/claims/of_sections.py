"""The claims of each section, the same for every campaign: what the report says was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.claims.claim import Claim
from analysis.claims.rules import Rule, at_least, at_most, equal_to
from analysis.statistics.estimates import Estimate, mean_of, ratio_of
from analysis.tables.frames import Tables
from analysis.tables.run import measured_sections
from analysis.tables.tidied import campaign_tables

THROUGHPUT = "client_throughput_ops_per_s"
RESPONSE_TIME = "client_response_time_ms"
BUSY = at_least(0.92)
NO_DIFFERENCE = 0.05

Measured = Mapping[str, Tables]
"""Section to its tidy tables, of those that were measured."""


def claims_of(campaign_dir: Path) -> list[Claim]:
    """Make all claims about a campaign, in the order of the sections.

    Those of which it holds no runs are there, too: they cannot be told.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    """
    sections = measured_sections(campaign_dir)
    measured = {section: campaign_tables(campaign_dir, [section]) for section in sections}
    claims = [claim for make in _SECTIONS for claim in make(measured)]
    return sorted(claims, key=lambda claim: claim.section)


def _network(measured: Measured) -> Iterator[Claim]:
    def links(tables: Tables) -> pd.Series:
        found = tables.bandwidths
        return found["bandwidth_mbit_per_s"] / found["limit_mbit_per_s"]

    yield _mean(
        "0", "Links carry what they are limited to, but for TCP's and IP's headers.",
        "iperf3's bandwidth over the limit, all links", at_least(0.9), measured, links,
    )  # fmt: skip
    yield _mean(
        "0", "A round trip takes what is emulated, and at most a fifth more.",
        "ping's mean over what is emulated, all pairs of hosts", at_most(1.2), measured,
        lambda tables: (
            tables.pings["round_trip_time_mean_ms"] / tables.pings["emulated_round_trip_time_ms"]
        ),
    )  # fmt: skip


def _without_middleware(measured: Measured) -> Iterator[Claim]:
    yield _link("2.1", "Gets are limited by the server's link.", "get", "servers", measured)
    yield _link("2.2", "Sets are limited by the client's link.", "set", "clients", measured)
    yield _ratio(
        "2.2", "Two servers give twice the gets of one.", "throughput of 2.2 over that of 2.1",
        equal_to(2, NO_DIFFERENCE), _of(measured, "2.2", workload="get"),
        _of(measured, "2.1", workload="get"),
    )  # fmt: skip


def _with_middleware(measured: Measured) -> Iterator[Claim]:
    for section in ("3.1", "3.2"):
        yield _link(section, "Gets are limited by the server's link.", "get", "servers", measured)
    yield _ratio(
        "3.1", "Under full load the middleware costs gets no throughput.",
        "throughput of 3.1 with 64 workers over that of 2.1", equal_to(1, NO_DIFFERENCE),
        _of(measured, "3.1", workload="get", workers=64), _of(measured, "2.1", workload="get"),
    )  # fmt: skip
    yield _ratio(
        "3.1", "Sets need more than 8 workers.", "throughput with 64 workers over that with 8",
        at_least(1.2), _of(measured, "3.1", workload="set", workers=64),
        _of(measured, "3.1", workload="set", workers=8),
    )  # fmt: skip
    yield _ratio(
        "3.2", "A second middleware gives sets more throughput.",
        "throughput of 3.2 over that of 3.1, 64 workers", at_least(1.05),
        _of(measured, "3.2", workload="set", workers=64),
        _of(measured, "3.1", workload="set", workers=64),
    )  # fmt: skip


def _writes(measured: Measured) -> Iterator[Claim]:
    yield _ratio(
        "4.1", "Sets to three servers need more than 8 workers.",
        "throughput with 64 workers over that with 8", at_least(1.05),
        _of(measured, "4.1", workload="set", workers=64),
        _of(measured, "4.1", workload="set", workers=8),
    )  # fmt: skip


def _multi_gets(measured: Measured) -> Iterator[Claim]:
    for keys, statement, rule in (
        (1, "Cutting up a get of one key changes nothing.", equal_to(1, 2 * NO_DIFFERENCE)),
        (9, "Cut up, a get of nine keys is answered sooner.", at_most(0.95)),
    ):
        yield _ratio(
            "5.2", statement, f"response time, sharded over whole, {keys} keys", rule,
            _of(measured, "5.1", RESPONSE_TIME, multi_get_keys=keys),
            _of(measured, "5.2", RESPONSE_TIME, multi_get_keys=keys),
        )  # fmt: skip


def _factors(measured: Measured) -> Iterator[Claim]:
    yield _ratio(
        "6", "Three servers give three times the gets of one.",
        "throughput with 3 servers over that with 1", equal_to(3, NO_DIFFERENCE),
        _of(measured, "6", workload="get", num_servers=3),
        _of(measured, "6", workload="get", num_servers=1),
    )  # fmt: skip
    yield _ratio(
        "6", "Sets to three servers are fewer than to one, since each goes to all.",
        "throughput with 3 servers over that with 1", at_most(1),
        _of(measured, "6", workload="set", num_servers=3),
        _of(measured, "6", workload="set", num_servers=1),
    )  # fmt: skip


def _open_loops(measured: Measured) -> Iterator[Claim]:
    yield _mean(
        "7", "Open loops are served at the rate at which they arrive.",
        "throughput over the arrival rate asked for, all stations and rates",
        equal_to(1, NO_DIFFERENCE), measured,
        lambda tables: tables.runs[THROUGHPUT] / tables.runs["arrival_rate_per_s"],
    )  # fmt: skip


def _replication(measured: Measured) -> Iterator[Claim]:
    yield _ratio(
        "9", "Three copies of each key cost mixed requests no throughput.",
        "throughput with 3 replicas over that with 1", equal_to(1, NO_DIFFERENCE),
        _of(measured, "9", num_middlewares=1, replicas=3),
        _of(measured, "9", num_middlewares=1, replicas=1),
    )  # fmt: skip


_SECTIONS: tuple[Callable[[Measured], Iterator[Claim]], ...] = (
    _network,
    _without_middleware,
    _with_middleware,
    _writes,
    _multi_gets,
    _factors,
    _open_loops,
    _replication,
)


def _link(section: str, statement: str, workload: str, role: str, measured: Measured) -> Claim:
    """Claim that the links of a role are busy at the largest number of clients."""

    def busy(tables: Tables) -> pd.Series:
        hosts = tables.hosts
        mine = hosts[(hosts["workload"] == workload) & (hosts["role"] == role)]
        largest = mine[mine["num_clients"] == mine["num_clients"].max()]
        # Of several configurations and hosts: each repetition is one value.
        values: pd.Series = largest.groupby("repetition")["send_link_utilization"].mean()
        return values

    quantity = f"utilization of the {role}' links at the largest load"
    return _mean(section, statement, quantity, BUSY, measured, busy)


def _of(measured: Measured, section: str, column: str = THROUGHPUT, **where: Any) -> pd.Series:
    """Return a measure of each repetition at the largest load, over all levels not named."""
    if section not in measured:
        return pd.Series(dtype=float)
    runs = measured[section].runs
    for name, level in where.items():
        if name not in runs:
            return pd.Series(dtype=float)
        runs = runs[runs[name] == level]
    runs = runs[runs["num_clients"] == runs["num_clients"].max()]
    values: pd.Series = runs.groupby("repetition")[column].mean()
    return values


def _ratio(
    section: str, statement: str, quantity: str, rule: Rule, above: pd.Series, below: pd.Series
) -> Claim:
    estimate = ratio_of(above.tolist(), below.tolist())
    return _claim(section, statement, quantity, rule, estimate)


def _mean(
    section: str,
    statement: str,
    quantity: str,
    rule: Rule,
    measured: Measured,
    values: Callable[[Tables], pd.Series],
) -> Claim:
    found = values(measured[section]) if section in measured else pd.Series(dtype=float)
    return _claim(section, statement, quantity, rule, mean_of(found.tolist()))


def _claim(section: str, statement: str, quantity: str, rule: Rule, estimate: Estimate) -> Claim:
    return Claim(
        section=section, statement=statement, quantity=quantity, rule=rule, estimate=estimate
    )
