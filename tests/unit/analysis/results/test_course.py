import json
from pathlib import Path

import numpy as np
import pytest

from analysis.results import ParseError, read_memtier_json
from analysis.results.histograms import histogram_percentiles, merge_histograms
from analysis.results.memtier.course import parse_histograms_by_second, parse_slices
from analysis.results.memtier.window import (
    client_histograms_by_second,
    client_slices,
    counts_by_second,
)

DATA = Path(__file__).parents[3] / "data" / "memtier"
COURSE = DATA / "drop-in" / "course.json"


@pytest.fixture(scope="module")
def run():
    return read_memtier_json(COURSE).run


def test_slices_of_a_second_hold_its_requests_and_their_times(run):
    sums = run.slices.groupby(np.floor(run.slices["start_s"])).sum()
    seconds = run.seconds.assign(sum_ms=run.seconds.eval("response_time_ms * requests"))
    by_second = seconds.groupby("second")[["requests", "sum_ms"]].sum()
    assert len(by_second) == 3
    assert sums["requests"].head(3).tolist() == by_second["requests"].tolist()
    cut_ms = sums["response_time_sum_ms"].head(3) - by_second["sum_ms"].to_numpy()
    assert cut_ms.between(0, 0.001 * by_second["requests"].max()).all()  # means in whole us


@pytest.mark.parametrize("kind", ["set", "get"])
def test_histograms_by_second_add_up_to_that_of_the_run(run, kind):
    rows = run.histograms_by_second.query("request_type == @kind")
    whole = run.histograms[kind]
    added = merge_histograms([rows[["upper_edge_ms", "count"]]])
    assert added["count"].sum() == whole["count"].sum()
    ours, memtiers = (histogram_percentiles(h, (25, 50, 75, 90, 99, 100)) for h in (added, whole))
    assert (ours <= memtiers).all()  # each of its bins lies in one of memtier's
    np.testing.assert_allclose(ours, memtiers, atol=0.008, rtol=0.008)


def test_steps_and_counts_are_edges_and_counts():
    told = {"Histograms": {"Sets": [[[90, 10], [1, 2]], [[], []], [[95], [4]]]}}
    frame = parse_histograms_by_second(told, {"Sets": "set", "Gets": "get"})
    assert frame["upper_edge_ms"].tolist() == [0.09, 0.1, 0.095]
    assert frame["count"].tolist() == [1, 2, 4]
    assert frame["second"].tolist() == [0, 0, 2]
    assert set(frame["request_type"]) == {"set"}


@pytest.mark.parametrize(
    "told",
    [
        {"Histograms": {"Sets": [[[90], [1, 2]]]}},
        {"Histograms": {"Sets": [[[0.5], [1]]]}},
        {"Slices": {"Length": 100, "Counts": [1], "Accumulated Latencies": []}},
        {"Slices": {"Length": 100, "Counts": [1], "Accumulated Latencies": ["1"]}},
    ],
)
def test_course_that_contradicts_itself_is_an_error(told):
    with pytest.raises((ValueError, TypeError)):
        parse_slices(told)
        parse_histograms_by_second(told, {"Sets": "set"})


@pytest.mark.parametrize("part", ["Slices", "Histograms"])
def test_course_that_lacks_requests_is_an_error(tmp_path, part):
    document = json.loads(COURSE.read_text())
    run = document["middleware-lab"]["Runs"][0]
    if part == "Slices":
        run["Slices"]["Counts"][4] += 1
    else:
        run["Histograms"]["Gets"][1] = [[], []]
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ParseError, match="histograms to"):
        read_memtier_json(path)


def test_instances_add_up_in_the_part_that_is_asked_for(run):
    slices = client_slices([run, run], start_s=1, end_s=3)
    assert len(slices) == 20
    window = run.seconds.query("1 <= second < 3")
    assert slices["requests"].sum() == 2 * window["requests"].sum()
    rows = client_histograms_by_second([run, run], start_s=1, end_s=3)
    edges, counts = counts_by_second(rows, start_s=1, end_s=3)
    assert counts.shape == (2, len(edges))
    assert (np.diff(edges) > 0).all()
    expected = 2 * window.groupby("second")["requests"].sum()
    assert counts.sum(axis=1).tolist() == expected.tolist()
    assert set(client_histograms_by_second([run], start_s=0, end_s=2)["second"]) == {0, 1}


def test_an_instance_without_a_course_leaves_all_without(run):
    bare = read_memtier_json(DATA / "2.3.1" / "get-only.json").run
    assert client_slices([run, bare], start_s=0, end_s=2) is None
    assert client_histograms_by_second([run, bare], start_s=0, end_s=2) is None
