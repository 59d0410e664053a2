"""Figures of message queues on tables that a simulation gives."""

import dataclasses

import pytest

from analysis.chapters.message_queues import lines
from analysis.chapters.message_queues.costs import ROW_LOCKS
from analysis.chapters.message_queues.evidence import evidence_of
from analysis.chapters.message_queues.plots import plot_locks
from tests.helpers.queues import by_section, queue_tables

pytestmark = pytest.mark.slow  # chapter 13, which `make test` checks, shows the same


@pytest.fixture(scope="module")
def measured():
    return evidence_of(by_section(queue_tables()).values())


def shown(figure, mode):
    return [trace for trace in figure.data if trace.mode == mode and trace.x[0] is not None]


def test_locks_of_which_only_one_kind_was_measured_are_told_as_not_measured(measured):
    runs = measured.runs[measured.runs["locks"] != ROW_LOCKS]
    figure = plot_locks(lines.by_locks(dataclasses.replace(measured, runs=runs)))
    assert shown(figure, "markers") == []
    assert figure.layout.annotations[-1].text == "not measured with both kinds of locks"
