import pandas as pd

from analysis.chapters.stability.plots import plot_close_up
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


def test_names_that_would_cover_each_other_share_a_place():
    names = ["garbage collection", "garbage collection", "s1 paused", "s1 paused"]
    figure = plot_seconds(LONG, "response_time_max_ms", "x")
    mark_events(figure, events([0.0, 14.0, 20.0, 900.0], names))
    notes = [(note.x, note.text) for note in figure.layout.annotations]
    assert notes == [(0.0, "garbage collection (2); s1 paused"), (900.0, "s1 paused")]
    assert all(shape.layer == "below" for shape in figure.layout.shapes)  # data stay visible


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


def test_names_stand_above_the_plot_beside_each_other_or_on_lines_of_their_own():
    names = ["garbage collection", "s1 paused", "s2 paused", "s3 paused"]
    figure = plot_seconds(LONG, "response_time_max_ms", "x")
    assert mark_events(figure, events([0.0, 100.0, 900.0, 1795.0], names)) == 45
    notes = figure.layout.annotations
    assert [note.yshift for note in notes] == [0, 15, 0, 0]
    assert [note.xanchor for note in notes] == ["left", "left", "left", "right"]  # within the plot
    assert all((note.y, note.yanchor) == (1, "bottom") for note in notes)
    assert mark_events(figure, None) == 0
