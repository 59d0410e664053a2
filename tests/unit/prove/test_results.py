"""Results are held against what clients have counted, and trends against their noise."""

import json

import numpy as np
import pytest
from trend import FLAT, GROWS, UNKNOWN, second_half, span_means, trend
from verified_load.results import objections_to_remains, objections_to_results
from verified_load.verifier import Tally

WINDOWS = "epoch_s,request_type,requests,errors,hits,misses\n1,get,6,1,3,2\n2,get,4,0,4,0\n"


@pytest.fixture
def results(tmp_path):
    """Ten gets in two seconds, one of them an error."""
    counts = {"requests": 10, "errors": 1, "hits": 7, "misses": 2}
    summary = {"clean_shutdown": True, "requests": {"get": counts}}
    (tmp_path / "summary.json").write_text(json.dumps(summary))
    (tmp_path / "windows.csv").write_text(WINDOWS)
    (tmp_path / "bins.csv").write_text(
        "time,request_type,bin_start_ms,count\nresponse_time,get,0.0,9\nresponse_time,get,0.1,1\n"
        "service_time,get,0.0,10\n"
    )
    for name in ("queue.csv", "utilization.csv", "servers.csv", "histograms.hlog"):
        (tmp_path / name).write_text("there\n")
    return tmp_path


def tally(*, sent=10, answered=10, errors=1, hits=7, misses=2, at=0.0):
    counts = {"sent": sent, "answered": answered, "errors": errors, "hits": hits, "misses": misses}
    tally = Tally(answered_at=[at] * answered)
    for name, count in counts.items():
        getattr(tally, name)["get"] = count
    return tally


def test_results_that_agree_have_no_objection(results):
    assert objections_to_results(results, [tally()], {"get", "set"}) == []


def test_a_request_without_an_answer_may_be_counted_or_not(results):
    assert objections_to_results(results, [tally(sent=11)], {"get"}) == []
    assert objections_to_results(results, [tally(answered=9)], {"get"}) == []


@pytest.mark.parametrize("other", [{"sent": 11, "answered": 11}, {"hits": 6}, {"errors": 0}])
def test_counts_that_differ_are_told(results, other):
    assert len(objections_to_results(results, [tally(**other)], {"get"})) == 1


def test_files_that_disagree_are_told(results):
    (results / "windows.csv").write_text(WINDOWS.replace("2,get,4", "2,get,3"))
    assert "in windows.csv" in objections_to_results(results, [tally()], {"get"})[0]


def test_missing_files_and_a_shutdown_that_was_not_clean_are_told(results):
    summary = json.loads((results / "summary.json").read_text()) | {"clean_shutdown": False}
    (results / "summary.json").write_text(json.dumps(summary))
    assert "no clean shutdown" in objections_to_results(results, [tally()], {"get"})[0]
    (results / "bins.csv").unlink()
    assert objections_to_results(results, [tally()], {"get"}) == ["no results in bins.csv"]


def test_a_killed_process_has_left_all_but_its_last_seconds(results):
    (results / "bins.csv").unlink()
    (results / "windows.csv").write_text(WINDOWS + "3,get,")
    early, late = tally(at=1.0), tally(at=9.0)
    assert objections_to_remains(results, [early, late], killed_s=10.0) == []
    assert "10 requests: 20 were sent" in objections_to_remains(results, [early, early], 10.0)[0]
    assert "10 requests: 5 were sent" in objections_to_remains(results, [tally(sent=5)], 1.0)[0]


def test_seconds_that_a_killed_process_has_written_are_whole(results):
    counted, lost = tally(at=1.0), tally(at=1.5)
    assert "were answered 0.1 s before" in objections_to_remains(results, [counted, lost], 2.0)[0]
    assert objections_to_remains(results, [counted, tally(at=2.5)], 2.0) == []


def test_trends_are_flat_growing_or_unknown():
    rng = np.random.default_rng(1)
    minutes = [60.0 * number for number in range(40)]
    noise = rng.normal(0, 1, len(minutes))
    grown = [0.5 * number + value for number, value in enumerate(noise)]
    assert trend(minutes, [100 + value for value in noise], bound=0.1).verdict == FLAT
    assert trend(minutes, grown, bound=0.1).verdict == GROWS
    assert trend(minutes, [-value for value in grown], bound=0.1).verdict == FLAT
    assert trend(minutes[:4], [1e3 * value for value in (0, 3, 1, 2)], bound=0.1).verdict == UNKNOWN


def test_a_trend_has_the_slope_of_a_line_and_needs_three_points():
    line = trend([0, 60, 120, 180], [1, 3, 5, 7], bound=3)
    assert (line.slope, line.low, line.high) == pytest.approx((2, 2, 2))
    assert line.verdict == FLAT
    with pytest.raises(ValueError, match="at least 3 points, got 2"):
        trend([0, 1], [1, 2], bound=1)


def test_trends_that_are_judged_together_have_wider_intervals():
    """A slope of noise that alone seems to grow, and of six does not."""
    minutes, values = [0, 60, 120, 180, 240], [0, 2, 1, 3, 4]
    alone, of_six = (trend(minutes, values, bound=0.1, together=n) for n in (1, 6))
    assert (alone.verdict, of_six.verdict) == (GROWS, UNKNOWN)
    assert alone.slope == of_six.slope == pytest.approx(0.9)
    # Student's t with 3 degrees of freedom at 1 - 0.05/2 and 1 - 0.05/12.
    assert (of_six.high - of_six.slope) / (alone.high - alone.slope) == pytest.approx(
        6.2315 / 3.1824, rel=1e-3
    )


def test_noise_that_changes_slowly_is_seldom_told_as_growth():
    rng = np.random.default_rng(1)
    seconds = np.arange(0.0, 300, 5)
    alarms = 0
    for _ in range(400):
        noise = rng.normal(0, 1, len(seconds))
        for n in range(1, len(noise)):
            noise[n] += 0.6 * noise[n - 1]
        means = span_means(seconds, noise, 30)
        assert len(means[0]) == 10
        alarms += trend(*means, bound=1e-9).verdict == GROWS
    # 2.5 % if nothing depended on its neighbours; 15 % of the single values seem to grow.
    assert alarms / 400 < 0.06


def test_the_second_half_is_that_of_the_time():
    assert second_half([0, 1, 2, 10], [1, 2, 3, 4]) == ([10], [4])
