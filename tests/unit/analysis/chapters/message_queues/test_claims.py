"""The claims of chapter 13, on simulations of a system whose limits are known."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.chapters.message_queues import claims as chapter
from analysis.chapters.message_queues import networks
from analysis.chapters.message_queues.evidence import evidence_of
from analysis.claims.claim import Kind
from analysis.claims.measurements import Measurements
from analysis.claims.rules import Verdict
from tests.helpers.queues import by_section, queue_tables

pytestmark = pytest.mark.slow


def claims(tables):
    return judged({} if tables is None else by_section(tables))


def judged(sections):
    outcomes = chapter.chapter.judge(Measurements(sections))
    return {one.claim.id.removeprefix("message-queues."): one for one in outcomes}


@pytest.fixture(scope="module")
def known():
    return claims(queue_tables(repetitions=6))


@pytest.mark.parametrize(
    "name",
    [
        "throughput-does-not-drift",
        "sending-rates-are-kept",
        "many-workers-hold-requests-longer",
        "locks-do-not-matter-to-few-workers",
        "skip-locked-helps-many-workers",
        "middlewares-alone-do-more",
        "thinking-clients-get-as-much",
        "database-cpus-are-full",
        "front-end-threads-are-idle",
        "a-second-database-brings-more",
        "few-front-end-threads-are-enough",
        "changed-systems-are-predicted",
        "network-predicts-most-cells",
        "network-predicts-the-lightest-load",
        "parallel-queues-miss-by-more",
        "connections-do-not-raise-cpu-time",
        "low-load-does-not-raise-cpu-time",
        "lone-requests-are-at-the-database",
        "commits-that-do-not-wait-help",
        "polls-cost-half-a-message",
        "an-open-transaction-halves-throughput",
        "throughput-recovers-after-it",
        "interactive-law",
        "idle-cpus",
    ],
)
def test_what_is_so_holds(known, name):
    assert known[name].verdict == Verdict.SUPPORTED


def test_cells_that_told_demands_check_a_model_and_confirm_none(known):
    kinds = [known[name].claim.kind for name in (
        "machine-repairman-predicts-database",
        "network-predicts-the-lightest-load",
        "machine-repairman-predicts-middleware",
        "network-predicts-most-cells",
    )]  # fmt: skip
    assert kinds == [Kind.VALIDITY] * 2 + [Kind.FINDING] * 2


def with_throughput(monkeypatch, factor, rows):
    """Return the claims if predicted throughputs of some rows were multiplied by a factor."""
    own = evidence_of(by_section(queue_tables()).values()).predicted
    changed = own["throughput_ops_per_s"] * np.where(rows(own), factor, 1.0)
    wrong = own.assign(throughput_ops_per_s=changed)
    monkeypatch.setattr(networks, "predictions", lambda *_: wrong)
    return claims(queue_tables())


def test_networks_are_judged_by_cells_that_told_no_demands(monkeypatch):
    """A network that is wrong in every cell but the lightest one misses them all, by name."""
    held_out = with_throughput(monkeypatch, 2, lambda own: ~own["is_light"].astype(bool))
    network = held_out["network-predicts-most-cells"]
    assert 0.4 < network.estimate.value <= 0.5  # response times alone
    assert " of 24 miss: X q" in network.told
    assert held_out["network-predicts-the-lightest-load"].told == "supported"


@pytest.mark.parametrize(
    ("wrong", "verdict"),
    [(networks.SINGLE, Verdict.SUPPORTED), (networks.NETWORK, Verdict.REFUTED)],
)
def test_networks_are_compared_where_they_differ(monkeypatch, wrong, verdict):
    changed = with_throughput(monkeypatch, 2, lambda own: own["model"] == wrong)
    assert changed["single-servers-miss-by-more"].verdict == verdict


def test_what_is_not_so_does_not_hold():
    other = claims(queue_tables(slower_with_row_locks=0.95, polls=0.9, left_open=0.9, drift=0.3))
    for name in (
        "throughput-does-not-drift",
        "skip-locked-helps-many-workers",
        "polls-cost-half-a-message",
        "an-open-transaction-halves-throughput",
    ):
        assert other[name].verdict == Verdict.REFUTED, name


def test_claims_say_what_is_missing():
    none = claims(None)
    assert {outcome.verdict for outcome in none.values()} == {Verdict.UNDECIDED}
    assert none["throughput-does-not-drift"].told == "undecided: no runs of q1"
    open_told = none["an-open-transaction-halves-throughput"].told
    assert open_told == "undecided: no transaction was left open for a minute"


def test_runs_too_short_to_drift_are_told_from_none():
    tables = queue_tables()
    short = replace(tables, windows=tables.windows[tables.windows["second_s"] < 3])
    told = claims(short)["throughput-does-not-drift"].told
    assert told == "undecided: runs of q1 last less than 12 s"


def test_half_of_the_sections_tell_their_own_claims():
    tables = queue_tables()
    found = judged({name: own for name, own in by_section(tables).items() if name != "q3"})
    assert found["middlewares-alone-do-more"].told == "undecided: no runs of q3"
    assert found["a-second-database-brings-more"].verdict == Verdict.SUPPORTED
