"""Drawings of the system under test: its hosts and links, and the life of a request.

Both are drawn from data: the first from a topology, the second from the mean times of a cell.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pandas as pd
import plotly.graph_objects as go

from analysis.chapters.system_overview.plots.shapes import bare, write
from analysis.figures.theme import BLACK, BLUE, FRAME, GREEN, ORANGE, TIMES

_ROLES = {
    "clients": ("memtier_benchmark", BLUE),
    "middlewares": ("Kotlin: net threads, queue, workers", ORANGE),
    "servers": ("memcached", GREEN),
}
_BOX = (0.8, 0.62)  # width and height of a host
_STAMPS = ("t0", "t1", "t2", "t3", "t4", "t5")
_STEPS = (  # what ends with each stamp, and who does it
    ("first byte read", "net thread"),
    ("parsed, put into the queue", "net thread"),
    ("taken by a worker", "worker"),
    ("last byte sent to the servers", "worker"),
    ("last reply complete", "worker"),
    ("reply handed to the client", "worker, net thread"),
)
_BETWEEN = ("preprocessing", "queueing", "processing", "servers and network", "processing")


def plot_system(
    hosts: Mapping[str, Sequence[str]], rates_mbit_per_s: Mapping[str, float | None]
) -> go.Figure:
    """Draw the hosts of an experiment by role, every connection between roles, and the links.

    Parameters
    ----------
    hosts
        Role (``clients``, ``middlewares``, ``servers``) to names, as in a manifest's `roles`;
        a role without hosts is left out.
    rates_mbit_per_s
        Host to the limit of what it sends, as in a manifest's `topology`.
    """
    columns = [(role, list(hosts[role])) for role in _ROLES if hosts.get(role)]
    figure = go.Figure()
    places = {
        name: (column, (len(names) - 1) / 2 - row)
        for column, (_, names) in enumerate(columns)
        for row, name in enumerate(names)
    }
    for (_, left), (_, right) in pairwise(columns):
        for source in left:
            for target in right:
                _connect(figure, places[source], places[target])
    for role, names in columns:
        for name in names:
            _draw_host(figure, name, places[name], _ROLES[role][1], rates_mbit_per_s.get(name))
    highest = max(y for _, y in places.values())
    for column, (role, _) in enumerate(columns):
        write(figure, column, highest + 0.62, f"<b>{role.capitalize()}</b><br>{_ROLES[role][0]}")
    rows = max(len(names) for _, names in columns)
    return bare(
        figure, (-0.6, len(columns) - 0.4), (-highest - 0.45, highest + 0.95), 110 + 95 * rows
    )


def plot_request_life(times_ms: pd.Series | Mapping[str, float]) -> go.Figure:
    """Draw the life of a request in the middleware: its time stamps and what lies between them.

    The order is that of events, the distances are even; the mean times stand beside their parts.

    Parameters
    ----------
    times_ms
        `preprocessing_time_ms`, `queueing_time_ms`, `processing_time_ms` (both of its parts
        together), `servers_net_time_ms`: means.
    """
    figure = go.Figure()
    styles = {style.name: style for style in TIMES.values()}
    columns = {style.name: f"{time}_ms" for time, style in TIMES.items()}
    for index, part in enumerate(_BETWEEN):
        shape = {"type": "rect", "x0": index, "x1": index + 1, "y0": 0, "y1": 0.5}
        figure.add_shape(**shape, fillcolor=styles[part].color, opacity=0.55, line={"width": 0})
        figure.add_shape(**shape, line={"color": BLACK, "width": 1})
        shared = " (both)" if part == "processing" else ""
        value = f"{times_ms[columns[part]]:.3f} ms{shared}"
        write(figure, index + 0.5, 0.25, f"{part.replace(' and ', '<br>and ')}<br>{value}", 11)
    for index, (stamp, (what, who)) in enumerate(zip(_STAMPS, _STEPS, strict=True)):
        figure.add_shape(
            type="line", x0=index, x1=index, y0=-0.08, y1=0.62, line={"color": BLACK, "width": 1.5}
        )
        write(figure, index, 0.7, f"<b>t<sub>{stamp[1]}</sub></b>", 14)
        write(figure, index, -0.3, f"{_wrapped(what)}<br><i>{_wrapped(who)}</i>", 10.5)
    for name, first, last, height in (
        ("queueing time", 1, 2, 0.88),
        ("service time", 2, 5, 0.88),
        ("response time in the middleware", 0, 5, 1.1),
    ):
        _span(figure, first, last, height, name)
    return bare(figure, (-0.45, 5.45), (-0.62, 1.25), 330)


def _connect(figure: go.Figure, start: tuple[float, float], end: tuple[float, float]) -> None:
    line = {"color": FRAME, "width": 1}
    x0, x1 = start[0] + _BOX[0] / 2, end[0] - _BOX[0] / 2
    figure.add_shape(type="line", x0=x0, y0=start[1], x1=x1, y1=end[1], line=line)


def _draw_host(
    figure: go.Figure, name: str, place: tuple[float, float], color: str, rate: float | None
) -> None:
    x, y = place
    width, height = _BOX
    corners = {"x0": x - width / 2, "x1": x + width / 2, "y0": y - height / 2, "y1": y + height / 2}
    figure.add_shape(type="rect", **corners, fillcolor="white", line={"color": color, "width": 2})
    sends = f"<br>sends {rate:g} Mbit/s" if rate else ""
    write(figure, x, y, f"<b>{name}</b>{sends}", 12)


def _span(figure: go.Figure, first: float, last: float, height: float, name: str) -> None:
    for head, tail in ((first, last), (last, first)):
        figure.add_annotation(
            x=head,
            y=height,
            ax=tail,
            ay=height,
            xref="x",
            yref="y",
            axref="x",
            ayref="y",
            text="",
            showarrow=True,
            arrowhead=2,
            arrowwidth=1,
            arrowcolor=FRAME,
        )
    write(figure, (first + last) / 2, height + 0.07, name, 11)


def _wrapped(text: str) -> str:
    words = text.split()
    middle = (len(words) + 1) // 2
    return f"{' '.join(words[:middle])}<br>{' '.join(words[middle:])}" if len(text) > 14 else text
