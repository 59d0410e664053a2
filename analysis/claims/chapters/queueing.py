"""Chapter 7: which model predicts what was measured."""

from __future__ import annotations

import pandas as pd

from analysis.claims.findings import SAME, THROUGHPUT, Findings
from analysis.claims.rules import at_most, equal_to
from analysis.models.cells import compare_cells, predict_cells
from analysis.models.fed_with_closed_loops import station_predictions
from analysis.sections.open_loop import ServiceCenter, compare_open
from analysis.sections.open_stations import link_center, workers_center
from analysis.sections.summary import cells
from analysis.sections.what_if import ELSEWHERE, predict_elsewhere
from analysis.statistics.estimates import mean_of
from analysis.tables.frames import NAMES, Tables, stack

_CLOSE = 2 * SAME
_HALF = 0.5
_ONE, _EIGHT = 1, 8


def check(found: Findings) -> None:
    """Check what open queues, the network of queues and its what-ifs predict, and why not more."""
    _black_box(found)
    _network(found)
    _open_arrivals(found)
    found.processors("7", see="07-5-open")
    _what_if(found)


def _black_box(found: Findings) -> None:
    tables = _with_network(found, "3.1")
    near: list[float] = []
    if tables is not None:
        compared = station_predictions(cells(tables.runs), tables.windows)
        near = (compared["relative_error"].abs() <= _CLOSE).astype(float).tolist()
    found.check(
        "7.1",
        "As M/M/1 or M/M/m a closed loop is missed in most cells.",
        quantity="share of response times within 10 %, all cells",
        measured=mean_of(near),
        holds=at_most(_HALF),
        see="07-1-black-box",
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
    found.check(
        "7.2",
        "Where it expects a full link the network of queues is right.",
        quantity="|error| of the throughput, mean over such cells",
        measured=mean_of(full["relative_error"].abs().tolist()),
        holds=at_most(SAME),
        see="07-3-predicted",
    )
    others = compared[~limit.str.endswith("link")]
    found.check(
        "7.2",
        "Elsewhere the network of queues predicts too little.",
        quantity="predicted / measured throughput, mean over the others",
        measured=mean_of((1 + others["relative_error"]).tolist()),
        holds=at_most(1 - SAME),
        see="07-3-predicted",
    )


def _open_arrivals(found: Findings) -> None:
    tables = _with_network(found, "7")
    link: list[float] = []
    one: list[float] = []
    eight: list[float] = []
    runs = pd.DataFrame(columns=["repetition"]) if tables is None else tables.runs
    for _, own in runs.groupby("repetition"):
        assert tables is not None
        repetition = cells(own)
        errors = _errors(link_center(tables, repetition))
        if len(errors):
            link.append(errors["M/D/1"].abs().mean() / errors["M/M/1"].abs().mean())
        for ratios, workers, model in (
            (one, _ONE, f"M/G/{_ONE}"),
            (eight, _EIGHT, f"M/M/{_EIGHT}"),
        ):
            errors = _errors(workers_center(tables, repetition, workers=workers))
            if len(errors):
                ratios.append(1 + errors[model].mean())
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
    errors: list[float] = []
    if tables is not None and others:
        compared = predict_elsewhere(tables, stack(others))
        errors = compared["relative_error"].abs().tolist()
    found.check(
        "7.6",
        "Runs of 3.1 alone tell what other systems reach, within 10\N{NO-BREAK SPACE}%.",
        quantity="|error| of the throughput, mean over 3.2, 4.1 and 6",
        measured=mean_of(errors),
        holds=at_most(_CLOSE),
        see="07-6-elsewhere",
    )


def _with_network(found: Findings, section: str) -> Tables | None:
    """Return the tables of a section, with those of the idle network if it was measured."""
    own, network = found.tables(section), found.tables("0")
    if own is None or network is None:
        return own
    parts = [(getattr(own, name), getattr(network, name)) for name in NAMES]
    return Tables(**{name: stack(list(both)) for name, both in zip(NAMES, parts, strict=True)})


def _errors(center: ServiceCenter) -> dict[str, pd.Series]:
    """Return the relative errors of each model at a station, by its name."""
    compared = compare_open(center)
    return {str(model): own["relative_error"] for model, own in compared.groupby("model")}
