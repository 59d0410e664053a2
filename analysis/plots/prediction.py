"""Models against measurements over the number of clients."""

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.series import CLIENTS_TITLE, add_measured, each_series
from analysis.theme import FRAME, new_figure

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
        From `analysis.summary.cells`.
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
    return figure
