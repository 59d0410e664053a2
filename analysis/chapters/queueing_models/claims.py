"""Chapter 7: which model predicts what was measured."""

from __future__ import annotations

from functools import partial

import pandas as pd

from analysis.chapters.queueing_models.cells import compare_cells, predict_cells
from analysis.chapters.queueing_models.open_loop import compare_open
from analysis.chapters.queueing_models.open_stations import link_center, workers_center
from analysis.chapters.queueing_models.what_if import ELSEWHERE, predict_elsewhere
from analysis.claims.claim import Chapter
from analysis.claims.measurements import (
    SAME,
    THROUGHPUT,
    Measurements,
    NotMeasured,
    cell_names,
    once,
    with_round_trips,
)
from analysis.claims.rules import at_least, at_most
from analysis.claims.shared import idle_cpus
from analysis.laws.summary import cells
from analysis.models.calibration_split import out_of_sample_rows
from analysis.models.fed_with_closed_loops import (
    BEST_SECOND,
    SERVICE_TIMES,
    station_predictions,
)
from analysis.statistics.comparison import misses_more
from analysis.tables.frames import NAMES, Tables, stack

chapter = Chapter("queueing-models")
_CLOSE = 2 * SAME
_FULL = 0.9  # utilization
_MOST = at_least(0.9)  # of cells
_RATE = "arrival_rate_per_s"


@once
def _stations(measured: Measurements) -> pd.DataFrame:
    """Return what open queues predict of the cells of section 3.1 that judge them."""
    tables = _with_network(measured, measured.tables("3.1"))
    predicted = station_predictions(cells(tables.runs), tables.windows)
    return out_of_sample_rows(predicted, tables.runs)


def _best_second(measured: Measurements) -> pd.DataFrame:
    judged = _stations(measured)
    own: pd.DataFrame = judged[judged["service_rate_from"] == BEST_SECOND]
    return own


def _with_network(measured: Measurements, tables: Tables) -> Tables:
    """Add the tables of the idle network if it was measured."""
    for network in measured.held("0"):
        parts = [(getattr(tables, name), getattr(network, name)) for name in NAMES]
        return Tables(**{name: stack(list(both)) for name, both in zip(NAMES, parts, strict=True)})
    return tables


def _within(cells: pd.DataFrame, margin: float) -> pd.Series:
    """Return by the name of each predicted cell whether its error is within a margin."""
    known = cells.dropna(subset="relative_error")
    near = known["relative_error"].astype(float).abs() <= margin
    return near.set_axis(cell_names(known))


_recipes = partial(chapter.claim, "7.1", "07-1-recipes")


@_recipes("share of judged cells whose response time is predicted within 10 %", at_most(0.5))
def best_second_misses_most(measured: Measurements) -> pd.Series:
    """With the throughput of the best second as service rate, M/M/1 and M/M/m mispredict most
    cells.
    """
    return _within(_best_second(measured), _CLOSE)


@_recipes("share of judged cells with U over 0.9 that change by 10 % or more", _MOST)
def one_request_more_matters(measured: Measurements) -> pd.Series:
    """Above 90 % utilization, one request more in the best second changes M/M/1 by 10 % or more."""
    studies = _best_second(measured)
    full = studies[(studies["model"] == "M/M/1") & (studies["utilization"] >= _FULL)]
    step = 1 - full["one_request_more"] / full["predicted"]
    return (step >= _CLOSE).set_axis(cell_names(full))


@_recipes("share of judged cells with U below 0.9 predicted within 10 %", _MOST)
def service_times_predict_idle_workers(measured: Measurements) -> pd.Series:
    """With measured service times, M/M/m is within 10 % wherever utilization is below 90 %."""
    judged = _stations(measured)
    by_law = judged[(judged["service_rate_from"] == SERVICE_TIMES) & (judged["model"] == "M/M/m")]
    return _within(by_law[by_law["utilization"] < _FULL], _CLOSE)


@once
def _network(measured: Measurements) -> pd.DataFrame:
    """Return what the network of queues predicts of the cells of sections 3.1 and 3.2."""
    parts = []
    for section in ("3.1", "3.2"):
        for held in measured.held(section):
            tables = with_round_trips(_with_network(measured, held))
            own = cells(tables.runs)
            parts.append(compare_cells(own, predict_cells(tables, own, section), THROUGHPUT))
    if not parts:
        raise NotMeasured
    compared = pd.concat(parts)
    return compared.assign(full_link=compared["bottleneck"].astype(str).str.endswith("link"))


_predicted = partial(chapter.claim, "7.2", "07-3-predicted")


@_predicted("share of judged cells with a saturated link predicted within 5 %", _MOST)
def network_predicts_full_links(measured: Measurements) -> pd.Series:
    """Where the closed network predicts a saturated link, it predicts throughput within 5 %."""
    compared = _network(measured)
    return _within(compared[compared["full_link"]], SAME)


@_predicted("share of judged cells without saturated link predicted at least 5 % too low", _MOST)
def network_is_too_low_without_full_links(measured: Measurements) -> pd.Series:
    """Where the closed network predicts no saturated link, it predicts at least 5 % too little
    throughput.
    """
    compared = _network(measured)
    others = compared[~compared["full_link"]]
    return (others["relative_error"] <= -SAME).set_axis(cell_names(others))


def _rates(cells: pd.DataFrame) -> list[str]:
    """Name each arrival rate: ``697 requests/s``."""
    return [f"{rate:.0f} requests/s" for rate in cells[_RATE]]


@chapter.claim(
    "7.5",
    "07-5-open",
    "share of arrival rates at which M/M/1 misses by more than M/D/1",
    at_least(1),
)
def constant_service_predicts_a_link_better(measured: Measurements) -> pd.Series:
    """At every arrival rate, M/D/1 predicts the response time at a link better than M/M/1."""
    tables = _with_network(measured, measured.tables("7"))
    more = misses_more(compare_open(link_center(tables)), "M/M/1", "M/D/1", on=[_RATE])
    return more["misses_more"].set_axis(_rates(more))


def _open_workers(workers: int, words: str, model: str) -> None:
    """Judge the model of a station of workers at each rate of Poisson arrivals."""

    @chapter.claim(
        "7.5",
        "07-5-errors",
        "share of arrival rates at which the mean error of the runs is within 10 %",
        _MOST,
        name=f"poisson-arrivals-{workers}-workers",
        statement=f"Under Poisson arrivals, {model} predicts the response time of {words} within "
        "10 %.",
    )
    def compute(measured: Measurements) -> pd.Series:
        tables = _with_network(measured, measured.tables("7"))
        compared = compare_open(workers_center(tables, workers=workers))
        own = compared[compared["model"] == model].dropna(subset="relative_error")
        near = own["relative_error"].astype(float).abs() <= _CLOSE
        return near.set_axis(_rates(own))


_open_workers(1, "one worker", "M/G/1")
_open_workers(8, "eight workers", "M/M/8")
idle_cpus(chapter, "7", see="07-5-open")


@chapter.claim(
    "7.6",
    "07-6-elsewhere",
    "share of cells of 3.2, 4.1 and 6 whose throughput is predicted within 10 %",
    _MOST,
)
def one_middleware_predicts_other_systems(measured: Measurements) -> pd.Series:
    """A model calibrated on one middleware predicts throughput of other systems within 10 %."""
    tables = with_round_trips(_with_network(measured, measured.tables("3.1")))
    others = [part.runs for part in measured.held(*ELSEWHERE)]
    if not others:
        raise NotMeasured
    return _within(predict_elsewhere(tables, stack(others)), _CLOSE)
