"""The claims of chapter 8 on runs of which it is known what happened in them."""

import dataclasses

import pandas as pd
import pytest

from analysis.chapters.stability.claims import chapter
from analysis.claims.claim import Kind
from analysis.claims.measurements import Measurements
from analysis.claims.rules import Verdict
from analysis.tables.tidy_cache import campaign_tables
from records.paths import REFERENCE


@pytest.fixture(scope="module")
def tables():
    return campaign_tables(REFERENCE, ["8"])


def claim(tables, name):
    (own,) = [claim for claim in chapter.claims if claim.id == f"stability.{name}"]
    return own.judge(Measurements({"8": tables}))


def verdict(tables, name):
    return claim(tables, name).verdict


def repeated(tables, *speeds):
    """Return the tables with one run more for each speed, over that of the run that there is."""
    frames = {
        name: pd.concat([getattr(tables, name).assign(repetition=r) for r in range(1, runs + 1)])
        for runs in [len(speeds)]
        for name in ("runs", "windows", "servers", "pauses", "hosts")
    }
    windows = frames["windows"]
    windows["throughput_ops_per_s"] *= windows["repetition"].map(dict(enumerate(speeds, 1)))
    return dataclasses.replace(tables, **frames)


def test_a_missed_pause_and_a_fall_without_cause_are_seen(tables):
    pauses = tables.pauses.assign(start_s=tables.pauses["start_s"] + 100)
    missed = dataclasses.replace(tables, pauses=pauses)
    assert verdict(missed, "every-pause-is-found") == Verdict.REFUTED

    quiet = dataclasses.replace(tables, servers=tables.servers.assign(response_time_max_ms=1.0))
    assert verdict(quiet, "every-fall-has-a-cause") == Verdict.REFUTED


@pytest.mark.parametrize(
    "name", ["throughput-does-not-drift", "little-garbage-collection", "interactive-law"]
)
def test_one_run_has_no_repetitions(tables, name):
    assert claim(tables, name).told == "undecided: no repetitions"


def test_a_drift_is_that_of_each_run(tables):
    """Runs of other speeds that do not drift are no reason for doubt; runs that do are."""
    steady = repeated(tables, 1.0, 0.5, 1.5)
    assert verdict(steady, "throughput-does-not-drift") == Verdict.SUPPORTED
    assert claim(steady, "throughput-does-not-drift").estimate.freedom == 2
    windows = steady.windows.copy()
    windows["throughput_ops_per_s"] *= 1 + windows["second_s"] / 5000
    drifting = dataclasses.replace(steady, windows=windows)
    assert verdict(drifting, "throughput-does-not-drift") == Verdict.REFUTED


def test_two_hours_are_told_only_by_runs_that_long(tables):
    short = repeated(tables, 1.0, 1.0)
    short = dataclasses.replace(short, runs=short.runs.assign(stable_s=7199))
    told = claim(short, "throughput-does-not-drift").told
    assert told == "undecided: no run lasts two hours of the clock"


def test_that_jobs_without_a_worker_queue_is_no_finding(tables):
    assert claim(tables, "jobs-queue-in-pauses").claim.kind == Kind.VALIDITY
