"""The claims of chapter 8 on runs of which it is known what happened in them."""

import dataclasses

import pytest

from analysis.claims.chapters import dynamics
from analysis.claims.findings import Findings
from analysis.claims.rules import Verdict
from analysis.paths import REFERENCE
from analysis.tables.tidied import campaign_tables


@pytest.fixture(scope="module")
def tables():
    return campaign_tables(REFERENCE, ["8"])


def verdict(tables, begin):
    found = Findings({"8": tables})
    dynamics.check(found)
    (claim,) = [c for c in found.claims if c.statement.startswith(begin)]
    return claim.verdict


def test_a_drift_a_missed_pause_and_a_fall_without_cause_are_seen(tables):
    assert verdict(tables, "Throughput does not drift") == Verdict.SUPPORTED
    windows = tables.windows.copy()
    windows["throughput_ops_per_s"] *= 1 + windows["second_s"] / 5000
    drifting = dataclasses.replace(tables, windows=windows)
    assert verdict(drifting, "Throughput does not drift") == Verdict.REFUTED

    pauses = tables.pauses.assign(start_s=tables.pauses["start_s"] + 100)
    missed = dataclasses.replace(tables, pauses=pauses)
    assert verdict(missed, "Every pause is found") == Verdict.REFUTED

    quiet = dataclasses.replace(tables, servers=tables.servers.assign(response_time_max_ms=1.0))
    assert verdict(quiet, "No fall of throughput") == Verdict.REFUTED


def test_two_hours_are_told_only_by_a_run_that_long(tables):
    assert verdict(tables, "Nor does it in two hours") == Verdict.SUPPORTED
    short = dataclasses.replace(tables, runs=tables.runs.assign(stable_s=7199))
    assert verdict(short, "Nor does it in two hours") == Verdict.UNDECIDED
