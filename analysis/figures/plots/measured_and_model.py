"""Models against measurements: over the load, and over each other."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.plots.series import (
    CLIENTS_TITLE,
    add_measured,
    clients_axis,
    count_runs,
    each_series,
    time_axis,
)
from analysis.figures.theme import (
    FRAME,
    GRID,
    error_bars,
    new_figure,
    style_of,
)
from analysis.text.numbers import percent

AT_CLIENTS = {
    "client_throughput_ops_per_s": "Throughput (op/s)",
    "client_response_time_ms": "Response time (ms)",
}
_DASHES = ("solid", "dash", "dot", "dashdot")


def plot_prediction(
    cells: pd.DataFrame,
    predictions: pd.DataFrame,
    *,
    column: str,
    title: str,
    series: str = "workload",
) -> go.Figure:
    """Plot measured means with 95 % CIs as markers and each model's prediction as a line.

    The axis of clients is logarithmic, and so is that of a time.

    Parameters
    ----------
    predictions
        Columns `model`, `series`, `num_clients` and `column`, one row per load.
    """
    figure = new_figure(CLIENTS_TITLE, title)
    models = dict(zip(predictions["model"].unique(), _DASHES, strict=False))
    if len(models) < predictions["model"].nunique():
        raise ValueError(f"at most {len(_DASHES)} models, got {predictions['model'].nunique()}")
    for style, rows in each_series(cells, series):
        add_measured(figure, style, rows, column)
        level = rows[series].iloc[0]
        own = predictions[predictions[series] == level]
        for model, dash in models.items():
            line = own[own["model"] == model].sort_values("num_clients")
            figure.add_scatter(
                x=line["num_clients"],
                y=line[column],
                mode="lines",
                line={"color": style.color, "dash": dash},
                name=f"{style.name}, {model}",
                showlegend=False,
            )
    for model, dash in models.items():
        figure.add_scatter(
            x=[None], y=[None], mode="lines", line={"color": FRAME, "dash": dash}, name=model
        )
    if column.endswith("_ms"):
        time_axis(figure)
    if f"{column}_repetitions" in cells:
        count_runs(figure, cells, column)
    return clients_axis(figure, cells)


def plot_predicted_against_measured(
    compared: pd.DataFrame,
    *,
    column: str,
    title: str,
    series: str = "model",
    levels: Sequence[object] = (),
    within: float = 0.1,
) -> go.Figure:
    """Plot predictions over what was measured: on the diagonal a prediction is right.

    Intervals that reach beyond all measured and predicted values are cut. Where there is nothing
    to compare the figure says so.

    Parameters
    ----------
    compared
        One row per configuration and model: `<column>_predicted`, the measured `<column>_mean`,
        `<column>_ci_low` and `<column>_ci_high`, and `series`; the interval of a simulated
        prediction as `predicted_ci_low` and `predicted_ci_high`.
    column
        Measure, such as ``throughput_ops_per_s``.
    title
        What is measured, with the unit, such as ``throughput (op/s)``.
    levels
        All that it may have, so that each looks the same in plots that lack some.
    within
        Relative error that the shaded band allows.
    """
    figure = new_figure(f"Measured {title}", f"Predicted {title}")
    values = compared[[f"{column}_predicted", f"{column}_mean"]]
    end = float(values.to_numpy().max()) * 1.05 if len(values) else 1.0
    figure.add_scatter(
        x=[0, end, end],
        y=[0, end * (1 + within), end * (1 - within)],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=GRID,
        hoverinfo="skip",
        name=f"within {percent(within)}",
    )
    figure.add_scatter(
        x=[0, end], y=[0, end], mode="lines", line={"color": FRAME, "dash": "dash"}, name="equal"
    )
    order = list(levels) or sorted(compared[series].unique())
    for level, rows in compared.groupby(series):
        style = style_of(series, level, order.index(level))
        figure.add_scatter(
            x=rows[f"{column}_mean"],
            y=rows[f"{column}_predicted"],
            error_x=error_bars(rows, column),
            error_y=_of_prediction(rows),
            mode="markers",
            marker={"color": style.color, "symbol": style.symbol},
            name=style.name,
        )
    if compared.empty:
        told = {"x": [end / 2], "y": [end / 5], "text": ["no cell to compare"], "mode": "text"}
        figure.add_scatter(**told, showlegend=False, hoverinfo="skip")
    return figure.update_xaxes(range=[0, end])


def _of_prediction(rows: pd.DataFrame) -> dict[str, object] | None:
    """Bars of the intervals that simulated predictions have; none where nothing was simulated."""
    if "predicted_ci_low" not in rows or rows["predicted_ci_low"].isna().all():
        return None
    return {
        "type": "data",
        "symmetric": False,
        "array": rows["predicted_ci_high"] - rows["predicted"],
        "arrayminus": rows["predicted"] - rows["predicted_ci_low"],
    }
