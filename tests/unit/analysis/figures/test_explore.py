import ipywidgets
import plotly.graph_objects as go
import pytest

from analysis.figures import explore as exploring
from analysis.figures.explore import explore
from analysis.figures.present import DRAWN, FIGURES


class Screen:
    """What was displayed, and what took its place."""

    def __init__(self, monkeypatch):
        self.boxes, self.figures = [], []
        monkeypatch.setattr(exploring, "display", self.boxes.append)
        monkeypatch.setattr(exploring, "clear_output", lambda wait: self.figures.append("cleared"))
        screen = self
        monkeypatch.setattr(
            exploring.present.ShownFigure,
            "show_live",
            lambda shown: screen.figures.append(list(shown.figure.data[0].y)),
        )


def draw(factor, level):
    return go.Figure(go.Scatter(x=[1], y=[factor * level]))


@pytest.fixture(autouse=True)
def no_drawing(monkeypatch):
    monkeypatch.setattr(exploring.present, "draw_svg", lambda *_: "<svg/>")


def test_moving_a_control_draws_the_figure_anew(monkeypatch):
    monkeypatch.delenv(FIGURES, raising=False)
    screen = Screen(monkeypatch)
    slider = ipywidgets.IntSlider(value=5, min=0, max=10)
    controls = {"factor": [2, 3], "level": slider}
    explore(draw, name="07-what-if", caption="What if.", controls=controls)
    (box,) = screen.boxes
    controls, _ = box.children
    choice, own = controls.children
    assert (choice.description, own) == ("Factor", slider)
    assert not slider.continuous_update
    choice.value = 3
    slider.value = 7
    assert screen.figures == ["cleared", [10], "cleared", [15], "cleared", [21]]


def test_without_a_reader_only_the_first_figure_is_shown(monkeypatch):
    monkeypatch.setenv(FIGURES, DRAWN)
    shown = []
    monkeypatch.setattr(
        exploring.present.ShownFigure, "_ipython_display_", lambda self: shown.append(self.figure)
    )
    monkeypatch.setattr(exploring, "display", lambda _: pytest.fail("a control without a reader"))
    explore(draw, name="07-what-if", caption="What if.", controls={"factor": [2], "level": [4]})
    assert shown[0].data[0].y == (8,)
