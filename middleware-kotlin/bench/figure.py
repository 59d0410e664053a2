"""The README's figure of the middleware's speed and the result in words, from the committed runs.

python middleware-kotlin/bench/figure.py
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from document import document
from plotly.subplots import make_subplots
from systems import DIRECT, PIPELINED, RELAY, SEQUENTIAL_64, TWEMPROXY

from analysis.figures.drawing import draw_svg
from analysis.figures.theme import BLACK, BLUE, GREEN, ORANGE, TEMPLATE, VERMILLION, Style

RESULTS = Path(__file__).parent / "results"
FIGURE = Path(__file__).parents[2] / "docs" / "figures" / "middleware-speed.svg"
VALUE_BYTES = 4096
STYLES = {
    DIRECT: Style(name="no proxy", color=BLACK, symbol="circle"),
    TWEMPROXY: Style(name="twemproxy", color=ORANGE, symbol="square"),
    PIPELINED: Style(name="ours, pipelined", color=BLUE, symbol="diamond"),
    SEQUENTIAL_64: Style(name="ours, sequential, 64 workers", color=VERMILLION, symbol="x"),
    RELAY: Style(name="the least a proxy can do", color=GREEN, symbol="cross"),
}
MEASURES = {
    "throughput_ops_per_s": "Throughput (op/s)",
    "proxy_cpu_s_per_million": "CPU of the proxy (s per 10<sup>6</sup> requests)",
}


def plot_speed(runs: pd.DataFrame) -> go.Figure:
    """Plot throughput and the proxies' CPU time against connections: medians, range of the rounds.

    Parameters
    ----------
    runs
        The bench's runs; those with values of 4096 B and one key are drawn.
    """
    runs = runs[(runs["value_bytes"] == VALUE_BYTES) & (runs["keys"] == 1)]
    figure = make_subplots(
        rows=2, cols=2, shared_xaxes=True, column_titles=["get", "set"], vertical_spacing=0.06
    )
    figure.update_layout(template=TEMPLATE)
    for column, workload in enumerate(("get", "set"), start=1):
        for row, (measure, title) in enumerate(MEASURES.items(), start=1):
            for system, style in STYLES.items():
                if system == DIRECT and row == 2:
                    continue
                chosen = runs[(runs["workload"] == workload) & (runs["system"] == system)]
                trace = _trace(chosen, measure, style, is_named=row == column == 1)
                figure.add_trace(trace, row=row, col=column)
            if column == 1:
                figure.update_yaxes(title_text=title, row=row, col=column)
    figure.update_xaxes(title_text="Connections", row=2)
    return figure.update_xaxes(type="category")


def _trace(runs: pd.DataFrame, measure: str, style: Style, *, is_named: bool) -> go.Scatter:
    rounds = runs.groupby("connections")[measure]
    median = rounds.median()
    return go.Scatter(
        x=median.index.astype(str),
        y=median,
        error_y={
            "type": "data",
            "symmetric": False,
            "array": rounds.max() - median,
            "arrayminus": median - rounds.min(),
        },
        mode="lines+markers",
        marker={"symbol": style.symbol, "color": style.color},
        line={"color": style.color},
        name=style.name,
        legendgroup=style.name,
        showlegend=is_named,
    )


def publish(results: Path = RESULTS, figure: Path = FIGURE) -> None:
    """Draw the figure where the README shows it, and tell the results in words beside them."""
    runs = pd.read_csv(results / "middleware.csv")
    if "depth" not in runs:  # measured before loads had a depth
        runs["depth"] = 1
    facts = json.loads((results / "middleware.json").read_text(encoding="utf-8"))
    (results / "README.md").write_text(document(runs, facts), encoding="utf-8")
    svg = draw_svg(plot_speed(runs).to_plotly_json(), width_px=860, height_px=620)
    figure.write_text(f"{svg}\n", encoding="utf-8")


if __name__ == "__main__":
    publish()
