"""One look for all figures: the plotly template, and a fixed colour and marker for everything.

Colours are those of Okabe & Ito (2008), which people with any colour vision tell apart; markers
and dashes say the same again, for print in grey.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio

from records.settings import SETTINGS

TEMPLATE = "middleware_lab"
FONT = "DejaVu Sans, Liberation Sans, Arial, sans-serif"
BLACK, ORANGE, SKY_BLUE, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GRID, FRAME = "#E5E5E5", "#444444"


@dataclass(frozen=True, kw_only=True)
class Style:
    """How one series is drawn and named, in every figure alike."""

    name: str
    color: str
    symbol: str
    dash: str = "solid"
    pattern: str = ""


WORKLOADS = {
    "get": Style(name="read-only", color=BLUE, symbol="circle"),
    "set": Style(name="write-only", color=VERMILLION, symbol="square"),
}
WORKERS = {
    8: Style(name="8 workers", color=BLACK, symbol="circle"),
    16: Style(name="16 workers", color=BLUE, symbol="square"),
    32: Style(name="32 workers", color=GREEN, symbol="diamond"),
    64: Style(name="64 workers", color=VERMILLION, symbol="triangle-up"),
    96: Style(name="96 workers", color=ORANGE, symbol="star"),
    128: Style(name="128 workers", color=PURPLE, symbol="x"),
}
SIDES = {
    "client": Style(name="clients", color=BLUE, symbol="circle"),
    "middleware": Style(name="middleware", color=ORANGE, symbol="diamond", dash="dash"),
}
SHARDED = {
    True: Style(name="sharded", color=BLUE, symbol="circle"),
    False: Style(name="not sharded", color=VERMILLION, symbol="square", dash="dash", pattern="/"),
}
PERCENTILES = {
    25: Style(name="25 %", color=SKY_BLUE, symbol="triangle-down", dash="dot"),
    50: Style(name="50 %", color=BLUE, symbol="circle"),
    75: Style(name="75 %", color=GREEN, symbol="square", dash="dash"),
    90: Style(name="90 %", color=ORANGE, symbol="diamond", dash="dashdot"),
    95: Style(name="95 %", color=VERMILLION, symbol="triangle-up", dash="longdash"),
    99: Style(name="99 %", color=BLACK, symbol="x", dash="longdashdot"),
}
TIMES = {  # the parts of the middleware's response time, in the order in which they pass
    "preprocessing_time": Style(name="preprocessing", color=YELLOW, symbol="circle", pattern="."),
    "queueing_time": Style(name="queueing", color=VERMILLION, symbol="square", pattern="/"),
    "processing_time": Style(name="processing", color=GREEN, symbol="diamond", pattern="x"),
    "servers_net_time": Style(name="servers and network", color=SKY_BLUE, symbol="x"),
}
_KNOWN: dict[str, Mapping[Any, Style]] = {
    "workload": WORKLOADS,
    "workers": WORKERS,
    "side": SIDES,
    "percentile": PERCENTILES,
    "sharded": SHARDED,
}
_SPARE = (  # distinct in grey, too, by marker, dash and pattern
    (BLUE, "circle", "solid", ""),
    (VERMILLION, "square", "dash", "/"),
    (GREEN, "diamond", "dot", "x"),
    (ORANGE, "star", "dashdot", "."),
    (PURPLE, "hourglass", "longdash", "-"),
    (SKY_BLUE, "pentagon", "longdashdot", "+"),
    (BLACK, "cross", "solid", "|"),
)
_WORDS = {  # how a level of a factor is named where it has no style of its own
    **{name: setting.legend for name, setting in SETTINGS.items()},
    "num_clients": "{} clients",
    "repetition": "repetition {}",
}


def style_of(kind: str, level: object, position: int = 0) -> Style:
    """Style of one level of a factor: fixed for known levels, otherwise a spare one by position.

    Parameters
    ----------
    position
        Of the level among those of the figure.
    """
    known = _KNOWN.get(kind, {})
    if level in known:
        return known[level]
    color, symbol, dash, pattern = _SPARE[position % len(_SPARE)]
    words = _WORDS.get(kind, "{}").format(level)
    name = words.removesuffix("s") if words.startswith("1 ") else words
    return Style(name=name, color=color, symbol=symbol, dash=dash, pattern=pattern)


def new_figure(x_title: str, y_title: str) -> go.Figure:
    """Return an empty figure with the template and axis titles, units in brackets."""
    figure = go.Figure()
    return figure.update_layout(
        template=TEMPLATE, xaxis_title_text=x_title, yaxis_title_text=y_title
    )


def bar_marker(color: str, pattern: str) -> dict[str, object]:
    """Fill of a bar that is distinct in grey, too, by a light pattern over its colour."""
    over = {"shape": pattern, "fillmode": "overlay", "fgcolor": BLACK, "solidity": 0.2}
    return {"color": color, "line": {"color": BLACK, "width": 0.5}, "pattern": over}


def error_bars(cells: pd.DataFrame, column: str) -> dict[str, object]:
    """Error bars of the 95 % confidence interval; none where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": cells[f"{column}_ci_high"] - cells[f"{column}_mean"],
        "arrayminus": cells[f"{column}_mean"] - cells[f"{column}_ci_low"],
    }


def _template() -> go.layout.Template:
    axis = {
        "rangemode": "tozero",
        "showline": True,
        "linecolor": FRAME,
        "gridcolor": GRID,
        "zeroline": False,
        "ticks": "outside",
        "tickcolor": FRAME,
        "title_standoff": 10,
        "automargin": True,
        "exponentformat": "none",
        "separatethousands": True,
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 13, "color": "#111111"},
            "colorway": [BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY_BLUE, BLACK, YELLOW],
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "margin": {"l": 60, "r": 20, "t": 20, "b": 80},
            "xaxis": axis,
            "yaxis": axis,
            "separators": ".\N{NARROW NO-BREAK SPACE}",
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": -0.22,
                "yanchor": "top",
                "title_text": "",
            },
            "hovermode": "closest",
        },
        data={
            "scatter": [
                {"marker": {"size": 8}, "line": {"width": 1.5}, "error_y": {"thickness": 1.2}}
            ]
        },
    )


pio.templates[TEMPLATE] = _template()
