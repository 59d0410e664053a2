"""Slow requests as timelines: where each was when, and what took its time."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.over_time.seconds import ONE_RUN
from analysis.figures.theme import PURPLE, TIMES, Style, bar_marker, new_figure
from analysis.traces.followed_requests import STAGES
from analysis.traces.on_the_wire import NO_WORKER

LINK = Style(name="link", color=PURPLE, symbol="hourglass", pattern="-")
STAGE_STYLES = {
    "link_there": LINK,
    "preprocessing_time": TIMES["preprocessing_time"],
    "queueing_time": TIMES["queueing_time"],
    "sending_time": TIMES["processing_time"],
    "servers_time": TIMES["servers_net_time"],
    "replying_time": TIMES["processing_time"],
    "link_back": LINK,
}
"""A stage's look; those of the middleware look as in the breakdown of its response time."""
_TIME_TITLE = "Time since the client sent it (ms of the clock)"
_ROW_PX, _AROUND_PX = 26, 130
_ROOM_FOR_TEXT = 1.35  # of the longest timeline


def plot_slowest_requests(requests: pd.DataFrame, how_many: int = 10) -> go.Figure:
    """Plot the slowest requests, the slowest on top, from sending to reply.

    Parameters
    ----------
    requests
        From `analysis.traces.blame.slowest_requests`, or without its columns
        `analysis.traces.followed_requests.followed_requests`: of one run.
        Without any the figure says so.
    """
    if requests.empty:
        return _nothing()
    slowest = requests.nlargest(how_many, "response_time_ms")
    rows = [f"{place}. {kind}" for place, kind in enumerate(slowest["request_type"], 1)]
    figure = new_figure(_TIME_TITLE, "Request")
    for style in dict.fromkeys(STAGE_STYLES.values()):
        _add_stages(figure, slowest, rows, style)
    figure.add_scatter(
        x=slowest["response_time_ms"],
        y=rows,
        mode="text",
        text=[f"  {_told(request)}" for _, request in slowest.iterrows()],
        textposition="middle right",
        hoverinfo="skip",
        showlegend=False,
    )
    longest_ms = float(slowest["response_time_ms"].max())
    height = _AROUND_PX + _ROW_PX * len(rows)
    return figure.update_layout(
        barmode="overlay",
        bargap=0.35,
        height=height,
        meta={"runs": ONE_RUN},
        legend_y=-60 / (height - _AROUND_PX),
        xaxis_range=[min(0.0, float(slowest["link_there_ms"].min())), _ROOM_FOR_TEXT * longest_ms],
        yaxis={"categoryorder": "array", "categoryarray": rows, "autorange": "reversed"},
    )


def _nothing() -> go.Figure:
    figure = new_figure(_TIME_TITLE, "Request")
    text = "not measured: no request was followed"
    figure.add_annotation(text=text, x=0.5, y=0.5, xref="paper", yref="paper")
    return figure.update_layout(meta={"runs": ONE_RUN})


def _add_stages(figure: go.Figure, requests: pd.DataFrame, rows: list[str], style: Style) -> None:
    """Draw all stages of one look, each from where those before it have ended."""
    lengths_ms = requests[[f"{stage}_ms" for stage in STAGES]]
    starts_ms = lengths_ms.cumsum(axis="columns") - lengths_ms
    stages = [stage for stage in STAGES if STAGE_STYLES[stage] == style]
    hovers = [_hover(request) for _, request in requests.iterrows()]
    figure.add_bar(
        orientation="h",
        y=rows * len(stages),
        base=[ms for stage in stages for ms in starts_ms[f"{stage}_ms"]],
        x=[ms for stage in stages for ms in lengths_ms[f"{stage}_ms"]],
        customdata=hovers * len(stages),
        hovertemplate=f"{style.name}: %{{x:.3f}} ms<br>%{{customdata}}<extra></extra>",
        name=style.name,
        marker=bar_marker(style.color, style.pattern),
    )


def _told(request: pd.Series) -> str:
    """Say what took the request's time; nothing where nobody was asked."""
    if "blamed" not in request:
        return ""
    words = f"{request['blamed']} ({100 * request['blamed_share']:.0f} %)"
    return f"{words}, clocks disagree" if request["beyond_clock_bound"] else words


def _hover(request: pd.Series) -> str:
    worker = "" if request["worker"] == NO_WORKER else f", worker {request['worker']}"
    parts = [
        f"{request['client']} number {request['number']}, {request['request_type']}: "
        f"{request['response_time_ms']:.3f} ms",
        f"{request['middleware']}{worker}; slowest server {request['slowest_server'] or 'none'}",
        f"clocks are known to {request['clock_bound_ms']:.3f} ms",
        _told(request),
    ]
    return "<br>".join(part for part in parts if part)
