"""A drawing of the threads and coroutines of a middleware and of what passes between them."""

import plotly.graph_objects as go

from analysis.chapters.system_overview.plots.shapes import bare, write
from analysis.figures.theme import BLUE, FRAME, GREEN, ORANGE, PURPLE, SKY_BLUE
from records.text.words import counted

_ROWS = (1.7, 1.15, 0.6)  # heights of the first, second and last of several
_CLIENT, _CONNECTION, _QUEUE, _WORKER, _SERVER = 0.15, 1.4, 2.5, 3.35, 4.8
_WIDTHS = {_CLIENT: 0.7, _CONNECTION: 1.05, _QUEUE: 0.6, _WORKER: 0.75, _SERVER: 0.75}
_NOTES_Y, _TITLE_Y = 0.22, 2.27


def plot_threads(*, clients: int, workers: int, servers: int, net_threads: int = 1) -> go.Figure:
    """Draw how a request passes through a middleware: connections, threads, coroutines, the queue.

    Parameters
    ----------
    clients
        Connections to this middleware.
    workers, servers, net_threads
        As the middleware is configured; every worker has a connection to every server.
    """
    figure = go.Figure()
    _frame(figure, net_threads)
    for source in _heights(clients):
        _join(figure, _CLIENT, source, _CONNECTION, source)
        _join(figure, _CONNECTION, source, _QUEUE, _ROWS[1])
    for worker in _heights(workers):
        _join(figure, _QUEUE, _ROWS[1], _WORKER, worker)
        for server in _heights(servers):
            _join(figure, _WORKER, worker, _SERVER, server)
    _column(figure, _CLIENT, "client", clients, BLUE)
    for y in _heights(clients):
        _box(figure, _CONNECTION, y, SKY_BLUE, "ClientConnection<br>reads, parses, replies", 10)
    _box(figure, _QUEUE, _ROWS[1], PURPLE, "job queue<br>(Channel)", 10, height=0.7)
    _column(figure, _WORKER, "worker", workers, ORANGE)
    _column(figure, _SERVER, "server", servers, GREEN)
    for x, text in (
        (_CLIENT, f"{clients} connections"),
        (_CONNECTION, "a coroutine for each"),
        (_QUEUE, "in t<sub>1</sub>, out t<sub>2</sub>"),
        (_WORKER, f"{workers} coroutines"),
        (_SERVER, f"{workers} connections<br>to each"),
    ):
        write(figure, x, _NOTES_Y, text, 10)
    return bare(figure, (-0.3, 5.25), (0.0, 2.5), 330)


def _heights(count: int) -> tuple[float, ...]:
    """Where the first, the second and the last of `count` are drawn."""
    return {1: (_ROWS[1],), 2: (_ROWS[0], _ROWS[2])}.get(count, _ROWS)


def _column(figure: go.Figure, x: float, name: str, count: int, color: str) -> None:
    heights = _heights(count)
    numbers = [*range(1, len(heights)), count]
    for y, number in zip(heights, numbers, strict=True):
        _box(figure, x, y, color, f"{name} {number}" if count > 1 else name, 11)
    if count > len(heights):
        write(figure, x, (heights[-2] + heights[-1]) / 2, "...", 11)


def _box(
    figure: go.Figure, x: float, y: float, color: str, text: str, size: float, height: float = 0.36
) -> None:
    half = _WIDTHS[x] / 2
    corners = {"x0": x - half, "x1": x + half, "y0": y - height / 2, "y1": y + height / 2}
    figure.add_shape(type="rect", **corners, fillcolor="white", line={"color": color, "width": 2})
    write(figure, x, y, text, size)


def _join(figure: go.Figure, left: float, left_y: float, right: float, right_y: float) -> None:
    ends = {"x0": left + _WIDTHS[left] / 2, "y0": left_y}
    ends |= {"x1": right - _WIDTHS[right] / 2, "y1": right_y}
    figure.add_shape(type="line", **ends, line={"color": FRAME, "width": 1}, layer="below")


def _frame(figure: go.Figure, net_threads: int) -> None:
    """Put a frame around all that the net threads run."""
    left = _CONNECTION - _WIDTHS[_CONNECTION] / 2 - 0.12
    right = _WORKER + _WIDTHS[_WORKER] / 2 + 0.12
    figure.add_shape(
        type="rect",
        x0=left,
        x1=right,
        y0=0.08,
        y1=2.45,
        line={"color": FRAME, "width": 1.2, "dash": "dash"},
        layer="below",
    )
    text = (
        f"<b>{counted(net_threads, 'net thread')}</b>: an event loop around a selector,<br>"
        "the dispatcher of all coroutines"
    )
    write(figure, (left + right) / 2, _TITLE_Y, text, 11)
