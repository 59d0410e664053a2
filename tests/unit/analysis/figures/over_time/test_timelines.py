from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from analysis.figures.over_time.timelines import plot_slowest_requests
from analysis.traces.blame import slowest_requests
from analysis.traces.followed_requests import STAGES, followed_requests
from analysis.traces.host_pauses import host_pauses
from tests.helpers.followed_run import Passage, ordinary_passages, write_run


@pytest.fixture
def run(tmp_path):
    return write_run(tmp_path, ordinary_passages(np.random.default_rng(3), 40))


@pytest.fixture
def slowest(run):
    return slowest_requests(followed_requests(run), host_pauses(run), 12)


def test_each_request_is_a_row_whose_stages_follow_each_other(slowest):
    figure = plot_slowest_requests(slowest, how_many=5)
    bars = [trace for trace in figure.data if trace.type == "bar"]
    rows = list(figure.layout.yaxis.categoryarray)
    assert len(rows) == 5
    for row, (_, request) in zip(rows, slowest.iterrows(), strict=False):
        spans = sorted(
            (base, base + length)
            for bar in bars
            for y, base, length in zip(bar.y, bar.base, bar.x, strict=True)
            if y == row
        )
        assert len(spans) == len(STAGES)
        assert spans[0][0] == 0
        for (_, end), (start, _) in pairwise(spans):
            assert start == pytest.approx(end)
        assert spans[-1][1] == pytest.approx(request["response_time_ms"])


def test_the_slowest_is_on_top_and_says_what_is_blamed(slowest):
    figure = plot_slowest_requests(slowest, how_many=3)
    (text,) = [trace for trace in figure.data if trace.type == "scatter"]
    assert figure.layout.yaxis.autorange == "reversed"
    assert list(text.x) == sorted(text.x, reverse=True)
    first = slowest.iloc[0]
    assert f"{first['blamed']} ({100 * first['blamed_share']:.0f} %)" in text.text[0]
    hover = next(trace for trace in figure.data if trace.type == "bar").customdata[0]
    assert first["client"] in hover
    assert first["blamed"] in hover
    assert "Time since the client sent it (ms" in figure.layout.xaxis.title.text


def test_clocks_that_disagree_are_told(slowest):
    figure = plot_slowest_requests(slowest.assign(beyond_clock_bound=True), how_many=2)
    (text,) = [trace for trace in figure.data if trace.type == "scatter"]
    assert all("clocks disagree" in one for one in text.text)


def test_a_figure_of_no_request_says_so():
    figure = plot_slowest_requests(pd.DataFrame())
    (note,) = figure.layout.annotations
    assert note.text == "not measured: no request was followed"
    assert not figure.data


def test_a_worker_is_named_where_it_is_known(tmp_path):
    run = write_run(tmp_path, [Passage(worker=3)], captured=True)
    bar = plot_slowest_requests(followed_requests(run)).data[0]
    assert "m1, worker 3; slowest server s1" in bar.customdata[0]
    (run / "m1/middleware/followed.csv").unlink()
    bar = plot_slowest_requests(followed_requests(run)).data[0]
    assert "m1; slowest server s1" in bar.customdata[0]
