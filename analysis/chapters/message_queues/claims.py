"""Chapter 13: message queues on PostgreSQL, what they cost, and which model predicts them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from analysis.chapters.message_queues import costs, networks, parallel_queues, prediction_errors
from analysis.chapters.message_queues.evidence import Evidence, evidence_of, most_of
from analysis.chapters.message_queues.runs import (
    MOST,
    SCALABILITY,
    SECTIONS,
    database_runs,
    echo_runs,
)
from analysis.chapters.message_queues.what_ifs import what_ifs
from analysis.claims.claim import Chapter, Kind
from analysis.claims.measurements import (
    SAME,
    Measurements,
    NotMeasured,
    cell_names,
    limits,
    once,
    ratio,
)
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.claims.shared import idle_cpus, interactive_law
from analysis.laws.limits import CPU_FULL, at_load
from analysis.statistics.comparison import misses_more
from analysis.statistics.estimates import Estimate, exact, mean_of
from analysis.statistics.stationarity import BLOCKS, HALF, drift

chapter = Chapter("message-queues")
_CLOSE = 2 * SAME
_QUARTERS = at_least(0.75)
_Q1, _Q3, _Q4 = (f"no runs of {section}" for section in ("q1", "q3", "q4"))
_NO_CELLS = "demands or cells are missing"
_WORDS = {networks.THROUGHPUT: "X", networks.RESPONSE_TIME: "R"}


@once
def _evidence(measured: Measurements) -> Evidence:
    evidence = evidence_of(measured.held(*SECTIONS))
    if evidence is None:
        raise NotMeasured
    return evidence


def _within(cells: pd.DataFrame, margin: float) -> pd.Series:
    near: pd.Series = cells["relative_error"].astype(float).abs() <= margin
    return near


def _names(cells: pd.DataFrame) -> list[str]:
    """Name each cell by its clients and by the other levels in which the cells differ."""
    levels = [name for name in (*networks.CELL, "quantity") if name in cells]
    differ = [name for name in levels if len(cells[name].drop_duplicates()) > 1]
    return cell_names(cells[list({*differ, "num_clients"})])


def _over(above: pd.Series, below: pd.Series, missing: str = "") -> Estimate:
    """Estimate a ratio of means; where a side has no value it was not measured."""
    above, below = above.dropna(), below.dropna()
    if above.empty or below.empty:
        raise NotMeasured(missing)
    return ratio(above, below)


_paced = partial(chapter.claim, "13.1", "13-1-trace", missing=_Q1)


@_paced(
    f"throughput, last {HALF} of {BLOCKS} blocks over the first, mean of runs", equal_to(1, SAME)
)
def throughput_does_not_drift(measured: Measurements) -> Estimate:
    """With clients that send at fixed rates, throughput does not drift."""
    blocks = _evidence(measured).blocks()
    drifts = [drift(one) for one in blocks if len(one)]
    if blocks and not drifts:
        raise NotMeasured(f"runs of q1 last less than {BLOCKS} s")
    return mean_of(drifts)


@_paced("throughput over clients times sending rate", equal_to(1, SAME), kind=Kind.VALIDITY)
def sending_rates_are_kept(measured: Measurements) -> Estimate:
    """The message queues complete as many requests as the clients are configured to send."""
    return mean_of(_evidence(measured).kept_rates())


@chapter.claim(
    "13.2",
    "13-2-growth",
    "service time, most workers over fewest",
    at_least(2),
    missing="no runs of q2 with different workers",
)
def many_workers_hold_requests_longer(measured: Measurements) -> Estimate:
    """With the most workers, a request takes a worker at least twice as long as with the fewest."""
    plain = _evidence(measured).plain(SCALABILITY)
    workers = plain["num_middlewares"] * plain["workers"]
    if len(set(workers)) < 2:
        raise NotMeasured
    times = plain["middleware_service_time_ms"]
    return _over(times[workers == workers.max()], times[workers == workers.min()])


def _skip_locked(measured: Measurements, *, largest: bool) -> Estimate:
    levels = ("locks", costs.SKIP_LOCKED, costs.ROW_LOCKS)
    return costs.ratio_of_levels(_evidence(measured).runs, *levels, largest=largest)


_locks = partial(
    chapter.claim,
    "13.2",
    "13-6-locks",
    "throughput, SKIP LOCKED over row locks",
    missing="no runs with both kinds of locks",
)


@_locks(equal_to(1, _CLOSE))
def locks_do_not_matter_to_few_workers(measured: Measurements) -> Estimate:
    """With the fewest workers, row locks and SKIP LOCKED have the same throughput."""
    return _skip_locked(measured, largest=False)


@_locks(at_least(1.5))
def skip_locked_helps_many_workers(measured: Measurements) -> Estimate:
    """With the most workers, SKIP LOCKED has at least 50 % more throughput than row locks."""
    return _skip_locked(measured, largest=True)


def _most_over(measured: Measurements, above: str, below: str) -> Estimate:
    """Compare the most throughput of two: the whole system, its middlewares, the database alone."""
    evidence = _evidence(measured)
    whole = most_of(evidence.plain(MOST))
    most = {
        "whole": whole,
        "echo": most_of(echo_runs(evidence.runs)),
        "database": most_of(database_runs(evidence.runs)),
    }
    return _over(most[above], most[below], _Q3 if len(whole) else _Q4)


_components = partial(chapter.claim, "13.3", "13-3-components", missing=_Q4)


@_components("most throughput, echo over the whole system", at_least(5))
def middlewares_alone_do_more(measured: Measurements) -> Estimate:
    """Without a database, the middlewares reach at least five times the throughput of the whole
    system.
    """
    return _most_over(measured, "echo", "whole")


@_components("most throughput, q4 over q3", equal_to(1, _CLOSE))
def thinking_clients_get_as_much(measured: Measurements) -> Estimate:
    """Clients with and without think time reach the same maximum throughput."""
    return _most_over(measured, "whole", "database")


_stations = partial(chapter.claim, "13.3", "13-3-stations", missing=_Q3)


@_stations("time at the database over response time", at_least(0.5))
def lone_requests_are_at_the_database(measured: Measurements) -> Estimate:
    """With one request at a time, the database takes at least half of the response time."""
    return mean_of(_evidence(measured).share_at_database().tolist())


@once
def _component_errors(measured: Measurements) -> pd.DataFrame:
    evidence = _evidence(measured)
    errors = parallel_queues.component_models(evidence.runs, evidence.demands)
    return errors.dropna(subset="relative_error")


def _component_predicted(component: str, kind: Kind) -> None:
    @_stations(
        "share of loads predicted within 10 %",
        _QUARTERS,
        name=f"machine-repairman-predicts-{component}",
        statement=f"The machine-repairman model predicts the response time of the {component} "
        "alone within 10 %.",
        kind=kind,
    )
    def compute(measured: Measurements) -> pd.Series:
        errors = _component_errors(measured)
        own = errors[errors["component"] == component]
        loads = zip(own["num_clients"], own["all_workers"], strict=True)
        names = [f"{clients:g} clients {workers:g} workers" for clients, workers in loads]
        return _within(own, _CLOSE).set_axis(names)


_component_predicted("middleware", Kind.FINDING)
# The database's CPU times are those of the very runs that are predicted.
_component_predicted("database", Kind.VALIDITY)


def _utilization(measured: Measurements, column: str) -> Estimate:
    loaded = at_load(_evidence(measured).plain(MOST))
    if loaded.empty:
        raise NotMeasured
    if column not in loaded or loaded[column].isna().all():
        raise NotMeasured("no run recorded this utilization")
    return mean_of(loaded[column].tolist())


_at_most_clients = partial(
    chapter.claim,
    "13.4",
    "13-4-loads",
    "utilization at the most clients, section q4",
    missing=_Q4,
    instead=limits(MOST),
)


@_at_most_clients(at_least(CPU_FULL))
def database_cpus_are_full(measured: Measurements) -> Estimate:
    """At the largest load, the database's CPUs are utilized by at least 90 %."""
    return _utilization(measured, "database_utilization")


@_at_most_clients(at_most(0.5))
def front_end_threads_are_idle(measured: Measurements) -> Estimate:
    """At the largest load, the middlewares' front-end threads are utilized by at most 50 %."""
    return _utilization(measured, "middleware_net_thread_utilization")


_changes = partial(
    chapter.claim, "13.4", "13-4-what-if", missing="no runs that differ in this alone"
)


@_changes("throughput, 2 databases over 1", at_least(1.8), instead=limits(MOST, num_databases=2))
def a_second_database_brings_more(measured: Measurements) -> Estimate:
    """A second database raises throughput by at least 80 %."""
    return costs.ratio_of_levels(_evidence(measured).runs, "num_databases", 2, 1)


@_changes("throughput, fewest front-end threads over most", equal_to(1, SAME))
def few_front_end_threads_are_enough(measured: Measurements) -> Estimate:
    """With the fewest front-end threads, throughput is the same as with the most."""
    evidence = _evidence(measured)
    return costs.ratio_of_levels(evidence.runs, "net_threads", *evidence.ends("net_threads"))


@_changes(
    "share of changes predicted within 10 %, where the machine has CPU time left",
    at_least(1),
    missing="no changed system was measured",
)
def changed_systems_are_predicted(measured: Measurements) -> pd.Series:
    """The network of queues predicts the throughput of each changed system within 10 %."""
    evidence = _evidence(measured)
    cases = what_ifs(evidence.cells, evidence.demands).iloc[1:]
    cases = cases[~(cases["machine"] > CPU_FULL)].dropna(subset="relative_error")
    return _within(cases, _CLOSE).set_axis(cases["case"])


@once
def _network_errors(measured: Measurements) -> pd.DataFrame:
    evidence = _evidence(measured)
    both = prediction_errors.comparisons(evidence.cells, evidence.predicted)
    parts = [part.assign(quantity=_WORDS[name]) for name, part in both.items()]
    errors = pd.concat([part for part in parts if len(part)] or parts[:1])
    return errors.astype({"is_light": bool})


def _held_out(measured: Measurements) -> pd.DataFrame:
    errors = _network_errors(measured)
    own: pd.DataFrame = errors[~errors["is_light"]]
    return own


def _network_predicts(measured: Measurements, *, light: bool) -> pd.Series:
    errors = _network_errors(measured)
    own = errors[(errors["is_light"] == light) & (errors["model"] == networks.NETWORK)]
    return _within(own, SAME).set_axis(_names(own))


_cells = partial(chapter.claim, "13.5", "13-5-shares", missing=_NO_CELLS)


@_cells("share of X and R within 5 %, cells not used for fitting", _QUARTERS)
def network_predicts_most_cells(measured: Measurements) -> pd.Series:
    """The network of queues predicts 75 % of the throughputs and response times within 5 %."""
    return _network_predicts(measured, light=False)


@_cells("share of X and R within 5 %, lightest load", at_least(1), kind=Kind.VALIDITY)
def network_predicts_the_lightest_load(measured: Measurements) -> pd.Series:
    """The network of queues reproduces the lightest load, to which its demands were fitted, within
    5 %.
    """
    return _network_predicts(measured, light=True)


@_cells(
    "share of X and R that a perfect model predicts within 5 %",
    _QUARTERS,
    kind=Kind.VALIDITY,
    missing="no cell was repeated",
)
def repetitions_agree(measured: Measurements) -> Estimate:
    """Repetitions agree so well that a perfect model would be within 5 % in 75 % of the cells."""
    of_measures = [own for _, own in _held_out(measured).groupby("quantity")]
    shares = pd.Series(map(prediction_errors.right_share, of_measures), dtype=float)
    return exact(float(shares.mean()))


@chapter.claim(
    "13.5",
    "13-2-growth",
    "CPU time of a request, most connections over fewest",
    equal_to(1, _CLOSE),
    missing=_Q3,
)
def connections_do_not_raise_cpu_time(measured: Measurements) -> Estimate:
    """The database's CPU time per request is the same with the most and the fewest connections."""
    return _over(*_evidence(measured).database_times()["connections"])


@chapter.claim(
    "13.5",
    "13-4-utilization",
    "CPU time of a request, fewest clients over most",
    equal_to(1, _CLOSE),
    missing=_Q4,
)
def low_load_does_not_raise_cpu_time(measured: Measurements) -> Estimate:
    """The database's CPU time per request is the same with the fewest and the most clients."""
    return _over(*_evidence(measured).database_times()["clients"])


def _misses_more(errors: pd.DataFrame, *models: str, **options: Any) -> pd.Series:
    more = misses_more(errors, *models, **options)
    return more["misses_more"].set_axis(_names(more))


@_cells("share of differing X and R that single servers predict worse", _QUARTERS)
def single_servers_miss_by_more(measured: Measurements) -> pd.Series:
    """Where a network of single servers differs by 5 % from the network of queues, it errs more."""
    on = [*networks.CELL, "quantity"]
    return _misses_more(_held_out(measured), networks.SINGLE, networks.NETWORK, on=on, apart=SAME)


@chapter.claim(
    "13.2",
    "13-2-stations",
    "share of loads at which the error is at least twice as large",
    _QUARTERS,
    missing=_NO_CELLS,
)
def parallel_queues_miss_by_more(measured: Measurements) -> pd.Series:
    """At 75 % of the loads, parallel M/M/1 queues err at least twice as much as the
    machine-repairman model.
    """
    evidence = _evidence(measured)
    errors = parallel_queues.station_models(evidence.cells, evidence.demands)
    models = (parallel_queues.PARALLEL, parallel_queues.SHARED)
    return _misses_more(errors, *models, on=networks.CELL, factor=2)


@chapter.claim(
    "13.6",
    "13-6-costs",
    "throughput on a disk, synchronous_commit off over on",
    at_least(1.1),
    missing="no runs on a disk with and without synchronous_commit",
)
def commits_that_do_not_wait_help(measured: Measurements) -> Estimate:
    """On a disk, asynchronous commits raise throughput by at least 10 %."""
    levels = ("synchronous_commit", False, True)
    return costs.ratio_of_levels(_evidence(measured).runs, *levels, where={"durable": True})


@chapter.claim(
    "13.6",
    "13-6-costs",
    "database's CPU time, empty queues over messages",
    at_most(0.5),
    missing="no runs that poll empty queues",
)
def polls_cost_half_a_message(measured: Measurements) -> Estimate:
    """Polling an empty queue takes at most half of the database's CPU time for a message."""
    polls = costs.polling_runs(_evidence(measured).runs)
    kinds = (costs.POLLS, costs.MESSAGES)
    empty, full = (polls.loc[polls["kind"] == kind, "database_ms"] for kind in kinds)
    return _over(empty, full)


def _around_transactions(measured: Measurements, column: str) -> Estimate:
    """Estimate the change of throughput by transactions that were left open for a minute."""
    opened = _evidence(measured).transactions()
    return mean_of(opened.loc[opened["lasted_s"] > 60 - 1, column].astype(float).tolist())


_transactions = partial(
    chapter.claim, "13.6", "13-6-transactions", missing="no transaction was left open for a minute"
)


@_transactions("throughput, the last third of it over before", at_most(0.5))
def an_open_transaction_halves_throughput(measured: Measurements) -> Estimate:
    """A transaction that stays open for a minute halves throughput at least."""
    return _around_transactions(measured, "at_its_end")


@_transactions("throughput, after over before", equal_to(1, SAME))
def throughput_recovers_after_it(measured: Measurements) -> Estimate:
    """After a long transaction ends, throughput returns to its former level."""
    return _around_transactions(measured, "after")


interactive_law(chapter, SCALABILITY, MOST, section="13.4", see="13-4-loads")
idle_cpus(chapter, *SECTIONS, section="13.4", but=("databases",), see="13-4-loads")
