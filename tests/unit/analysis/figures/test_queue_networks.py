"""Figures of message queues on tables that a simulation gives."""

import pytest

from analysis.figures.queue_networks import (
    WORKERS_TITLE,
    plot_comparisons,
    plot_loads,
    plot_over_workers,
)
from analysis.queues import lines, networks
from analysis.queues.evidence import evidence_of
from analysis.queues.networks import DATABASE, NETWORK, SINGLE
from tests.helpers.queues import by_section, queue_tables


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


def test_each_measure_has_a_panel_of_predictions(measured):
    both = networks.comparisons(measured.cells, measured.predicted)
    figure = plot_comparisons(both)
    names = [trace.name for trace in figure.data if trace.mode == "markers"]
    assert names == [DATABASE, NETWORK, SINGLE] * 2
    shares = networks.shares_by_measure(both)
    assert set(shares["quantity"]) == {"throughput", "response time"}
    assert shares["cells"].eq(12).all()
