"""Models against measurements over the number of clients."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.plots.series import CLIENTS_TITLE, add_measured, count_runs, each_series
from analysis.figures.theme import FRAME, GRID, error_bars, new_figure, style_of
from analysis.text.numbers import percent

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

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`.
    predictions
        Columns `model`, `series`, `num_clients` and `column`, one row per load.
    column
        Measure, without ``_mean``.
    title
        Of its axis, with the unit.
    series
        Column that tells the series apart.
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
    if f"{column}_repetitions" in cells:
        count_runs(figure, cells, column)
    return figure


def plot_predicted_against_measured(
    compared: pd.DataFrame, *, column: str, title: str, series: str = "model", within: float = 0.1
) -> go.Figure:
    """Plot predictions over what was measured: on the diagonal a prediction is right.

    Intervals that reach beyond all measured and predicted values are cut.

    Parameters
    ----------
    compared
        One row per configuration and model: `<column>_predicted`, the measured `<column>_mean`,
        `<column>_ci_low` and `<column>_ci_high`, and `series`.
    column
        Measure, such as ``throughput_ops_per_s``.
    title
        What is measured, with the unit, such as ``throughput (op/s)``.
    series
        Column that tells the points apart.
    within
        Relative error that the shaded band allows.
    """
    figure = new_figure(f"Measured {title}", f"Predicted {title}")
    values = compared[[f"{column}_predicted", f"{column}_mean"]]
    end = float(values.to_numpy().max()) * 1.05
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
    for position, (level, rows) in enumerate(compared.groupby(series)):
        style = style_of(series, level, position)
        figure.add_scatter(
            x=rows[f"{column}_mean"],
            y=rows[f"{column}_predicted"],
            error_x=error_bars(rows, column),
            mode="markers",
            marker={"color": style.color, "symbol": style.symbol},
            name=style.name,
        )
    return figure.update_xaxes(range=[0, end])
