import pandas as pd

from analysis.chapters.routing_and_replication.plots import (
    plot_copies,
    plot_distributions,
    plot_request_shares,
)
from analysis.figures.panels import runs_of
from tests.unit.analysis.figures.plots.gallery import copies, service_times, shares


def test_shares_count_the_runs_of_all_series_once():
    assert sum(runs_of(plot_request_shares(shares())).values()) == 6


def test_differences_from_the_ring_stand_in_a_band_of_chance():
    figure = plot_request_shares(shares())
    points = [trace for trace in figure.data if trace.type == "scatter"]
    assert all(abs(y + 0.1) < 1e-9 for trace in points for y in trace.y)
    band = next(shape for shape in figure.layout.shapes if shape.type == "rect")
    assert (band.y0, band.y1) == (-0.2, 0.2)


def test_copies_stand_beside_each_other_at_their_number_of_workers():
    figure = plot_copies(copies(), copies(), service_times())
    one, bound, three = figure.data[:3]
    assert [list(trace.x) for trace in (one, three)] == [["8", "64"]] * 2
    assert figure.layout.xaxis.categoryarray == ("8", "64")  # not in the order of letters
    assert figure.layout.scattermode == "group"
    assert one.offsetgroup == bound.offsetgroup != three.offsetgroup
    assert list(bound.y) == [9_000, 9_000]
    assert sum(runs_of(figure).values()) == 12
    assert figure.layout.yaxis.title.text == "Throughput (op/s)"
    assert [trace.name for trace in figure.data][-2:] == ["gets", "sets"]


def test_distributions_share_their_axis_title():
    rows = pd.DataFrame({"side": "client", "repetition": [1, 2], "upper_edge_ms": 1.0, "count": 1})
    figure = plot_distributions({"one": rows, "other": rows})
    assert figure.layout.yaxis.title.text == "Share of requests"
    assert not figure.layout.yaxis2.title.text
    assert sum(runs_of(figure).values()) == 4
