import ipywidgets
import plotly.graph_objects as go
import pytest

from analysis.figures import explore as exploring
from analysis.figures.explore import explore
from analysis.figures.present import DRAWN, FIGURES, PLOTLY_MIME


def draw(factor, level):
    return go.Figure(go.Scatter(x=[1], y=[factor * level]))


@pytest.fixture(autouse=True)
def no_drawing(monkeypatch):
    monkeypatch.setattr(exploring.present, "draw_svg", lambda *_: "<svg/>")


def test_moving_a_control_draws_the_figure_anew(monkeypatch):
    monkeypatch.delenv(FIGURES, raising=False)
    boxes = []
    monkeypatch.setattr(exploring, "display", boxes.append)
    slider = ipywidgets.IntSlider(value=5, min=0, max=10)
    controls = {"factor": [2, 3], "level": slider}
    explore(draw, name="07-what-if", caption="What if.", controls=controls)
    (box,) = boxes
    controls, screen = box.children

    def levels():
        figure, caption = screen.outputs
        assert caption["data"]["text/plain"] == "What if."
        return figure["data"][PLOTLY_MIME]["data"][0]["y"]

    choice, own = controls.children
    assert (choice.description, own) == ("Factor", slider)
    assert not slider.continuous_update
    assert levels() == [10]
    choice.value = 3
    assert levels() == [15]
    slider.value = 7
    assert levels() == [21]


def test_without_a_reader_only_the_first_figure_is_shown(monkeypatch):
    monkeypatch.setenv(FIGURES, DRAWN)
    shown = []
    monkeypatch.setattr(
        exploring.present.ShownFigure, "_ipython_display_", lambda self: shown.append(self.figure)
    )
    monkeypatch.setattr(exploring, "display", lambda _: pytest.fail("a control without a reader"))
    explore(draw, name="07-what-if", caption="What if.", controls={"factor": [2], "level": [4]})
    assert shown[0].data[0].y == (8,)
