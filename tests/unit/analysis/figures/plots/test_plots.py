import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio
import pytest

from analysis.figures.plots import (
    plot_closer,
    plot_percentiles,
    plot_queue_length,
    plot_response_time,
    plot_throughput,
    plot_waiting_workers,
)
from analysis.figures.plots.closer import plot_breakdown
from analysis.figures.plots.series import time_axis
from analysis.figures.theme import TEMPLATE, TIMES, WORKERS, WORKLOADS
from analysis.laws.summary import cells
from analysis.results.histograms import percentiles_by


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


def test_response_time_is_bounded_below_on_a_logarithmic_axis(baseline, bounds):
    figure = plot_response_time(baseline, bounds)
    assert titles(figure) == ("Number of clients", "Response time (ms)")
    assert figure.layout.yaxis.type == figure.layout.xaxis.type == "log"
    write = lines(figure)[1]
    assert min(write.y) == 2
    assert write.y[-1] == pytest.approx(write.x[-1] / 5000 * 1000)


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


def test_one_repetition_has_no_error_bars(tables):
    once = cells(tables.runs.query("section == '2.1' and repetition == 1"))
    trace = measured(plot_throughput(once), "read-only")
    assert np.isnan(trace.error_y.array).all()


def test_series_keep_their_colour_and_marker_in_every_figure(baseline, sets):
    for figure in (plot_throughput(baseline), plot_response_time(baseline)):
        trace = measured(figure, "write-only")
        assert trace.marker.color == WORKLOADS["set"].color
        assert trace.marker.symbol == f"{WORKLOADS['set'].symbol}-open"
    for plot in (plot_queue_length, plot_waiting_workers):
        assert measured(plot(sets), "64 workers").marker.color == WORKERS[64].color


def test_markers_of_a_series_show_around_those_of_the_next(sets):
    first, second = (measured(plot_queue_length(sets), f"{n} workers").marker for n in (8, 64))
    assert first.size > second.size
    assert first.symbol.endswith("-open")


@pytest.mark.parametrize("styles", [WORKLOADS, WORKERS, TIMES])
def test_series_of_one_figure_differ_in_colour_and_marker(styles):
    assert len({style.color for style in styles.values()}) == len(styles)
    assert len({style.symbol for style in styles.values()}) == len(styles)


def test_percentiles_rise_in_order(tables):
    chosen = tables.histograms.query("section == '2.1' and workload == 'set'")
    figure = plot_percentiles(percentiles_by(chosen, ["num_clients"]))
    assert titles(figure) == ("Number of clients", "Response time (ms)")
    assert [trace.name for trace in figure.data] == ["25 %", "50 %", "75 %", "90 %", "95 %", "99 %"]
    heights = np.array([trace.y for trace in figure.data])
    assert (np.diff(heights, axis=0) >= 0).all()


def test_breakdown_stacks_up_to_the_response_time(sets):
    figure = plot_breakdown(sets.query("workers == 8"))
    assert titles(figure) == ("Number of clients", "Time (ms)")
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert len(bars) == len(TIMES)
    response = figure.data[-1]
    assert np.sum([bar.y for bar in bars], axis=0) == pytest.approx(response.y, rel=0.01)
    assert figure.layout.barmode == "stack"


def test_breakdown_by_workers_has_a_bar_for_each_number(sets):
    figure = plot_breakdown(sets.query("num_clients == 192"), "workers")
    assert titles(figure) == ("Number of workers", "Time (ms)")
    assert all(list(trace.x) == ["8", "64"] for trace in figure.data)


def test_one_system_from_near_is_shown_by_clients_by_workers_and_by_time(tables, sets):
    figure = plot_closer(sets, tables.histograms, workload="set", workers=8, clients=192)
    axes = [figure.layout[name].title.text for name in ("xaxis", "xaxis2", "xaxis3")]
    assert axes == ["Number of clients", "Number of workers", "Response time (ms)"]


def test_queue_length_follows_littles_law(sets):
    figure = plot_queue_length(sets)
    assert titles(figure) == ("Number of clients", "Queue length (jobs)")
    for line in lines(figure):
        assert line.y == pytest.approx(measured(figure, line.name).y, abs=0.1)


def test_waiting_workers(sets):
    figure = plot_waiting_workers(sets)
    assert titles(figure) == ("Number of clients", "Idle workers")
    assert [trace.name for trace in figure.data] == ["8 workers", "64 workers"]


def test_template_is_registered_and_starts_at_zero(baseline):
    assert TEMPLATE in pio.templates
    layout = pio.templates[TEMPLATE].layout
    assert layout.yaxis.rangemode == "tozero"
    assert plot_throughput(baseline).layout.template.layout.font.family == layout.font.family


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
