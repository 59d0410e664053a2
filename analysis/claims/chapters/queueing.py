"""Chapter 7: which model predicts what was measured."""

from __future__ import annotations

import pandas as pd

from analysis.claims.findings import SAME, THROUGHPUT, Findings, cell_names, whole_repetitions
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.models.cells import compare_cells, predict_cells
from analysis.models.fed_with_closed_loops import (
    BEST_SECOND,
    SERVICE_TIMES,
    station_predictions,
)
from analysis.models.halves import judged_rows
from analysis.sections.open_loop import ServiceCenter, run_errors
from analysis.sections.open_stations import link_center, workers_center
from analysis.sections.summary import cells
from analysis.sections.what_if import ELSEWHERE, predict_elsewhere
from analysis.statistics.estimates import mean_of
from analysis.tables.frames import NAMES, Tables, stack

_CLOSE = 2 * SAME
_HALF = 0.5
_ONE, _EIGHT = 1, 8
_FULL = 0.9  # utilization
_MOST = 0.9  # of cells
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
    link: list[float] = []
    one: list[float] = []
    eight: list[float] = []
    if tables is not None:
        for errors in _by_repetition(link_center(tables)):
            sizes = errors.abs().mean()
            link.append(sizes["M/D/1"] / sizes["M/M/1"])
        for ratios, workers, model in (
            (one, _ONE, f"M/G/{_ONE}"),
            (eight, _EIGHT, f"M/M/{_EIGHT}"),
        ):
            for errors in _by_repetition(workers_center(tables, workers=workers)):
                ratios.append(1 + errors[model].mean() if model in errors else float("nan"))
    found.check(
        "7.5",
        "A server's link is nearer to M/D/1 than to M/M/1.",
        quantity="mean |error| over rates, M/D/1 over M/M/1",
        measured=mean_of(link),
        holds=at_most(1),
        see="07-5-open",
    )
    for ratios, statement in (
        (one, "One worker under Poisson arrivals is an M/G/1 queue."),
        (eight, "Eight workers under Poisson arrivals are M/M/8."),
    ):
        found.check(
            "7.5",
            statement,
            quantity="predicted / measured response time, mean over rates",
            measured=mean_of(ratios),
            holds=equal_to(1, _CLOSE),
            see="07-5-open",
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


def _by_repetition(center: ServiceCenter) -> list[pd.DataFrame]:
    """Return the relative errors of each repetition: a row per arrival rate, a column per model."""
    if center.runs.empty:
        return []
    errors = run_errors(center)
    return [
        own.pivot_table(index="arrival_rate_per_s", columns="model", values="relative_error")
        for _, own in whole_repetitions(errors).groupby("repetition")
    ]
