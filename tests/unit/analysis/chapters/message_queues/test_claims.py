"""The claims of chapter 13, on simulations of a system whose limits are known."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.chapters.message_queues import claims as chapter
from analysis.chapters.message_queues import networks
from analysis.chapters.message_queues.evidence import evidence_of
from analysis.claims.claim import Kind
from analysis.claims.findings import Findings
from analysis.claims.rules import Verdict
from tests.helpers.queues import by_section, queue_tables

pytestmark = pytest.mark.slow


def claims(tables):
    found = Findings({} if tables is None else by_section(tables))
    chapter.check(found)
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
        "The network of queues predicts three quarters",
        "The network of queues predicts the lightest load",
        "In three quarters of loads parallel M/M/1",
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


def test_cells_that_told_demands_check_a_model_and_confirm_none(known):
    kinds = {begin: of(known, begin).kind for begin in (
        "The machine-repairman model predicts the response time of the database",
        "The network of queues predicts the lightest load",
        "The machine-repairman model predicts the response time of the middleware",
        "The network of queues predicts three quarters",
    )}  # fmt: skip
    assert list(kinds.values()) == [Kind.VALIDITY] * 2 + [Kind.FINDING] * 2


def with_throughput(monkeypatch, factor, rows):
    """Return the claims if predicted throughputs of some rows were multiplied by a factor."""
    measured = evidence_of(by_section(queue_tables()).values())
    own = measured.predicted
    changed = own["throughput_ops_per_s"] * np.where(rows(own), factor, 1.0)
    wrong = replace(measured, predicted=own.assign(throughput_ops_per_s=changed))
    monkeypatch.setattr(chapter, "evidence_of", lambda held: wrong)
    return claims(queue_tables())


def test_networks_are_judged_by_cells_that_told_no_demands(monkeypatch):
    """A network that is wrong in every cell but the lightest one misses them all, by name."""
    held_out = with_throughput(monkeypatch, 2, lambda own: ~own["is_light"].astype(bool))
    network = of(held_out, "The network of queues predicts three quarters")
    assert 0.4 < network.estimate.value <= 0.5  # response times alone
    assert " of 24 miss: X q" in network.told
    assert of(held_out, "The network of queues predicts the lightest load").told == "supported"


@pytest.mark.parametrize(
    ("wrong", "verdict"),
    [(networks.SINGLE, Verdict.SUPPORTED), (networks.NETWORK, Verdict.REFUTED)],
)
def test_networks_are_compared_where_they_differ(monkeypatch, wrong, verdict):
    changed = with_throughput(monkeypatch, 2, lambda own: own["model"] == wrong)
    assert of(changed, "Where single servers and the network").verdict == verdict


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
    chapter.check(found)
    assert of(found.claims, "The middlewares alone").told == "undecided: no runs of q3"
    assert of(found.claims, "A second database brings").verdict == Verdict.SUPPORTED
