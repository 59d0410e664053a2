"""A figure with controls: what a reader wants to see is chosen, not drawn for every case.

Where the notebook is executed without a reader (`present.FIGURES`), and in the report,
stands the figure of the first choices.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

import ipywidgets
import plotly.graph_objects as go
from IPython.display import display

from analysis.figures import present
from analysis.text.formatting import heading


def explore(
    draw: Callable[..., go.Figure],
    *,
    name: str,
    caption: str,
    controls: Mapping[str, Sequence[object] | ipywidgets.Widget],
) -> None:
    """Show a figure that is drawn anew when a control is moved.

    Parameters
    ----------
    draw : callable
        Takes the controls' values by name and returns the figure.
    controls : mapping
        Argument of `draw` to its levels, the first of which is shown to begin with, or to a widget
        with a value, such as a slider.
    """
    widgets = {key: _control(key, levels) for key, levels in controls.items()}
    if present.FIGURES in os.environ:
        present.figure(_drawn(draw, widgets), name, caption)._ipython_display_()
        return
    screen = ipywidgets.Output()

    def redraw(_: object) -> None:
        # As a whole: papermill, at times, waits for ever for what is displayed inside the widget.
        screen.outputs = present.figure(_drawn(draw, widgets), name, caption).live_outputs()

    row = ipywidgets.HBox(list(widgets.values()), layout={"flex_flow": "row wrap"})
    display(ipywidgets.VBox([row, screen]))  # type: ignore[no-untyped-call]
    redraw(None)
    for widget in widgets.values():
        widget.observe(redraw, names="value")


def _control(key: str, levels: Sequence[object] | ipywidgets.Widget) -> ipywidgets.Widget:
    if isinstance(levels, ipywidgets.Widget):
        if hasattr(levels, "continuous_update"):
            levels.continuous_update = False  # one figure for a move, not one for each step of it
        return levels
    words = heading(key)
    return ipywidgets.Dropdown(options=list(levels), value=levels[0], description=words)


def _drawn(draw: Callable[..., go.Figure], widgets: Mapping[str, ipywidgets.Widget]) -> go.Figure:
    return draw(**{key: widget.value for key, widget in widgets.items()})
