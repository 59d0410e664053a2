"""Models against measurements: over the load, over each other, and under open arrivals."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.series import (
    CLIENTS_TITLE,
    add_measured,
    clients_axis,
    count_runs,
    each_series,
    time_axis,
)
from analysis.figures.theme import (
    BLACK,
    BLUE,
    FRAME,
    GREEN,
    GRID,
    PURPLE,
    VERMILLION,
    Style,
    error_bars,
    new_figure,
    style_of,
)
from analysis.sections.open_loop import RESPONSE_TIME, ServiceCenter, compare_open, open_curves
from analysis.statistics.intervals import aggregate
from analysis.text.numbers import percent

AT_CLIENTS = {
    "client_throughput_ops_per_s": "Throughput (op/s)",
    "client_response_time_ms": "Response time (ms)",
}
_DASHES = ("solid", "dash", "dot", "dashdot")
_MEASURED = Style(name="measured", color=BLACK, symbol="circle")
_OPEN_MODELS = {  # by the beginning of a model's name, the longer ones first
    "M/D/1, token bucket": Style(name="token bucket", color=PURPLE, symbol="x", dash="dashdot"),
    "M/M/": Style(name="M/M/m", color=BLUE, symbol="x"),
    "M/D/": Style(name="M/D/m", color=VERMILLION, symbol="x", dash="dash"),
    "M/G/": Style(name="M/G/m", color=GREEN, symbol="x", dash="dot"),
}
_LEVELS = ("section", "workload", "num_clients", "num_middlewares", "workers", "arrival_rate_per_s")
_ROOM = 1.6  # above and below what a logarithmic axis shows


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
    if column.endswith("_ms"):
        time_axis(figure)
    if f"{column}_repetitions" in cells:
        count_runs(figure, cells, column)
    return clients_axis(figure, cells)


def plot_by_workload(
    cells: pd.DataFrame, predictions: pd.DataFrame, measures: Mapping[str, str] = AT_CLIENTS
) -> go.Figure:
    """Plot models of sets and of gets as panels, `plot_prediction` of each number of workers.

    Parameters
    ----------
    cells, predictions
        As for `plot_prediction`, with columns `workload` and `workers`.
    measures
        Column to the title of its axis. Of several, each workload has a row; of one, all have one
        row.
    """
    plots = [
        [
            plot_prediction(
                cells[cells["workload"] == workload],
                predictions[predictions["workload"] == workload],
                column=column,
                title=title,
                series="workers",
            )
            for column, title in measures.items()
        ]
        for workload in ("set", "get")
    ]
    names = [title.partition(" (")[0].lower() for title in measures.values()]
    titles = [[f"{kind}: {name}" for name in names] for kind in ("Sets", "Gets")]
    if len(names) == 1:
        plots, titles = [[plot for (plot,) in plots]], [["Sets", "Gets"]]
    return panels(plots, titles)


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
    series
        Column that tells the points apart.
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


def plot_open_stations(centers: Mapping[str, ServiceCenter]) -> go.Figure:
    """Plot response times under Poisson arrivals over the utilization, with models as lines.

    One panel per station. The axis of times is logarithmic; intervals are cut where they reach far
    beyond all means.

    Parameters
    ----------
    centers
        Name to station.
    """
    plots = [_open_station(center) for center in centers.values()]
    return panels([plots], [[name.capitalize() for name in centers]])


def _open_station(center: ServiceCenter) -> go.Figure:
    figure = new_figure("Utilization", "Response time (ms)")
    figure.update_xaxes(range=[0, 1], tickformat=".1f")
    if center.runs.empty:
        return figure
    curves = open_curves(center)
    points = compare_open(center).drop_duplicates("arrival_rate_per_s")
    shown = pd.concat([points["measured"], curves["response_time_ms"]]).astype(float)
    low, high = shown.min() / _ROOM, shown.max() * _ROOM
    figure.add_scatter(
        x=points["utilization"],
        y=points["measured"],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": points["ci_high"].clip(upper=high) - points["measured"],
            "arrayminus": points["measured"] - points["ci_low"].clip(lower=low),
        },
        mode="markers",
        marker={"color": _MEASURED.color, "symbol": "circle-open", "line": {"width": 1.3}},
        name=_MEASURED.name,
    )
    for model, curve in curves.groupby("model", sort=False):
        style = next(s for start, s in _OPEN_MODELS.items() if str(model).startswith(start))
        figure.add_scatter(
            x=curve["utilization"],
            y=curve["response_time_ms"],
            mode="lines",
            line={"color": style.color, "dash": style.dash},
            name=style.name,
        )
    known = center.runs.dropna(axis="columns", how="all")
    levels = [name for name in _LEVELS if name in known]
    return count_runs(time_axis(figure), aggregate(known, levels, [RESPONSE_TIME]), RESPONSE_TIME)
