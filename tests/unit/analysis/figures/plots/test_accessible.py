"""Every figure of the notebooks can be read in grey print and in any colour vision, with units."""

import re

import pytest

from analysis.figures import theme
from tests.helpers.shown_figures import shown_figures

OKABE_ITO = {
    theme.BLACK, theme.ORANGE, theme.SKY_BLUE, theme.GREEN,
    theme.YELLOW, theme.BLUE, theme.VERMILLION, theme.PURPLE,
}  # fmt: skip
GREYS = {theme.GRID, theme.FRAME, "white", "#ffffff"}
WITHOUT_UNIT = re.compile(
    r"Number of clients|Server|Effect|To|From|Sender → receiver|Keys of a multi-get|"
    r"Idle workers|Quantile of the normal distribution|Number of \w+|Workers|Copies of a key|"
    r"Share of requests|Request|Utilization|Parameter|Workers of .+|Sets at the servers, at most|"
    r"X, ours / theirs|Jobs in the queue"
)
SIGNED = r"Effect|Change|Residual|Difference|From|Sender|Parameter"
FIGURES = shown_figures()
COLOUR_ALONE = "07-6-explore"  # its lines "as it is" and "changed" are both solid
every = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)


def axes(figure, letter):
    return [
        axis
        for name, axis in figure.to_dict()["layout"].items()
        if name.startswith(f"{letter}axis")
    ]


@every
def test_axes_have_titles_with_units(figure):
    for letter in "xy":
        titles = [axis.get("title", {}).get("text") for axis in axes(figure, letter)]
        assert any(titles) or not figure.data
        for title in filter(None, titles):
            assert re.search(r"\(.+\)$", title) or WITHOUT_UNIT.fullmatch(title), title


@every
def test_y_begins_at_zero_unless_it_has_a_sign(figure):
    assert figure.layout.template.layout.yaxis.rangemode == "tozero"
    for axis in axes(figure, "y"):
        has_sign = re.match(SIGNED, axis.get("title", {}).get("text") or "")
        assert axis.get("rangemode", "tozero") == "tozero" or has_sign, axis


def colours(trace):
    found = [trace.marker.color, trace.marker.line.color]
    found += [trace.line.color] if trace.type == "scatter" else []
    flat = []
    for colour in found:
        is_list = isinstance(colour, list | tuple) or hasattr(colour, "tolist")
        flat += list(colour) if is_list else [colour]
    return {colour for colour in flat if isinstance(colour, str)}


@every
def test_colours_are_those_that_everybody_tells_apart(figure):
    for trace in figure.data:
        assert colours(trace) <= OKABE_ITO | GREYS, trace.name


def in_grey(trace):
    """What is left of a trace's look without colour."""
    if trace.type == "bar":
        return trace.marker.pattern.shape or "plain"
    symbol = trace.marker.symbol if "markers" in trace.mode else None
    dash = trace.line.dash or "solid" if "lines" in trace.mode else None
    return symbol, dash


@pytest.mark.parametrize("name", [name for name in FIGURES if name != COLOUR_ALONE])
def test_series_differ_in_more_than_colour(name):
    looks = {}
    for trace in FIGURES[name].data:
        if not trace.name or trace.showlegend is False or trace.type == "heatmap":
            continue
        look = (trace.xaxis or "x", trace.type, in_grey(trace))
        other = looks.setdefault(look, trace.name)
        assert other == trace.name, (trace.name, other)
