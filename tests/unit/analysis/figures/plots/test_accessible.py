"""Every figure can be read in grey print and by people with any colour vision, and has units."""

import re

import pytest

from analysis.figures import theme
from analysis.figures.panels import runs_of
from tests.unit.analysis.figures.plots.gallery import HOSTS, MODULES, RATES, gallery

pytestmark = pytest.mark.slow

OKABE_ITO = {
    theme.BLACK, theme.ORANGE, theme.SKY_BLUE, theme.GREEN,
    theme.YELLOW, theme.BLUE, theme.VERMILLION, theme.PURPLE,
}  # fmt: skip
GREYS = {theme.GRID, theme.FRAME, "white", "#ffffff"}
DRAWINGS = {"plot_system", "plot_request_life", "plot_threads"}
BELOW_ZERO = {"plot_effects", "plot_request_shares", "plot_residuals"}  # what they show has a sign
NAMES_ON_Y = {"plot_bandwidths", "plot_round_trip_times", "plot_slowest_requests"}
WITHOUT_UNIT = re.compile(
    r"Number of clients|Server|Effect|To|From|Sender → receiver|Keys of a multi-get|"
    r"Idle workers|Quantile of the normal distribution|Number of \w+|Workers|Copies of a key|"
    r"Share of requests|Request"
)


@pytest.fixture(scope="module")
def figures(synthetic, tmp_path_factory):
    tables = synthetic("0", "2.1", "3.1")
    return gallery(tmp_path_factory.mktemp("gallery"), tables)


def test_gallery_shows_every_plot(figures):
    offered = {name for module in MODULES for name in vars(module) if name.startswith("plot_")}
    assert set(figures) == offered


def axes(figure, letter):
    return [
        axis
        for name, axis in figure.to_dict()["layout"].items()
        if name.startswith(f"{letter}axis")
    ]


def charts(figures):
    return {name: figure for name, figure in figures.items() if name not in DRAWINGS}


def test_axes_have_titles_with_units(figures):
    for name, figure in charts(figures).items():
        titles = [
            axis.get("title", {}).get("text") for letter in "xy" for axis in axes(figure, letter)
        ]
        for title in filter(None, titles):
            assert re.search(r"\(.+\)$", title) or WITHOUT_UNIT.fullmatch(title), (name, title)
        for letter in "xy":
            shown = [axis for axis in axes(figure, letter) if not axis.get("matches")]
            assert any(axis.get("title", {}).get("text") for axis in shown), (name, letter)


def test_y_begins_at_zero_unless_it_has_a_sign(figures):
    for name, figure in charts(figures).items():
        if name in BELOW_ZERO | NAMES_ON_Y:
            continue
        for axis in axes(figure, "y"):
            assert axis.get("rangemode", "tozero") == "tozero", name
        assert figure.layout.template.layout.yaxis.rangemode == "tozero", name


def colours(trace):
    found = [trace.marker.color, trace.marker.line.color]
    found += [trace.line.color] if trace.type == "scatter" else []
    flat = []
    for colour in found:
        flat += (
            list(colour)
            if isinstance(colour, list | tuple) or hasattr(colour, "tolist")
            else [colour]
        )
    return {colour for colour in flat if isinstance(colour, str)}


def test_colours_are_those_that_everybody_tells_apart(figures):
    for name, figure in figures.items():
        for trace in figure.data:
            assert colours(trace) <= OKABE_ITO | GREYS, name


def in_grey(trace):
    """What is left of a trace's look without colour."""
    if trace.type == "bar":
        return trace.marker.pattern.shape or "plain"
    symbol = trace.marker.symbol if "markers" in trace.mode else None
    dash = trace.line.dash or "solid" if "lines" in trace.mode else None
    return symbol, dash


def test_series_differ_in_more_than_colour(figures):
    for name, figure in figures.items():
        named = [t for t in figure.data if t.name and t.showlegend is not False]
        looks = {}
        for trace in named:
            if trace.type == "bar" and trace.xaxis not in (None, "x"):
                continue  # in a panel of its own
            other = looks.setdefault((trace.type, in_grey(trace)), trace.name)
            assert other == trace.name, (name, trace.name, other)


def test_figures_count_their_runs(figures):
    for name in ("plot_throughput", "plot_response_time", "plot_queue_length", "plot_breakdown"):
        assert sum(runs_of(figures[name]).values()) > 0, name
    assert sum(runs_of(figures["plot_throughput"]).values()) == 8  # 2 workloads, 2 loads, twice
    assert sum(runs_of(figures["plot_trace"]).values()) == 1


def test_modes_are_told_apart_by_the_share_of_requests_answered(figures):
    figure = figures["plot_spread"]
    assert {trace.name for trace in figure.data} == {"sharded", "not sharded"}
    assert all(list(trace.y) == sorted(trace.y) and trace.y[-1] < 1 for trace in figure.data)


def test_percentiles_by_keys_have_the_axes_of_both_modes(figures):
    figure = figures["plot_percentiles_by_keys"]
    assert [trace.name for trace in figure.data] == [f"{p} %" for p in (25, 50, 75, 90, 95, 99)]
    assert all(list(trace.x) == [1, 3, 6, 9] for trace in figure.data)
    slowest = 10 ** figure.layout.yaxis.range[1]
    assert slowest > 99 / 50 + 9 * 0.3  # of the mode that is not shown


def test_shares_add_up_beside_the_even_share(figures):
    figure = figures["plot_request_shares"]
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [trace.name for trace in bars] == ["R = 1", "R = 2"]
    assert all(sum(trace.y) == pytest.approx(100) for trace in bars)
    assert 100 / 3 in [pytest.approx(shape.y0) for shape in figure.layout.shapes]


def test_trace_marks_events(figures):
    figure = figures["plot_trace"]
    assert "s1 paused" in [note.text for note in figure.layout.annotations]


def test_system_shows_every_host_and_connection(figures):
    figure = figures["plot_system"]
    texts = " ".join(note.text for note in figure.layout.annotations)
    assert all(f"<b>{host}</b>" in texts for names in HOSTS.values() for host in names)
    assert f"sends {RATES['m1']} Mbit/s" in texts
    lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert len(lines) == 3 * 2 + 2 * 3


def test_request_life_has_all_stamps(figures):
    texts = [note.text for note in figures["plot_request_life"].layout.annotations]
    assert [f"<b>t<sub>{n}</sub></b>" in texts for n in range(6)] == [True] * 6
    assert "service time" in texts
