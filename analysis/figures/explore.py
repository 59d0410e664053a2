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
    name, caption : str
        As for `present.figure`.
    controls : mapping
        Argument of `draw` to its levels, the first of which is shown to begin with, or to a widget
        with a value, such as a slider.
    """
    widgets = {key: _control(key, levels) for key, levels in controls.items()}
    first = present.figure(_drawn(draw, widgets), name, caption)
    if present.FIGURES in os.environ:
        first._ipython_display_()
        return
    display(ipywidgets.HBox(list(widgets.values()), layout={"flex_flow": "row wrap"}))  # type: ignore[no-untyped-call]
    shown = first.publish()

    def redraw(_: object) -> None:
        data, metadata = present.figure(_drawn(draw, widgets), name, caption).interactive()
        shown.update(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]

    for widget in widgets.values():
        widget.observe(redraw, names="value")


def _control(key: str, levels: Sequence[object] | ipywidgets.Widget) -> ipywidgets.Widget:
    if isinstance(levels, ipywidgets.Widget):
        return levels
    words = heading(key)
    return ipywidgets.Dropdown(options=list(levels), value=levels[0], description=words)


def _drawn(draw: Callable[..., go.Figure], widgets: Mapping[str, ipywidgets.Widget]) -> go.Figure:
    return draw(**{key: widget.value for key, widget in widgets.items()})
