import pytest

from analysis.figures.panels import panels, runs_of
from analysis.figures.theme import new_figure


def plot(names=("get", "set"), x="Clients", runs=None, **layout):
    figure = new_figure(x, "Throughput (op/s)")
    for name in names:
        figure.add_scatter(x=[1, 2], y=[3, 4], name=name, mode="lines")
    return figure.update_layout(meta={"runs": runs or {"a": 3}}, **layout)


def test_a_series_stands_in_the_legend_once_and_keeps_its_panel():
    figure = panels([[plot(), plot(("get", "other"))]], [["Left", "Right"]])
    told = [(t.name, t.showlegend, t.meta["panel"]) for t in figure.data]
    assert told == [
        ("get", True, "Left"),
        ("set", True, "Left"),
        ("get", False, "Right"),
        ("other", True, "Right"),
    ]
    assert [t.xaxis for t in figure.data] == ["x", "x", "x2", "x2"]


def test_axes_keep_titles_and_scales_and_rows_share_the_lowest():
    figure = panels([[plot(xaxis_type="log")], [plot()]], [["Above"], ["Below"]])
    assert (figure.layout.xaxis.type, figure.layout.xaxis2.type) == ("log", None)
    assert (figure.layout.xaxis.title.text, figure.layout.xaxis2.title.text) == ("", "Clients")
    other = panels([[plot(x="Keys")], [plot()]], [["Above"], ["Below"]])
    assert other.layout.xaxis.title.text == "Keys"
    assert other.layout.height > figure.layout.height


def test_shapes_move_to_their_panel():
    second = plot().add_hline(5)
    figure = panels([[plot(), second], [None, plot()]], [["", ""], ["", ""]])
    (line,) = figure.layout.shapes
    assert (line.xref, line.yref) == ("x2 domain", "y2")


@pytest.mark.parametrize("count", [2, 12])
def test_room_is_kept_for_the_legend(count):
    names = [f"a series of some length {n}" for n in range(count)]
    figure = panels([[plot(names)]], [[""]])
    lines = -(-count // 3)
    assert figure.layout.margin.b >= 56 + 20 * lines


def test_a_panel_that_shows_none_of_a_cell_takes_no_runs_from_another():
    row = [plot(runs={"a": 3}), plot(runs={"a": 0, "b": 2})]
    assert runs_of(panels([row], [["A", "B"]])) == {"a": 3, "b": 2}
