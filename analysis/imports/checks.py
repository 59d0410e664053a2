"""Contradictions within an imported run, as checks of its manifest.

A run is rejected where files are missing, unreadable or cut. Everything else is advisory: it is
recorded and reported, because nobody can measure the run again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import pandas as pd

from analysis.imports.reading import RunContents
from analysis.units import MS_PER_S
from records.import_plan import JSON, STDOUT
from records.settings import Settings
from records.verdict import ADVISORY, Check

COUNTS, CLIENTS_LAW, QUEUE_LAW = 0.02, 0.05, 0.25
"""Largest relative differences that are no contradiction: of requests, and in Little's law at the
clients and at the queue, whose length most middlewares sample once a second."""
_SHORTEST_QUEUE = 1.0
_SHARE_OF_LENGTH = 0.9


def whole_checks(
    contents: RunContents, settings: Settings, duration_s: int | None
) -> Iterator[Check]:
    """Yield the checks that a run needs to pass: all files are there, whole and readable."""
    wrong = [f"{path.name}: {reason}" for path, reason in contents.unreadable.items()]
    yield Check(name="files_readable", passed=not wrong, detail="; ".join(wrong))
    expected = {STDOUT: settings.instances, JSON: settings.instances}
    kinds = {one.reader for one in contents.clients}
    missing = [
        f"{len(found)} of {count} load generators"
        for reader, count in expected.items()
        if reader in kinds and len(found := contents.of_reader(reader)) < count
    ]
    if not contents.clients:
        missing.append("no load generator")
    if len(contents.middlewares) < settings.num_middlewares:
        missing.append(f"{len(contents.middlewares)} of {settings.num_middlewares} middlewares")
    yield Check(name="files_complete", passed=not missing, detail="; ".join(missing))
    short = list(_short(contents, duration_s))
    yield Check(name="durations", passed=not short, detail="; ".join(short))


def _short(contents: RunContents, duration_s: int | None) -> Iterator[str]:
    """Yield the files that end before the run did."""
    lengths = {f"client {one.instance}": _length(one.seconds) for one in contents.clients}
    lengths |= {host: _length(log.seconds) for host, log in contents.middlewares.items()}
    told = [one.duration_s for one in contents.clients if one.duration_s]
    for name, length in lengths.items():
        due = duration_s or max(told, default=0)
        if length and length < _SHARE_OF_LENGTH * due:
            yield f"{name} has {length} of {due} s"


def _length(seconds: pd.DataFrame) -> int:
    return 0 if seconds.empty else int(seconds["second"].max()) + 1


def contradictions(
    contents: RunContents, settings: Settings, tables: Mapping[str, pd.DataFrame]
) -> Iterator[Check]:
    """Yield the advisory checks; those that need numbers which the run lacks are left out."""
    run = tables["runs"].iloc[0].to_dict()

    def value(name: str) -> float:
        return float(run.get(name, math.nan))

    lost = [c.instance for c in contents.clients if c.totals["throughput_ops_per_s"].isna().any()]
    detail = f"throughput of 0 beside a response time: load generators {', '.join(lost)}"
    yield _advisory("generators_count", lost, detail)
    yield from _told(contents, settings)
    known = set(tables["hosts"]["host"]) if "hosts" in tables else set()
    spare = sorted(contents.loads.keys() - known)
    detail = f"more hosts were recorded than the path states: {', '.join(spare)}"
    yield _advisory("hosts_as_told", spare, detail)
    client, middleware = (value(f"{s}_throughput_ops_per_s") for s in ("client", "middleware"))
    text = "clients {:.1f} op/s, middlewares {:.1f} op/s"
    yield from _compared("requests_counts", client, middleware, COUNTS, text)
    if settings.known_think_time_s == 0:
        held = client * value("client_response_time_ms") / MS_PER_S
        text = "{:.0f} clients, throughput times response time is {:.1f}"
        yield from _compared("littles_law_clients", settings.num_clients, held, CLIENTS_LAW, text)
    length = value("middleware_queue_length")
    waiting = middleware * value("middleware_queueing_time_ms") / MS_PER_S
    if max(length, waiting) > _SHORTEST_QUEUE:
        text = "queue length {:.1f}, throughput times queueing time is {:.1f}"
        yield from _compared("littles_law_queue", length, waiting, QUEUE_LAW, text)
    rate = value("client_miss_rate")
    if not math.isnan(rate):
        yield _advisory("no_misses", rate > 0, f"{100 * rate:.2g} % of the keys missed")
    yield from _gaps(tables.get("windows"), int(run["stable_s"]))


def _told(contents: RunContents, settings: Settings) -> Iterator[Check]:
    """Compare what load generators print of themselves with what the paths state."""
    due = (settings.threads_per_instance, settings.clients_per_thread)
    other = [
        f"{one.instance}: {one.threads} threads of {one.clients_per_thread} clients"
        for one in contents.clients
        if one.threads and one.clients_per_thread and (one.threads, one.clients_per_thread) != due
    ]
    detail = f"{due[0]} threads of {due[1]} clients by the path, but {'; '.join(other)}"
    yield _advisory("generators_as_told", other, detail)


def _compared(name: str, first: float, second: float, margin: float, text: str) -> Iterator[Check]:
    if math.isnan(first) or math.isnan(second):
        return
    differs = abs(first - second) > margin * max(abs(first), abs(second))
    yield _advisory(name, differs, text.format(first, second))


def _gaps(windows: pd.DataFrame | None, stable_s: int) -> Iterator[Check]:
    if windows is None:
        return
    served = windows[windows["stable"] & (windows["throughput_ops_per_s"] > 0)]
    sides = windows["side"].unique()
    gaps = {side: stable_s - int((served["side"] == side).sum()) for side in sides}
    texts = [f"{side} {idle_s} s" for side, idle_s in gaps.items() if idle_s]
    yield _advisory("no_gaps", texts, f"seconds without requests: {', '.join(texts)}")


def _advisory(name: str, wrong: object, detail: str) -> Check:
    return Check(name=name, passed=not wrong, detail=detail if wrong else "", severity=ADVISORY)
