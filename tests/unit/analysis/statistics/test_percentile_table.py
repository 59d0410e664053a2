import pandas as pd
import pytest

from analysis.results.histograms import percentiles_by
from analysis.statistics.percentile_table import (
    measured_over,
    percentile_table,
    with_intervals,
)


@pytest.fixture
def histograms():
    """Two runs of clients that differ in their slowest quarter, one of middlewares."""
    parts = [
        pd.DataFrame({"side": side, "upper_edge_ms": [1.0, 3.0], "count": [75, 25]})
        for side in ("client", "client", "middleware")
    ]
    parts[1]["upper_edge_ms"] = [1.0, 5.0]
    return pd.concat([part.assign(repetition=n, stable=True) for n, part in enumerate(parts, 1)])


def test_percentiles_of_a_system_stand_in_one_row_repetitions_merged(histograms):
    table = percentile_table(histograms, ["side"])
    names = [f"{p}\N{NO-BREAK SPACE}% (ms)" for p in (25, 50, 75, 90, 95, 99)]
    assert list(table) == ["side", *names]
    merged, alone = table[names].to_numpy().tolist()
    assert merged == ["1 ± 0"] * 3 + ["5 ± 32"] * 3  # 31.82 times 1.414, over the root of 2
    assert alone == ["1"] * 3 + ["3"] * 3


def test_intervals_are_those_of_the_repetitions_own_percentiles(histograms):
    found = with_intervals(percentiles_by(histograms, ["side"], (99,)))
    assert found["half_width_ms"].iloc[0] == pytest.approx(31.82, rel=1e-3)
    assert pd.isna(found["half_width_ms"].iloc[1])


def test_what_was_not_measured_has_no_intervals(histograms):
    none = percentiles_by(histograms, ["side"], (99,)).iloc[:0]
    assert list(with_intervals(none)["half_width_ms"]) == []


def test_part_of_the_run_is_told(histograms):
    assert measured_over(histograms) == "stable window"
    clients = histograms["side"] == "client"
    assert measured_over(histograms.assign(stable=~clients)) == "clients: whole runs"
    assert measured_over(histograms[clients].assign(stable=False)) == "whole runs"
