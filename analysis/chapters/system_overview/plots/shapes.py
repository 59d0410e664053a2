"""What drawings are made of, in figures without axes."""

import plotly.graph_objects as go

from analysis.figures.theme import TEMPLATE


def write(figure: go.Figure, x: float, y: float, text: str, size: float = 12) -> None:
    """Write text about a place."""
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, font={"size": size})


def bare(
    figure: go.Figure, x: tuple[float, float], y: tuple[float, float], height: int
) -> go.Figure:
    """Leave out axes: this is a drawing."""
    figure.update_xaxes(visible=False, range=x).update_yaxes(visible=False, range=y)
    margin = {"l": 5, "r": 5, "t": 5, "b": 5}
    return figure.update_layout(template=TEMPLATE, height=height, margin=margin)
