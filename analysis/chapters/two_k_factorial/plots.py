"""The 2^k r analysis in figures: effects, interactions, residuals of all responses."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.series import add_model_legend
from analysis.figures.theme import BLUE, FRAME, GRID, WORKLOADS, new_figure, style_of
from analysis.statistics.factorial import MEAN, FactorialResult
from analysis.statistics.factorial.carriers import carriers, without_cell
from analysis.statistics.factorial.designs import Key
from analysis.text.formatting import heading

BOUND = "bound"
_ROW_PX, _TITLE_PX = 90, 12  # of the axes of a row of panels, and of their titles' font
Results = Mapping[Key, FactorialResult]
Designs = Mapping[str, tuple[Results, Results]]
_DOTTED = {"color": FRAME, "width": 1, "dash": "dot"}
_DASHES = {"workers": "longdash"}  # tells its lines from another factor's in grey print, too


def plot_effects(designs: Designs, units: Mapping[str, str], *, model: str) -> go.Figure:
    """Plot the effects of every response with their confidence intervals.

    An effect whose interval holds 0 is grey. Crosses are the effects without the cell that carries
    most of the interactions (`analysis.statistics.factorial.carriers`).

    Parameters
    ----------
    designs
        Model to what `analysis.statistics.factorial.designs.analyse_designs` finds in what was
        measured, and in what theory predicts.
    model
        Which of them.
    units
        Of each response; effects of a multiplicative model are of its logarithm.

    Returns
    -------
    plotly Figure
        Panels of shape (workloads, responses).
    """
    results, expected = designs[model]
    rows = _rows(results)
    return _low_panels(
        [
            [_effects(workload, response, results, expected, units) for response in units]
            for workload in rows
        ],
        [[f"{workload.capitalize()}s: {response}" for response in units] for workload in rows],
    )


def plot_interactions(
    runs: pd.DataFrame, expected: pd.DataFrame, factors: Sequence[str], *, response: str
) -> go.Figure:
    """Plot the mean response over one factor for both levels of another, for every pair.

    Lines that are not parallel show an interaction.

    Parameters
    ----------
    runs, expected
        Columns `workload`, `factors` and `response`: what was measured, and what theory predicts.
    factors
        At least 2, in the order of their letters.
    response
        Column, named with its unit.

    Returns
    -------
    plotly Figure
        Panels of shape (workloads, pairs).
    """
    pairs = list(combinations(zip("ABCDE", factors, strict=False), 2))
    if not pairs:
        raise ValueError(f"at least 2 factors are needed, got {list(factors)}")
    workloads = sorted(runs["workload"].unique(), reverse=True)
    rows = [
        [
            _interaction(workload, (over, by), runs, expected, response)
            for (_, over), (_, by) in pairs
        ]
        for workload in workloads
    ]
    for row in rows:
        top = max(max(trace.y) for plot in row for trace in plot.data)
        for plot in row:
            plot.update_yaxes(range=[0, 1.08 * top])
        for plot in row[1:]:
            plot.update_yaxes(title_text="")
    add_model_legend(rows[-1][-1], BOUND)
    names = [f"{a} \N{MULTIPLICATION SIGN} {b}" for (a, _), (b, _) in pairs]
    titles = [[f"{workload.capitalize()}s: {name}" for name in names] for workload in workloads]
    return _low_panels(rows, titles)


def plot_residuals(
    designs: Designs, units: Mapping[str, str], *, response: str, model: str
) -> go.Figure:
    """Plot residuals against prediction, and their quantiles against those of a normal law.

    A spread that grows with the prediction speaks for the multiplicative model; points off the
    line against normal errors, on which the confidence intervals rest.

    Parameters
    ----------
    designs, units
        As for `plot_effects`, with repetitions.
    response, model
        Which response, and of which model.

    Returns
    -------
    plotly Figure
        Panels of shape (workloads, 2).

    Raises
    ------
    ValueError
        There were no repetitions, so there are no residuals.
    """
    results, _ = designs[model]
    rows = _rows(results)
    return _low_panels(
        [_residuals(workload, results[workload, response], units[response]) for workload in rows],
        [
            [f"{workload.capitalize()}s: residuals", f"{workload.capitalize()}s: their quantiles"]
            for workload in rows
        ],
    )


def _low_panels(plots: Sequence[Sequence[go.Figure]], titles: list[list[str]]) -> go.Figure:
    """Arrange panels in rows that are low, with titles to match."""
    figure = panels(plots, titles, row_px=_ROW_PX)
    figure.update_xaxes(title_font_size=_TITLE_PX)
    return figure.update_yaxes(title_font_size=_TITLE_PX)


def _rows(results: Results) -> list[str]:
    return list(dict.fromkeys(workload for workload, _ in results))


def _effects(
    workload: str, response: str, results: Results, expected: Results, units: Mapping[str, str]
) -> go.Figure:
    result = results[workload, response]
    effects = result.effects.drop(index=MEAN)
    significant = effects["significant"].fillna(True).astype(bool)
    figure = new_figure("Effect", f"Effect ({_unit(units[response], result)})")
    figure.add_hline(0, line={"color": FRAME, "width": 1})
    styles = (
        (significant, "measured", BLUE, "diamond"),
        (~significant, "not significant", FRAME, "diamond-open"),
    )
    for chosen, name, color, symbol in styles:
        rows = effects[chosen]
        if len(rows):
            figure.add_scatter(
                x=rows.index,
                y=rows["effect"],
                error_y={"type": "data", "array": rows["ci_high"] - rows["effect"]},
                mode="markers",
                marker={"color": color, "symbol": symbol, "size": 7},
                name=name,
            )
    _add_without_carrier(figure, result)
    predicted = expected[workload, response].effects["effect"].reindex(effects.index)
    line = {"color": FRAME, "width": 1.5}
    figure.add_scatter(
        x=predicted.index,
        y=predicted,
        mode="markers",
        marker={"symbol": "line-ew-open", "size": 16, "color": FRAME, "line": line},
        name=BOUND,
    )
    figure.update_xaxes(categoryorder="array", categoryarray=list(effects.index))
    figure.update_yaxes(rangemode="normal")
    return _counted(figure, workload, len(result.residuals))


def _add_without_carrier(figure: go.Figure, result: FactorialResult) -> None:
    if len(result.factors) < 2:
        return
    carried = carriers(result)["interactions_carried"]
    if carried.isna().all():
        return
    effects = without_cell(result, str(carried.idxmax())).drop(MEAN)
    marker = {"symbol": "x-thin-open", "size": 7, "color": FRAME, "line": {"width": 1.2}}
    figure.add_scatter(
        x=effects.index, y=effects, mode="markers", marker=marker, name="without one cell"
    )


def _interaction(
    workload: str,
    pair: tuple[str, str],
    runs: pd.DataFrame,
    expected: pd.DataFrame,
    response: str,
) -> go.Figure:
    over, by = pair
    own = runs[runs["workload"] == workload]
    bounds = expected[expected["workload"] == workload]
    title = heading(response.removeprefix("client_"))
    figure = new_figure(f"Number of {over.removeprefix('num_')}", title)
    lines = bounds.groupby([by, over])[response].mean()
    for position, (level, rows) in enumerate(own.groupby(by)):
        style = style_of(by, level, position)
        means = rows.groupby(over)[response].mean()
        figure.add_scatter(
            x=means.index.map("{:g}".format),
            y=means,
            mode="lines+markers",
            marker={"color": style.color, "symbol": style.symbol},
            line={"color": style.color, "dash": _DASHES.get(by, style.dash)},
            name=style.name,
        )
        predicted = lines.loc[level]
        figure.add_scatter(
            x=predicted.index.map("{:g}".format),
            y=predicted,
            mode="lines",
            line=_DOTTED,
            name=style.name,
            showlegend=False,
        )
    figure.update_xaxes(type="category")
    return _counted(figure, workload, len(own))


def _residuals(workload: str, result: FactorialResult, unit: str) -> list[go.Figure]:
    from scipy import stats  # here: half a second, for every kernel

    if result.repetitions < 2:
        raise ValueError("residuals need repetitions, got r = 1")
    unit = _unit(unit, result)
    residuals = result.residuals
    style = WORKLOADS[workload]
    marker = {"color": style.color, "symbol": style.symbol, "size": 6}
    points = {"mode": "markers", "marker": marker, "name": style.name, "showlegend": False}
    against_prediction = new_figure(f"Predicted ({unit})", f"Residual ({unit})")
    against_prediction.add_hline(0, line={"color": GRID}, layer="below")
    against_prediction.add_scatter(x=residuals["predicted"], y=residuals["residual"], **points)
    (quantiles, ordered), (slope, intercept, _) = stats.probplot(residuals["residual"])
    against_normal = new_figure("Quantile of the normal distribution", f"Residual ({unit})")
    against_normal.add_scatter(x=quantiles, y=ordered, **points)
    against_normal.add_scatter(
        x=quantiles, y=intercept + slope * quantiles, mode="lines", line=_DOTTED, showlegend=False
    )
    plots = [against_prediction, against_normal]
    for plot in plots:
        plot.update_xaxes(rangemode="normal")
        plot.update_yaxes(rangemode="normal")
    return [_counted(plot, workload, len(residuals)) for plot in plots]


def _unit(unit: str, result: FactorialResult) -> str:
    return unit if result.model == "additive" else f"log10 of {unit}"


def _counted(figure: go.Figure, workload: str, runs: int) -> go.Figure:
    """Note the runs, one a row, for the footnote that `present.figure` gives the figure."""
    return figure.update_layout(meta={"runs": {workload: runs}})
