"""Figures of message queues on tables that a simulation gives."""

import dataclasses

import pytest

from analysis.chapters.message_queues import lines
from analysis.chapters.message_queues.costs import ROW_LOCKS
from analysis.chapters.message_queues.evidence import evidence_of
from analysis.chapters.message_queues.networks import DATABASE, NETWORK, SINGLE
from analysis.chapters.message_queues.plots.queue_networks import (
    WORKERS_TITLE,
    plot_loads,
    plot_locks,
    plot_over_workers,
)
from analysis.chapters.message_queues.plots.queue_runs import plot_opened, plot_paced
from tests.helpers.queues import by_section, queue_tables

pytestmark = pytest.mark.slow  # chapter 13, which `make test` checks, shows the same


@pytest.fixture(scope="module")
def measured():
    return evidence_of(by_section(queue_tables()).values())


def shown(figure, mode):
    return [trace for trace in figure.data if trace.mode == mode and trace.x[0] is not None]


def test_loads_are_those_of_the_system_as_it_is(measured):
    figure = plot_loads(*lines.over_clients(measured))
    throughput, response_time = shown(figure, "markers")
    assert list(throughput.x) == list(response_time.x) == [1, 8, 16, 32, 64, 128]
    assert len(shown(figure, "lines")) == 2 * 3
    assert {SINGLE, NETWORK, DATABASE} <= {trace.name for trace in figure.data}
    assert figure.layout.xaxis.title.text == "Number of clients"


def test_workers_stand_where_clients_do_elsewhere(measured):
    figure = plot_over_workers(*lines.over_workers(measured))
    throughput, _ = shown(figure, "markers")
    assert list(throughput.x) == [1, 4, 16, 64]
    assert figure.layout.xaxis.title.text == WORKERS_TITLE


def test_locks_are_told_by_workers(measured):
    figure = plot_locks(lines.by_locks(measured))
    markers = shown(figure, "markers")
    assert [trace.name for trace in markers] == ["row-locks", "skip-locked"] * 2
    assert all(list(trace.x) == [1, 64] for trace in markers)
    assert figure.layout.xaxis.title.text == WORKERS_TITLE


def test_locks_of_which_only_one_kind_was_measured_are_told_as_not_measured(measured):
    runs = measured.runs[measured.runs["locks"] != ROW_LOCKS]
    figure = plot_locks(lines.by_locks(dataclasses.replace(measured, runs=runs)))
    assert shown(figure, "markers") == []
    assert figure.layout.annotations[-1].text == "not measured with both kinds of locks"


def test_runs_are_shown_second_by_second(measured):
    paced = plot_paced(measured.tables)
    assert [trace.name for trace in paced.data] == ["48 clients"]
    assert paced.layout.meta["runs"] == {"48 clients": 1}
    opened = plot_opened(measured.tables)
    assert [trace.name for trace in opened.data] == [f"repetition {n}" for n in (1, 2, 3)]
    (span,) = opened.layout.shapes
    assert (span.x0, span.x1) == (60, 120)
