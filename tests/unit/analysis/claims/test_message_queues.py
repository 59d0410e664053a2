"""The claims of chapter 13, on simulations of a system whose limits are known."""

from dataclasses import replace

import pytest

from analysis.claims.chapters import message_queues
from analysis.claims.findings import Findings
from analysis.claims.rules import Verdict
from tests.helpers.queues import by_section, queue_tables

pytestmark = pytest.mark.slow


def claims(tables):
    found = Findings({} if tables is None else by_section(tables))
    message_queues.check(found)
    return found.claims


def of(claims, begin):
    (found,) = [claim for claim in claims if claim.statement.startswith(begin)]
    return found


@pytest.fixture(scope="module")
def known():
    return claims(queue_tables(repetitions=6))


@pytest.mark.parametrize(
    "begin",
    [
        "At fixed sending rates",
        "All that clients are told",
        "With all workers one holds",
        "With the fewest workers locks",
        "With the most workers SKIP LOCKED",
        "The middlewares alone do five times",
        "Clients that think get as much",
        "At the largest load the database's CPUs",
        "Front-end threads are hardly busy",
        "A second database brings",
        "The fewest front-end threads",
        "Each changed system reaches",
        "A network is within",
        "A request costs the database as much",
        "It costs as much where the database",
        "One at a time requests",
        "On a disk commits that do not wait",
        "Asking an empty queue",
        "A transaction left open",
        "After it throughput is",
        "Throughput and response time obey",
        "No machine's CPU",
    ],
)
def test_what_is_so_holds(known, begin):
    assert of(known, begin).verdict == Verdict.SUPPORTED


def test_what_is_not_so_does_not_hold():
    other = claims(queue_tables(slower_with_row_locks=0.95, polls=0.9, left_open=0.9, drift=0.3))
    for begin in (
        "At fixed sending rates",
        "With the most workers SKIP LOCKED",
        "Asking an empty queue",
        "A transaction left open",
    ):
        assert of(other, begin).verdict == Verdict.REFUTED, begin


def test_claims_are_the_same_whatever_was_measured_and_say_what_is_missing(known):
    none = claims(None)
    assert [claim.statement for claim in none] == [claim.statement for claim in known]
    assert {claim.verdict for claim in none} == {Verdict.UNDECIDED}
    assert of(none, "At fixed sending rates").told == "undecided: no runs of q1"
    open_told = of(none, "A transaction left").told
    assert open_told == "undecided: no transaction was left open for a minute"
    assert all(len(claim.statement) <= 120 for claim in known)
    assert all(len(claim.quantity) <= 75 for claim in known)


def test_runs_too_short_to_drift_are_told_from_none():
    tables = queue_tables()
    short = replace(tables, windows=tables.windows[tables.windows["second_s"] < 3])
    told = of(claims(short), "At fixed sending rates").told
    assert told == "undecided: runs of q1 last less than 12 s"


def test_half_of_the_sections_tell_their_own_claims():
    tables = queue_tables()
    found = Findings({name: own for name, own in by_section(tables).items() if name != "q3"})
    message_queues.check(found)
    assert of(found.claims, "The middlewares alone").told == "undecided: no runs of q3"
    assert of(found.claims, "A second database brings").verdict == Verdict.SUPPORTED
