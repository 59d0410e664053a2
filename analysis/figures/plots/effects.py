"""The 2^k r analysis in figures: effects, interactions, residuals."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots
from scipy import stats

from analysis.figures.theme import (
    BLACK,
    BLUE,
    FRAME,
    GREEN,
    GRID,
    ORANGE,
    PURPLE,
    SKY_BLUE,
    TEMPLATE,
    VERMILLION,
    YELLOW,
    new_figure,
)
from analysis.statistics.factorial import MEAN, FactorialResult

_STYLES = (  # of the lower and the higher level: a pair for each factor that lines are split by
    ((BLUE, "circle", "solid"), (VERMILLION, "square", "dash")),
    ((GREEN, "diamond", "dot"), (ORANGE, "star", "dashdot")),
    ((PURPLE, "hourglass", "longdash"), (SKY_BLUE, "pentagon", "longdashdot")),
    ((BLACK, "cross", "solid"), (YELLOW, "x", "dash")),
)
_CODED = (-1, 1)


def plot_effects(result: FactorialResult, unit: str) -> go.Figure:
    """Plot effects with their confidence intervals; one whose interval holds 0 is grey.

    Parameters
    ----------
    result
        From `analysis.statistics.factorial.analyse`.
    unit
        Of the response, such as ``op/s``; a multiplicative model's effects have none.
    """
    effects = result.effects.drop(index=MEAN)
    shown = unit if result.model == "additive" else f"log10 of {unit}"
    significant = effects["significant"].fillna(True).astype(bool)
    figure = new_figure("Effect", f"Change from the mean ({shown})")
    figure.add_scatter(
        x=effects.index,
        y=effects["effect"],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": effects["ci_high"] - effects["effect"],
            "arrayminus": effects["effect"] - effects["ci_low"],
        },
        mode="markers",
        marker={"color": np.where(significant, BLUE, FRAME), "symbol": "diamond"},
        showlegend=False,
    )
    figure.add_hline(0, line={"color": FRAME, "width": 1})
    return figure.update_yaxes(rangemode="normal").update_layout(meta=_runs(result.residuals))


def plot_interactions(
    frame: pd.DataFrame,
    factors: dict[str, str],
    response: str,
    title: str,
    levels: Mapping[str, tuple[float, float]] | None = None,
) -> go.Figure:
    """Plot the mean response over one factor for both levels of another, for every pair.

    Lines that are not parallel show an interaction.

    Parameters
    ----------
    frame
        As for `analysis.statistics.factorial.analyse`, levels coded -1 and +1.
    factors
        Letter to column, as in `FactorialResult.factors`; at least 2.
    response
        Column of the response.
    title
        Of the response's axis, with its unit.
    levels
        Factor to its lower and higher level, which axes and legend show instead of the codes.
    """
    pairs = list(combinations(factors.items(), 2))
    if not pairs:
        raise ValueError(f"at least 2 factors are needed, got {list(factors)}")
    levels = levels or {}
    figure = make_subplots(
        rows=1,
        cols=len(pairs),
        shared_yaxes=True,
        subplot_titles=[f"{a} \N{MULTIPLICATION SIGN} {b}" for (a, _), (b, _) in pairs],
    )
    styles = dict(zip(dict.fromkeys(letter for _, (letter, _) in pairs), _STYLES, strict=False))
    named: set[str] = set()
    for col, ((_, over), (letter, split)) in enumerate(pairs, 1):
        means = frame.groupby([split, over])[response].mean()
        for level, (color, symbol, dash) in zip(_CODED, styles[letter], strict=True):
            row = means.loc[level].reindex(_CODED)
            figure.add_scatter(
                x=[f"{real:g}" for real in levels[over]] if over in levels else ["-1", "+1"],
                y=row.to_numpy(),
                mode="lines+markers",
                marker={"color": color, "symbol": symbol},
                line={"color": color, "dash": dash},
                name=_level_name(letter, split, level, levels),
                legendgroup=f"{letter}{level}",
                showlegend=split not in named,
                row=1,
                col=col,
            )
        named.add(split)
        over_title = f"Number of {over}" if over in levels else over
        figure.update_xaxes(title_text=over_title, type="category", row=1, col=col)
    figure.update_yaxes(title_text=title, row=1, col=1)
    above = {"y": 1.12, "yanchor": "bottom"}  # the names of the panels
    figure.update_layout(legend=above, margin={"t": 90})
    return figure.update_layout(template=TEMPLATE, meta=_runs(frame))


def plot_residuals(result: FactorialResult, unit: str) -> go.Figure:
    """Plot residuals against prediction, and their quantiles against those of a normal law.

    A spread that grows with the prediction speaks for the multiplicative model; points off the
    line against normal errors, on which the confidence intervals rest.

    Parameters
    ----------
    result
        With repetitions.
    unit
        Of the response.

    Raises
    ------
    ValueError
        There were no repetitions, so there are no residuals.
    """
    if result.repetitions < 2:
        raise ValueError("residuals need repetitions, got r = 1")
    shown = unit if result.model == "additive" else f"log10 of {unit}"
    residuals = result.residuals
    (quantiles, ordered), (slope, intercept, _) = stats.probplot(residuals["residual"])
    figure = make_subplots(rows=1, cols=2, shared_yaxes=True)
    points = {"mode": "markers", "marker": {"color": BLUE, "symbol": "circle"}, "showlegend": False}
    figure.add_scatter(x=residuals["predicted"], y=residuals["residual"], row=1, col=1, **points)
    figure.add_scatter(x=quantiles, y=ordered, row=1, col=2, **points)
    figure.add_scatter(
        x=quantiles,
        y=intercept + slope * quantiles,
        mode="lines",
        line={"color": FRAME, "dash": "dot"},
        showlegend=False,
        row=1,
        col=2,
    )
    figure.add_hline(0, line={"color": GRID}, layer="below", row=1, col=1)
    figure.update_xaxes(title_text=f"Predicted ({shown})", rangemode="normal", row=1, col=1)
    figure.update_xaxes(title_text="Quantile of the normal distribution", row=1, col=2)
    figure.update_xaxes(rangemode="normal", row=1, col=2)
    figure.update_yaxes(title_text=f"Residual ({shown})", row=1, col=1)
    figure.update_yaxes(rangemode="normal")
    return figure.update_layout(template=TEMPLATE, meta=_runs(residuals))


def _level_name(
    letter: str, factor: str, coded: int, levels: Mapping[str, tuple[float, float]]
) -> str:
    """Name one level as the legend has it: ``B = +1``, or ``2 middlewares``."""
    if factor not in levels:
        return f"{letter} = {coded:+d}"
    real = levels[factor][_CODED.index(coded)]
    return f"{real:g} {factor.removesuffix('s') if real == 1 else factor}"


def _runs(rows: pd.DataFrame) -> dict[str, int]:
    """Count the runs, one a row, for the footnote that `present.figure` gives the figure."""
    return {"runs": len(rows)}
