"""What throughput follows: measured elasticities beside the model's."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.theme import BLACK, BLUE, FRAME, ORANGE, Style, new_figure
from analysis.lab.sensitivity import COUNT, RATE, UNEXPLAINED
from analysis.text.numbers import fixed
from records.text.words import MISSING

_DECIMALS = 2
_ROW_PX, _FRAME_PX, _LEGEND_PX = 34, 100, 56  # the legend stands so far below the axis
_STYLES = {
    RATE: Style(name="rate", color=BLUE, symbol="circle"),
    COUNT: Style(name="count", color=ORANGE, symbol="square-open"),
    UNEXPLAINED: Style(name="unexplained", color=BLACK, symbol="diamond-open"),
}


def plot_sensitivity(table: pd.DataFrame) -> go.Figure:
    """Plot the elasticities of throughput with their 95 % intervals, and the model's as marks.

    Parameters
    ----------
    table
        From `analysis.lab.sensitivity.sensitivity_table`: the largest stands at the top, what the
        rates lack of 1 at the bottom.
    """
    figure = new_figure("Elasticity of throughput (% for each %)", "Parameter")
    figure.add_vline(0, line={"color": FRAME, "width": 1})
    kinds = table["kind"].where(table["parameter"] != UNEXPLAINED, UNEXPLAINED)
    for kind, style in _STYLES.items():
        rows = table[(kinds == kind) & table["measured"].notna()]
        if rows.empty:
            continue
        figure.add_scatter(
            x=rows["measured"],
            y=rows["parameter"],
            error_x={
                "type": "data",
                "symmetric": False,
                "array": rows["upper"] - rows["measured"],
                "arrayminus": rows["measured"] - rows["lower"],
                "color": style.color,
            },
            mode="markers",
            marker={"color": style.color, "symbol": style.symbol},
            name=style.name,
        )
    predicted = table.dropna(subset="model")
    if not predicted.empty:
        line = {"color": FRAME, "width": 1.5}
        figure.add_scatter(
            x=predicted["model"],
            y=predicted["parameter"],
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 14, "color": FRAME, "line": line},
            name="model",
        )
    figure.update_xaxes(rangemode="normal")
    figure.update_yaxes(
        categoryorder="array", categoryarray=list(table["parameter"])[::-1], rangemode="normal"
    )
    rows_px = _ROW_PX * len(table)
    return figure.update_layout(height=rows_px + _FRAME_PX, legend_y=-_LEGEND_PX / rows_px)


def shown_sensitivity(table: pd.DataFrame) -> pd.DataFrame:
    """Write elasticities for a reader: each with its interval as one text, `elasticity`.

    Parameters
    ----------
    table
        From `analysis.lab.sensitivity.sensitivity_table`.
    """
    bounds = zip(table["measured"], table["lower"], table["upper"], strict=True)
    return pd.DataFrame(
        {
            "parameter": table["parameter"],
            "kind": table["kind"],
            "elasticity": [_text(*one) for one in bounds],
            "model": table["model"],
            "repetitions": table["repetitions"].astype("int64"),
            "curved": table["curved"].astype(bool),
        }
    )


def _text(value: float, low: float, high: float) -> str:
    """Write an elasticity with its interval, as far as they are known."""
    if pd.isna(value):
        return MISSING
    if pd.isna(low):
        return fixed(value, _DECIMALS)
    return f"{fixed(value, _DECIMALS)} ({fixed(low, _DECIMALS)} to {fixed(high, _DECIMALS)})"
