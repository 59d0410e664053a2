"""Chapter 7: which model predicts what was measured."""

from __future__ import annotations

import pandas as pd

from analysis.chapters.queueing_models.cells import compare_cells, predict_cells
from analysis.chapters.queueing_models.open_loop import compare_open
from analysis.chapters.queueing_models.open_stations import link_center, workers_center
from analysis.chapters.queueing_models.what_if import ELSEWHERE, predict_elsewhere
from analysis.claims.findings import SAME, THROUGHPUT, Findings, cell_names
from analysis.claims.rules import at_least, at_most
from analysis.laws.summary import cells
from analysis.models.fed_with_closed_loops import (
    BEST_SECOND,
    SERVICE_TIMES,
    station_predictions,
)
from analysis.models.halves import judged_rows
from analysis.statistics.comparison import misses_more
from analysis.tables.frames import NAMES, Tables, stack

_CLOSE = 2 * SAME
_HALF = 0.5
_ONE, _EIGHT = 1, 8
_FULL = 0.9  # utilization
_MOST = 0.9  # of cells
_RATE = "arrival_rate_per_s"
_STATION = [
    "service_rate_from",
    "model",
    "utilization",
    "predicted",
    "one_request_more",
    "relative_error",
]


def check(found: Findings) -> None:
    """Check what open queues, the network of queues and its what-ifs predict, and why not more."""
    _black_box(found)
    _network(found)
    _open_arrivals(found)
    found.processors("7", see="07-5-open")
    _what_if(found)


def _black_box(found: Findings) -> None:
    tables = _with_network(found, "3.1")
    judged = pd.DataFrame(columns=_STATION)
    if tables is not None:
        own = cells(tables.runs)
        judged = judged_rows(station_predictions(own, tables.windows), tables.runs)
    studies = judged[judged["service_rate_from"] == BEST_SECOND]
    found.check_share(
        "7.1",
        "With the service rate of the best second M/M/1 and M/M/m miss most cells.",
        of="judged cells whose response time is predicted within 10 %",
        passes=_within(studies, _CLOSE),
        holds=at_most(_HALF),
        see="07-1-recipes",
    )
    full = studies[(studies["model"] == "M/M/1") & (studies["utilization"] >= _FULL)]
    step = 1 - full["one_request_more"] / full["predicted"]
    found.check_share(
        "7.1",
        "One request more in the best second changes M/M/1 by 10\N{NO-BREAK SPACE}% or more.",
        of="judged cells with U over 0.9 that change by 10 % or more",
        passes=(step >= _CLOSE).set_axis(cell_names(full)),
        holds=at_least(_MOST),
        see="07-1-recipes",
    )
    by_law = judged[(judged["service_rate_from"] == SERVICE_TIMES) & (judged["model"] == "M/M/m")]
    free = by_law[by_law["utilization"] < _FULL]
    found.check_share(
        "7.1",
        "With measured service times M/M/m is within 10\N{NO-BREAK SPACE}% where workers have "
        "time left.",
        of="judged cells with U below 0.9 predicted within 10 %",
        passes=_within(free, _CLOSE),
        holds=at_least(_MOST),
        see="07-1-recipes",
    )


def _network(found: Findings) -> None:
    parts = []
    for section in ("3.1", "3.2"):
        tables = _with_network(found, section)
        if tables is not None:
            own = cells(tables.runs)
            predicted = predict_cells(tables, own, section)
            parts.append(compare_cells(own, predicted, THROUGHPUT))
    compared = pd.concat(parts) if parts else pd.DataFrame(columns=["bottleneck", "relative_error"])
    limit = compared["bottleneck"].astype(str)
    full = compared[limit.str.endswith("link")]
    found.check_share(
        "7.2",
        "Where the network of queues expects a full link, its throughput is within "
        "5\N{NO-BREAK SPACE}%.",
        of="such judged cells whose throughput is predicted within 5 %",
        passes=_within(full, SAME),
        holds=at_least(_MOST),
        see="07-3-predicted",
    )
    others = compared[~limit.str.endswith("link")]
    short = others["relative_error"] <= -SAME
    found.check_share(
        "7.2",
        "Where the network of queues expects no full link, it predicts at least "
        "5\N{NO-BREAK SPACE}% too little.",
        of="other judged cells whose throughput is predicted 5 % too low or lower",
        passes=short.set_axis(cell_names(others)),
        holds=at_least(_MOST),
        see="07-3-predicted",
    )


def _open_arrivals(found: Findings) -> None:
    tables = _with_network(found, "7")
    unknown = pd.DataFrame(columns=["model", _RATE, "relative_error"])
    link, one, eight = unknown, unknown, unknown
    if tables is not None:
        link = compare_open(link_center(tables))
        one, eight = (
            compare_open(workers_center(tables, workers=workers)) for workers in (_ONE, _EIGHT)
        )
    more = misses_more(link, "M/M/1", "M/D/1", on=[_RATE])
    found.check_share(
        "7.5",
        "M/D/1 predicts the response time at a server's link better than M/M/1 at every rate.",
        of="arrival rates at which M/M/1 misses by more than M/D/1",
        passes=more["misses_more"].set_axis(_rates(more)),
        holds=at_least(1),
        see="07-5-open",
    )
    for compared, workers, model in (
        (one, "one worker", f"M/G/{_ONE}"),
        (eight, "eight workers", f"M/M/{_EIGHT}"),
    ):
        own = compared[compared["model"] == model].dropna(subset="relative_error")
        near = own["relative_error"].astype(float).abs() <= _CLOSE
        found.check_share(
            "7.5",
            f"{model} predicts the response time of {workers} under Poisson arrivals within "
            "10\N{NO-BREAK SPACE}%.",
            of="arrival rates at which the mean error of the runs is within 10 %",
            passes=near.set_axis(_rates(own)),
            holds=at_least(_MOST),
            see="07-5-errors",
        )


def _what_if(found: Findings) -> None:
    tables = _with_network(found, "3.1")
    others = [part.runs for part in map(found.tables, ELSEWHERE) if part is not None]
    compared = pd.DataFrame(columns=["relative_error"])
    if tables is not None and others:
        compared = predict_elsewhere(tables, stack(others))
    found.check_share(
        "7.6",
        "Runs of 3.1 alone predict the throughput of other systems within 10\N{NO-BREAK SPACE}%.",
        of="cells of 3.2, 4.1 and 6 whose throughput is predicted within 10 %",
        passes=_within(compared, _CLOSE),
        holds=at_least(_MOST),
        see="07-6-elsewhere",
    )


def _within(cells: pd.DataFrame, margin: float) -> pd.Series:
    """Return by the name of each predicted cell whether its error is within a margin."""
    known = cells.dropna(subset="relative_error")
    near = known["relative_error"].astype(float).abs() <= margin
    return near.set_axis(cell_names(known))


def _with_network(found: Findings, section: str) -> Tables | None:
    """Return the tables of a section, with those of the idle network if it was measured."""
    own, network = found.tables(section), found.tables("0")
    if own is None or network is None:
        return own
    parts = [(getattr(own, name), getattr(network, name)) for name in NAMES]
    return Tables(**{name: stack(list(both)) for name, both in zip(NAMES, parts, strict=True)})


def _rates(cells: pd.DataFrame) -> list[str]:
    """Name each arrival rate: ``697 requests/s``."""
    return [f"{rate:.0f} requests/s" for rate in cells[_RATE]]
