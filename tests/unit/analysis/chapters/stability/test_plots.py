import pandas as pd
import pytest

from analysis.chapters.stability.plots import plot_close_up, plot_trace
from analysis.chapters.stability.plots.close_ups import event_names
from analysis.chapters.stability.plots.trace import mark_events
from analysis.figures.over_time.seconds import plot_seconds
from tests.unit.analysis.figures.over_time.test_seconds import LONG, windows


def events(starts, names):
    return pd.DataFrame(
        {
            "start_s": starts,
            "end_s": [start + n + 1 for n, start in enumerate(starts)],
            "length_s": range(1, len(starts) + 1),
            "event": names,
        }
    )


@pytest.fixture(scope="module")
def tables(synthetic):
    return synthetic("2.1", "3.1")


def test_a_trace_has_a_row_for_each_measure_and_marks_events_once():
    figure = plot_trace(windows(), events([300.0], ["s1 paused"]), LONG)
    titles = [axis.title.text for axis in figure.select_yaxes()]
    assert titles == [
        "Throughput<br>(op/s)", "Queue<br>(jobs)", "Service<br>time (ms)",
        "Longest at<br>server (ms)",
    ]  # fmt: skip
    assert [note.text for note in figure.layout.annotations] == ["s1 paused"]
    named = [trace.name for trace in figure.data if trace.showlegend]
    assert named == ["clients", "middleware", "s1"]
    assert figure.layout.meta == {"runs": {"one": 1}}
    assert len(plot_trace(windows()).data) == 4  # no servers, no events


def test_names_that_would_cover_each_other_share_a_place():
    names = ["garbage collection", "garbage collection", "s1 paused", "s1 paused"]
    figure = plot_seconds(LONG, "response_time_max_ms", "x")
    mark_events(figure, events([0.0, 14.0, 20.0, 900.0], names))
    notes = [(note.x, note.text) for note in figure.layout.annotations]
    assert notes == [(0.0, "garbage collection (2); s1 paused"), (900.0, "s1 paused")]
    assert all(shape.layer == "below" for shape in figure.layout.shapes)  # data stay visible


def test_names_stand_above_the_plot_beside_each_other_or_on_lines_of_their_own():
    names = ["garbage collection", "s1 paused", "s2 paused", "s3 paused"]
    figure = plot_seconds(LONG, "response_time_max_ms", "x")
    assert mark_events(figure, events([0.0, 100.0, 900.0, 1795.0], names)) == 45
    notes = figure.layout.annotations
    assert [note.yshift for note in notes] == [0, 15, 0, 0]
    assert [note.xanchor for note in notes] == ["left", "left", "left", "right"]  # within the plot
    assert all((note.y, note.yanchor) == (1, "bottom") for note in notes)
    assert mark_events(figure, None) == 0


def test_a_close_up_shows_the_seconds_around_the_event_that_is_chosen():
    found = events([300.0, 900.0], ["s1 paused", "s3 paused"])
    assert event_names(found) == ["s3 paused at 900 s", "s1 paused at 300 s"]  # the longest first
    figure = plot_close_up(windows(), LONG, found, "s1 paused at 300 s", around_s=15)
    assert tuple(figure.layout.xaxis.range) == (285.0, 316.0)
    assert {(shape.x0, shape.x1) for shape in figure.layout.shapes} == {(300.0, 301.0)}
    assert figure.layout.meta["runs"] == {"one": 1}


def test_a_run_without_events_has_nothing_to_look_at():
    none = events([], [])
    (name,) = event_names(none)
    nothing = plot_close_up(windows(), LONG, none, name)
    assert [note.text for note in nothing.layout.annotations] == ["no event was found"]


def test_trace_shades_the_stable_window(tables):
    one = "section == '3.1' and workload == 'set' and workers == 8 and num_clients == 192"
    figure = plot_trace(tables.windows.query(f"{one} and repetition == 1"))
    titles = [axis.title.text for axis in figure.select_yaxes()]
    assert titles[:3] == ["Throughput<br>(op/s)", "Response<br>time (ms)", "Queue<br>(jobs)"]
    last = list(figure.select_xaxes())[-1]
    assert last.title.text == "Time since the stable window began (s of the clock)"
    assert [trace.name for trace in figure.data[:4]] == ["clients", "middleware"] * 2
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (-0.5, 2.5)


def test_trace_of_several_runs_is_refused(tables):
    with pytest.raises(ValueError, match="a trace shows one run"):
        plot_trace(tables.windows.query("section == '2.1'"))
