"""Clocks that are off, that are set within a run, and stored time stamps that do not fit."""

import gzip

import pytest

from remote.experiment.checks.clocks import clock_checks
from tests.helpers.manifests import manifest_of

BEGAN_S, ENDED_S = 1_795_000_000.0, 1_795_000_100.0


def reading(offset_s, epoch_s, bound_s=0.002):
    return {"offset_s": offset_s, "bound_s": bound_s, "epoch_s": epoch_s}


def checked(folder, start_s=0.0, end_s=0.0, **bounds):
    clocks = {
        "c1": {"start": reading(0, BEGAN_S), "end": reading(0, ENDED_S)},
        "m1": {"start": reading(start_s, BEGAN_S, **bounds), "end": reading(end_s, ENDED_S)},
    }
    return {check.name: check for check in clock_checks(folder, manifest_of(clocks=clocks))}


def keep_counters(folder, name, offset_s, at_s):
    (folder / "m1").mkdir(exist_ok=True)
    text = f"{at_s + offset_s:.6f} {at_s - 0.01:.6f} {at_s + 0.01:.6f}\n"
    (folder / "m1" / f"{name}.txt.gz").write_bytes(gzip.compress(text.encode()))


def verdicts(checks):
    return {name: check.passed for name, check in checks.items()}


@pytest.mark.parametrize("offset_s", [0.21, -5.0])
def test_clock_that_is_certainly_off_rejects_and_is_named(tmp_path, offset_s):
    checks = checked(tmp_path, offset_s, offset_s)
    assert verdicts(checks) == {"clock_offsets": False, "clock_steps": True}
    assert f"{offset_s:+.3f} s, known to 0.002 s (m1)" in checks["clock_offsets"].detail


def test_late_answer_does_not_look_like_a_wrong_clock(tmp_path):
    checks = checked(tmp_path, 0.3, 0.0, bound_s=0.31)
    assert verdicts(checks) == {"clock_offsets": True, "clock_steps": True}


def test_clock_that_is_set_within_the_run_rejects(tmp_path):
    checks = checked(tmp_path, 0.0, 0.08)  # less than the largest offset, more than any drift
    assert verdicts(checks) == {"clock_offsets": True, "clock_steps": False}
    assert "+0.0800 s in 100.0 s" in checks["clock_steps"].detail
    five = checked(tmp_path, -0.1, 4.9)
    assert verdicts(five) == {"clock_offsets": False, "clock_steps": False}


def test_drift_is_told(tmp_path):
    checks = checked(tmp_path, 0.0, 0.03)
    assert verdicts(checks) == {"clock_offsets": True, "clock_steps": True}
    assert "drift +300 ppm (m1), at most 500 ppm" in checks["clock_steps"].detail
    within = checked(tmp_path, 0.0, 0.003)  # both readings are known to 0.002 s
    assert "none beyond the bounds" in within["clock_steps"].detail
    assert checked(tmp_path, 0.0, 0.053)["clock_steps"].passed, "drift and both bounds"


def test_stored_time_stamps_are_checked_too(tmp_path):
    keep_counters(tmp_path, "interfaces-before", 0.0, BEGAN_S + 1)
    keep_counters(tmp_path, "interfaces-after", 0.0, ENDED_S - 1)
    assert verdicts(checked(tmp_path)) == {"clock_offsets": True, "clock_steps": True}
    keep_counters(tmp_path, "interfaces-after", 5.0, ENDED_S - 1)
    checks = checked(tmp_path)
    assert verdicts(checks) == {"clock_offsets": False, "clock_steps": False}
    assert "+5.000 s, known to 0.010 s (m1)" in checks["clock_offsets"].detail


def test_runs_of_before_have_offsets_only(tmp_path):
    before = manifest_of(clock_offsets_s={"c1": 0.0, "m1": 0.3})
    checks = list(clock_checks(tmp_path, before))
    assert [(check.name, check.passed) for check in checks] == [("clock_offsets", False)]
    assert [check.passed for check in clock_checks(tmp_path, manifest_of())] == [True]
