import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from analysis.figures.plots import (
    plot_queue_length,
    plot_throughput,
)
from analysis.figures.plots.closer import plot_breakdown
from analysis.figures.plots.series import time_axis
from analysis.figures.theme import TIMES, WORKERS, WORKLOADS
from analysis.laws.summary import cells


@pytest.fixture(scope="module")
def tables(synthetic):
    return synthetic("0", "2.1", "3.1")


@pytest.fixture(scope="module")
def baseline(tables):
    return cells(tables.runs.query("section == '2.1'"))


@pytest.fixture(scope="module")
def sets(tables):
    return cells(tables.runs.query("section == '3.1' and workload == 'set'"))


TIMES_SIGN = "\N{EM SPACE}{}\N{MULTIPLICATION SIGN}\N{EM SPACE}"


def titles(figure) -> tuple[str, str]:
    return figure.layout.xaxis.title.text, figure.layout.yaxis.title.text


def measured(figure, name):
    return next(trace for trace in figure.data if trace.name == name and trace.mode == "markers")


def lines(figure):
    return [trace for trace in figure.data if trace.mode == "lines" and trace.x[0] is not None]


@pytest.fixture
def bounds():
    rows = {"workload": ["get", "set"], "most_ops_per_s": [2900.0, 5000.0]}
    return pd.DataFrame({**rows, "least_response_time_ms": [1.0, 2.0]})


def test_throughput_has_markers_with_intervals_and_bounds_as_lines(baseline, bounds):
    figure = plot_throughput(baseline, bounds)
    assert titles(figure) == ("Number of clients", "Throughput (op/s)")
    assert {trace.mode for trace in figure.data} == {"markers", "lines"}
    assert (measured(figure, "read-only").error_y.array > 0).all()
    read, write = lines(figure)
    assert (min(read.y), max(read.y)) == (2900, 2900)  # 6 clients reach it in a millisecond
    assert (min(write.y), max(write.y)) == (3000, 5000)
    assert not lines(plot_throughput(baseline))
    knee = measured(figure, "knee N*")
    assert (knee.x, knee.y) == ((10,), (5000,))  # that of gets lies below all loads


@pytest.mark.parametrize(
    ("values", "range_ms"),
    [([5.5, 5.6], [5, 10]), ([30, 60], [20, 100]), ([5], [2, 10]), ([3, 11], None), ([], None)],
)
def test_an_axis_shows_two_ticks_at_least(values, range_ms):
    figure = time_axis(go.Figure(go.Scatter(y=values)))
    found = figure.layout.yaxis.range
    assert found == (None if range_ms is None else pytest.approx(np.log10(range_ms)))


def test_error_bars_have_room_on_an_axis():
    bars = {"symmetric": False, "array": [1, np.nan], "arrayminus": [4, 6]}  # one below 0
    figure = time_axis(go.Figure(go.Scatter(y=[5.5, 5.5], error_y=bars)))
    assert figure.layout.yaxis.range is None  # 1.5 to 6.5


@pytest.mark.parametrize("styles", [WORKLOADS, WORKERS, TIMES])
def test_series_of_one_figure_differ_in_colour_and_marker(styles):
    assert len({style.color for style in styles.values()}) == len(styles)
    assert len({style.symbol for style in styles.values()}) == len(styles)


def test_breakdown_stacks_up_to_the_response_time(sets):
    figure = plot_breakdown(sets.query("workers == 8"))
    assert titles(figure) == ("Number of clients", "Time (ms)")
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert len(bars) == len(TIMES)
    response = figure.data[-1]
    assert np.sum([bar.y for bar in bars], axis=0) == pytest.approx(response.y, rel=0.01)
    assert figure.layout.barmode == "stack"


def test_regimes_are_markers_of_their_own(tables):
    runs = tables.runs.query("section == '3.1' and workload == 'set'")
    largest = runs["num_clients"] == runs["num_clients"].max()
    told = np.where(largest, np.where(runs["repetition"] == 1, "1", "2"), "")
    repetitions = runs["repetition"].nunique()
    sets = cells(runs.assign(regime=told))
    for figure in (plot_throughput(sets, series="workers"), plot_queue_length(sets)):
        name = next(trace.name for trace in figure.data if trace.mode == "markers")
        markers = measured(figure, name)
        most = markers.x.max()
        assert (np.array(markers.x) == most).sum() == 2
        numbers = next(trace for trace in figure.data if trace.mode == "text")
        assert list(numbers.text) == [TIMES_SIGN.format(n) for n in (1, repetitions - 1)]
        assert sum(figure.layout.meta["runs"].values()) == len(runs)


def test_lines_join_no_two_regimes(tables):
    runs = tables.runs.query("section == '3.1' and workload == 'set'")
    largest = runs["num_clients"] == runs["num_clients"].max()
    told = np.where(largest, np.where(runs["repetition"] == 1, "1", "2"), "")
    joined = lines(plot_queue_length(cells(runs.assign(regime=told))))
    assert len(joined) == 2 * runs["workers"].nunique()
    for line in joined:
        assert len(set(line.x)) == len(line.x)


def test_cells_of_which_the_machine_takes_too_much_are_marked_and_told_once(tables):
    runs = tables.runs.query("section == '3.1' and workload == 'set'")
    most = runs["num_clients"].max()
    shares = np.where(runs["num_clients"] == most, 0.05, 0.01)
    figure = plot_throughput(cells(runs.assign(machine_share=shares)), series="workers")
    marks = [
        trace for trace in figure.data if trace.name == "machine takes over 2\N{NO-BREAK SPACE}%"
    ]
    assert len(marks) == runs["workers"].nunique()
    assert all(list(trace.x) == [most] for trace in marks)
    assert sum(trace.showlegend is not False for trace in marks) == 1
    calm = plot_throughput(cells(runs.assign(machine_share=0.01)), series="workers")
    assert not [trace for trace in calm.data if (trace.name or "").startswith("machine")]
