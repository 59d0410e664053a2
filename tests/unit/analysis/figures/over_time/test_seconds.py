import pandas as pd
import pytest

from analysis.figures.plots import plot_close_ups, plot_seconds, plot_threads

SECONDS = pd.DataFrame(
    {
        "server": ["s1"] * 3 + ["s2"] * 3,
        "second_s": [-1, 0, 1] * 2,
        "stable": [False, True, True] * 2,
        "response_time_max_ms": [1.0, 2.0, 900.0, 1.0, 2.0, 3.0],
    }
)


def test_each_server_is_a_line_and_events_are_marked():
    events = pd.DataFrame({"start_s": [1.0], "end_s": [2.0], "event": ["s1 paused"]})
    figure = plot_seconds(
        SECONDS, "response_time_max_ms", "Longest response time (ms)", events=events
    )
    assert [trace.name for trace in figure.data] == ["s1", "s2"]
    assert len({trace.line.dash for trace in figure.data}) == 2  # told apart in grey
    assert figure.layout.yaxis.title.text == "Longest response time (ms)"
    assert [note.text for note in figure.layout.annotations] == ["s1 paused"]
    assert figure.layout.meta == {"runs": 1}


def test_names_that_would_cover_each_other_share_a_place():
    starts = [0.0, 14.0, 20.0, 900.0]
    events = pd.DataFrame(
        {
            "start_s": starts,
            "end_s": [start + 1 for start in starts],
            "event": ["garbage collection", "garbage collection", "s1 paused", "s1 paused"],
        }
    )
    long = pd.DataFrame(
        {"server": "s1", "second_s": range(1800), "stable": True, "response_time_max_ms": 1.0}
    )
    figure = plot_seconds(long, "response_time_max_ms", "x", events=events, logarithmic=True)
    notes = [(note.x, note.text) for note in figure.layout.annotations]
    assert notes == [(0.0, "garbage collection (2); s1 paused"), (900.0, "s1 paused")]
    assert figure.layout.yaxis.type == "log"
    assert all(shape.layer == "below" for shape in figure.layout.shapes)  # data stay visible


def test_names_stand_above_the_plot_beside_each_other_or_on_lines_of_their_own():
    events = pd.DataFrame(
        {
            "start_s": [0.0, 100.0, 900.0, 1795.0],
            "end_s": [1.0, 101.0, 901.0, 1799.0],
            "event": ["garbage collection", "s1 paused", "s2 paused", "s3 paused"],
        }
    )
    long = pd.DataFrame(
        {"server": "s1", "second_s": range(1800), "stable": True, "response_time_max_ms": 1.0}
    )
    figure = plot_seconds(long, "response_time_max_ms", "x", events=events)
    notes = figure.layout.annotations
    assert [note.yshift for note in notes] == [0, 15, 0, 0]
    assert [note.xanchor for note in notes] == ["left", "left", "left", "right"]  # within the plot
    assert all((note.y, note.yanchor) == (1, "bottom") for note in notes)
    assert figure.layout.legend.yref == "container"
    assert figure.data[0].line.dash == "solid"  # of a single line gaps would say something


def test_seconds_before_and_after_the_run_are_not_drawn():
    seconds = pd.DataFrame(
        {
            "side": "middleware",
            "second_s": range(-3, 5),
            "stable": True,
            "throughput_ops_per_s": [0.0, 90, 100, 0, 100, 100, 4, 0],
        }
    )
    (line,) = plot_seconds(seconds, "throughput_ops_per_s", "x", series="side").data
    assert list(line.x) == [-2, -1, 0, 1, 2]  # a pause in the middle is


def test_close_ups_show_the_longest_events_in_their_order():
    seconds = list(range(-2, 1802))
    windows = pd.concat(
        pd.DataFrame(
            {"side": side, "second_s": seconds, "throughput_ops_per_s": 5.0, "queue_length": queue}
        )
        for side, queue in (("client", float("nan")), ("middleware", 2.0))
    )
    events = pd.DataFrame(
        {
            "start_s": [0.0, 300.0, 600.0, 900.0, 1200.0],
            "end_s": [0.1, 301.0, 605.0, 910.0, 1203.0],
            "length_s": [0.1, 1.0, 5.0, 10.0, 3.0],
            "event": ["garbage collection", "s1 paused", "s2 paused", "s3 paused", "s1 paused"],
        }
    )
    figure = plot_close_ups(windows, events, around_s=15)
    titles = [note.text for note in figure.layout.annotations]
    assert titles == ["s1 paused", "s2 paused", "s3 paused", "s1 paused"]
    assert tuple(figure.layout.xaxis.range) == (285.0, 316.0)
    assert [trace.name for trace in figure.data if trace.showlegend] == ["clients", "middleware"]
    drawn = [
        trace for trace in figure.data if trace.yaxis == "y5"
    ]  # the queue, in middlewares only
    assert [trace.name for trace in drawn] == ["middleware"]
    nothing = plot_close_ups(windows, events.head(0))
    assert [note.text for note in nothing.layout.annotations] == ["no event was found"]


def test_rows_of_several_runs_are_refused():
    with pytest.raises(ValueError, match="a trace shows one run"):
        plot_seconds(pd.concat([SECONDS, SECONDS]), "response_time_max_ms", "x")


@pytest.mark.parametrize("servers", [1, 2, 3, 5])
def test_threads_are_drawn_with_their_numbers(servers):
    figure = plot_threads(clients=192, workers=64, servers=servers, net_threads=2)
    names = [note.text for note in figure.layout.annotations]
    texts = " ".join(names)
    for words in ("192 connections", "64 coroutines", "2 net threads", "worker 64", "job queue"):
        assert words in texts
    assert ("server" if servers == 1 else f"server {servers}") in names
