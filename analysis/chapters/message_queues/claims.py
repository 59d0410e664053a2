"""Chapter 13: message queues on PostgreSQL, what they cost, and which model predicts them."""

from __future__ import annotations

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
from analysis.claims.claim import Kind
from analysis.claims.findings import SAME, Findings, cell_names, ratio
from analysis.claims.rules import at_least, at_most, equal_to
from analysis.laws.limits import CPU_FULL, at_load
from analysis.statistics.comparison import misses_more
from analysis.statistics.estimates import Estimate, exact, mean_of
from analysis.statistics.stationarity import BLOCKS, HALF, drift

_CLOSE = 2 * SAME
_QUARTERS = 0.75
_MINUTE_S = 60
_Q1, _Q3, _Q4 = (f"no runs of {section}" for section in ("q1", "q3", "q4"))
_NO_CELLS = "demands or cells are missing"
_WORDS = {networks.THROUGHPUT: "X", networks.RESPONSE_TIME: "R"}
_NOTHING = pd.Series(dtype=float)
_UNKNOWN = mean_of([])


def check(found: Findings) -> None:
    """Check how steady and how fast the queues are, what limits them, and what predicts them."""
    measured = evidence_of(map(found.tables, SECTIONS))
    _stability(found, measured)
    _scalability(found, measured)
    _components(found, measured)
    _most(found, measured)
    _networks(found, measured)
    _stations(found, measured)
    _choices(found, measured)
    _transactions(found, measured)
    found.law(SCALABILITY, MOST, chapter="13.4", see="13-4-loads")
    found.processors(*SECTIONS, chapter="13.4", but=("databases",), see="13-4-loads")


def _stability(found: Findings, measured: Evidence | None) -> None:
    blocks = [] if measured is None else measured.blocks()
    drifts = [drift(one) for one in blocks if len(one)]
    found.check(
        "13.1",
        "At fixed sending rates throughput does not drift.",
        quantity=f"throughput, last {HALF} of {BLOCKS} blocks over the first, mean of runs",
        measured=mean_of(drifts),
        holds=equal_to(1, SAME),
        see="13-1-trace",
        missing=f"runs of q1 last less than {BLOCKS} s" if blocks else _Q1,
    )
    found.check(
        "13.1",
        "All that clients are told to send is done.",
        quantity="throughput over clients times sending rate",
        measured=mean_of([] if measured is None else measured.kept_rates()),
        holds=equal_to(1, SAME),
        see="13-1-trace",
        missing=_Q1,
        kind=Kind.VALIDITY,
    )


def _scalability(found: Findings, measured: Evidence | None) -> None:
    most, fewest = _NOTHING, _NOTHING
    if measured is not None:
        plain = measured.plain(SCALABILITY)
        workers = plain["num_middlewares"] * plain["workers"]
        if len(set(workers)) > 1:
            times = plain["middleware_service_time_ms"]
            most, fewest = times[workers == workers.max()], times[workers == workers.min()]
    found.check(
        "13.2",
        "With all workers one holds a request twice as long, at least.",
        quantity="service time, most workers over fewest",
        measured=_over(most, fewest),
        holds=at_least(2),
        see="13-2-growth",
        missing="no runs of q2 with different workers",
    )
    for largest, words, rule in (
        (False, "With the fewest workers locks make no difference.", equal_to(1, _CLOSE)),
        (True, "With the most workers SKIP LOCKED brings half as much again.", at_least(1.5)),
    ):
        levels = ("locks", costs.SKIP_LOCKED, costs.ROW_LOCKS)
        found.check(
            "13.2",
            words,
            quantity="throughput, SKIP LOCKED over row locks",
            measured=_UNKNOWN if measured is None else measured.of_levels(*levels, largest=largest),
            holds=rule,
            see="13-6-locks",
            missing="no runs with both kinds of locks",
        )


def _components(found: Findings, measured: Evidence | None) -> None:
    whole = echo = alone = shares = _NOTHING
    errors = pd.DataFrame(columns=["component", "relative_error"])
    if measured is not None:
        whole = most_of(measured.plain(MOST))
        echo, alone = most_of(echo_runs(measured.runs)), most_of(database_runs(measured.runs))
        errors = parallel_queues.component_models(measured.runs, measured.demands)
        shares = measured.share_at_database()
    for statement, quantity, above, below, rule in (
        (
            "The middlewares alone do five times as much, at least.",
            "most throughput, echo over the whole system",
            echo,
            whole,
            at_least(5),
        ),
        (
            "Clients that think get as much done as those that do not.",
            "most throughput, q4 over q3",
            whole,
            alone,
            equal_to(1, _CLOSE),
        ),
    ):
        found.check(
            "13.3",
            statement,
            quantity=quantity,
            measured=_over(above, below),
            holds=rule,
            see="13-3-components",
            missing=_Q4 if whole.empty else _Q3,
        )
    found.check(
        "13.3",
        "One at a time requests are mostly at the database.",
        quantity="time at the database over response time",
        measured=mean_of(shares.tolist()),
        holds=at_least(0.5),
        see="13-3-stations",
        missing=_Q3,
    )
    # The database's CPU times are those of the very runs that are predicted.
    for component, kind in (("middleware", Kind.FINDING), ("database", Kind.VALIDITY)):
        own = errors[errors["component"] == component].dropna(subset="relative_error")
        found.check_share(
            "13.3",
            f"The machine-repairman model predicts the response time of the {component} alone "
            "within 10\N{NO-BREAK SPACE}%.",
            of="loads predicted within 10 %",
            passes=_within(own, _CLOSE),
            holds=at_least(_QUARTERS),
            see="13-3-stations",
            missing=_Q3,
            kind=kind,
        )


def _most(found: Findings, measured: Evidence | None) -> None:
    loaded = pd.DataFrame() if measured is None else at_load(measured.plain(MOST))
    for statement, column, rule in (
        (
            "At the largest load the database's CPUs are full.",
            "database_utilization",
            at_least(CPU_FULL),
        ),
        (
            "Front-end threads are hardly busy there.",
            "middleware_net_thread_utilization",
            at_most(0.5),
        ),
    ):
        is_known = column in loaded and loaded[column].notna().any()
        found.check(
            "13.4",
            statement,
            quantity="utilization at the most clients, section q4",
            measured=mean_of(loaded[column].tolist() if is_known else []),
            holds=rule,
            see="13-4-loads",
            instead=found.limits(MOST),
            missing=_Q4 if loaded.empty else "nothing tells this utilization",
        )
    few, many = (None, None) if measured is None else measured.ends("net_threads")
    for statement, quantity, factor, levels, rule, instead in (
        (
            "A second database brings four fifths more, at least.",
            "throughput, 2 databases over 1",
            "num_databases",
            (2, 1),
            at_least(1.8),
            found.limits(MOST, num_databases=2),
        ),
        (
            "The fewest front-end threads are enough.",
            "throughput, fewest front-end threads over most",
            "net_threads",
            (few, many),
            equal_to(1, SAME),
            str,
        ),
    ):
        found.check(
            "13.4",
            statement,
            quantity=quantity,
            measured=_UNKNOWN if measured is None else measured.of_levels(factor, *levels),
            holds=rule,
            see="13-4-what-if",
            instead=instead,
            missing="no runs that differ in this alone",
        )
    passes = _NOTHING
    if measured is not None:
        cases = what_ifs(measured.cells, measured.demands).iloc[1:]
        cases = cases[~(cases["machine"] > CPU_FULL)].dropna(subset="relative_error")
        passes = (cases["relative_error"].abs() <= _CLOSE).set_axis(cases["case"])
    found.check_share(
        "13.4",
        "Each changed system reaches its predicted throughput within 10\N{NO-BREAK SPACE}%.",
        of="changes that leave the machine idle time, predicted within 10 %",
        passes=passes,
        holds=at_least(1),
        see="13-4-what-if",
        missing="no changed system was measured",
    )


def _networks(found: Findings, measured: Evidence | None) -> None:
    errors = pd.DataFrame(columns=[*networks.CELL, "quantity", "model", "relative_error"])
    light = held_out = errors
    rights: list[float] = []
    if measured is not None:
        both = prediction_errors.comparisons(measured.cells, measured.predicted)
        parts = [part.assign(quantity=_WORDS[name]) for name, part in both.items()]
        errors = pd.concat([part for part in parts if len(part)] or parts[:1])
        told = errors["is_light"].astype(bool)
        light, held_out = errors[told], errors[~told]
        of_measures = [own for _, own in held_out.groupby("quantity")]
        rights = [prediction_errors.right_share(own) for own in of_measures]
    right = pd.Series(rights, dtype=float).dropna()
    for statement, words, cells, rule, kind in (
        (
            "The network of queues predicts three quarters of throughputs and response times "
            "within 5\N{NO-BREAK SPACE}%.",
            "X and R of cells that told no demands, within 5 %",
            held_out,
            at_least(_QUARTERS),
            Kind.FINDING,
        ),
        (
            "The network of queues predicts the lightest load, which told its demands, within "
            "5\N{NO-BREAK SPACE}%.",
            "X and R of the lightest load, within 5 %",
            light,
            at_least(1),
            Kind.VALIDITY,
        ),
    ):
        own = cells[cells["model"] == networks.NETWORK]
        found.check_share(
            "13.5",
            statement,
            of=words,
            passes=(own["relative_error"].astype(float).abs() <= SAME).set_axis(_names(own)),
            holds=rule,
            see="13-5-shares",
            missing=_NO_CELLS,
            kind=kind,
        )
    found.check(
        "13.5",
        "Repetitions agree so well that a right model is within 5\N{NO-BREAK SPACE}% in three "
        "quarters of cells.",
        quantity="share of X and R within 5 %, a model that is right",
        measured=exact(float(right.mean())) if len(right) else _UNKNOWN,
        holds=at_least(_QUARTERS),
        see="13-5-shares",
        missing="no cell was repeated",
        kind=Kind.VALIDITY,
    )
    times = {} if measured is None else measured.database_times()
    for statement, quantity, ends, see, missing in (
        (
            "A request costs the database as much with many connections.",
            "CPU time of a request, most connections over fewest",
            "connections",
            "13-2-growth",
            _Q3,
        ),
        (
            "It costs as much where the database is asked seldom.",
            "CPU time of a request, fewest clients over most",
            "clients",
            "13-4-utilization",
            _Q4,
        ),
    ):
        found.check(
            "13.5",
            statement,
            quantity=quantity,
            measured=_over(*times.get(ends, (_NOTHING, _NOTHING))),
            holds=equal_to(1, _CLOSE),
            see=see,
            missing=missing,
        )
    more = misses_more(
        held_out,
        networks.SINGLE,
        networks.NETWORK,
        on=[*networks.CELL, "quantity"],
        apart=SAME,
    )
    found.check_share(
        "13.5",
        "Where single servers and the network of queues differ by 5\N{NO-BREAK SPACE}%, single "
        "servers miss by more.",
        of="X and R that differ, which single servers miss by more",
        passes=more["misses_more"].set_axis(_names(more)),
        holds=at_least(_QUARTERS),
        see="13-5-shares",
        missing=_NO_CELLS,
    )


def _stations(found: Findings, measured: Evidence | None) -> None:
    errors = pd.DataFrame(columns=[*networks.CELL, "model", "relative_error"])
    if measured is not None:
        errors = parallel_queues.station_models(measured.cells, measured.demands)
    names = (parallel_queues.PARALLEL, parallel_queues.SHARED)
    more = misses_more(errors, *names, on=networks.CELL, factor=2)
    found.check_share(
        "13.2",
        "In three quarters of loads parallel M/M/1 queues miss by at least twice as much as the "
        "machine-repairman model.",
        of="loads that both predict, missed by twice as much",
        passes=more["misses_more"].set_axis(_names(more)),
        holds=at_least(_QUARTERS),
        see="13-2-stations",
        missing=_NO_CELLS,
    )


def _choices(found: Findings, measured: Evidence | None) -> None:
    commits = _UNKNOWN
    polls = pd.DataFrame(columns=["kind", "database_ms"])
    if measured is not None:
        commits = measured.of_levels("synchronous_commit", False, True, where={"durable": True})
        polls = costs.polling_runs(measured.runs)
    found.check(
        "13.6",
        "On a disk commits that do not wait bring a tenth, at least.",
        quantity="throughput on a disk, synchronous_commit off over on",
        measured=commits,
        holds=at_least(1.1),
        see="13-6-costs",
        missing="no runs on a disk with and without synchronous_commit",
    )
    kinds = (costs.POLLS, costs.MESSAGES)
    empty, full = (polls.loc[polls["kind"] == kind, "database_ms"] for kind in kinds)
    found.check(
        "13.6",
        "Asking an empty queue costs half of a message, at most.",
        quantity="database's CPU time, empty queues over messages",
        measured=_over(empty, full),
        holds=at_most(0.5),
        see="13-6-costs",
        missing="no runs that poll empty queues",
    )


def _transactions(found: Findings, measured: Evidence | None) -> None:
    opened = pd.DataFrame(columns=["lasted_s", "at_its_end", "after"])
    if measured is not None:
        opened = measured.transactions()
    opened = opened[opened["lasted_s"] > _MINUTE_S - 1]
    for statement, column, quantity, rule in (
        (
            "A transaction left open for a minute halves throughput.",
            "at_its_end",
            "throughput, the last third of it over before",
            at_most(0.5),
        ),
        (
            "After it throughput is what it was before.",
            "after",
            "throughput, after over before",
            equal_to(1, SAME),
        ),
    ):
        found.check(
            "13.6",
            statement,
            quantity=quantity,
            measured=mean_of(opened[column].astype(float).tolist()),
            holds=rule,
            see="13-6-transactions",
            missing="no transaction was left open for a minute",
        )


def _within(cells: pd.DataFrame, margin: float) -> pd.Series:
    """Return by the name of each load whether its prediction is within a margin."""
    near = cells["relative_error"].astype(float).abs() <= margin
    names = [
        f"{row.num_clients:g} clients {row.all_workers:g} workers" for row in cells.itertuples()
    ]
    return near.set_axis(names)


def _names(cells: pd.DataFrame) -> list[str]:
    """Name each cell by its clients and by the other levels in which the cells differ."""
    levels = [name for name in (*networks.CELL, "quantity") if name in cells]
    differ = [name for name in levels if len(cells[name].drop_duplicates()) > 1]
    return cell_names(cells[list({*differ, "num_clients"})])


def _over(above: pd.Series, below: pd.Series) -> Estimate:
    """Estimate a ratio of means, not known where a side has no value."""
    above, below = above.dropna(), below.dropna()
    return ratio(above, below) if len(above) and len(below) else _UNKNOWN
