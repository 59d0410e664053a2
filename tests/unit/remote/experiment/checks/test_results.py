from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.results import read_memtier_json
from remote.experiment.checks.results import client_results

DATA = Path(__file__).parents[4] / "data" / "memtier"
WINDOW = {"warm_up_s": 2, "stable_s": 10}
SIX = [
    "client_throughput_ops_per_s",
    "client_response_time_ms",
    *(f"client_p{p}_ms" for p in (50, 90, 95, 99)),
]


@pytest.fixture
def run():
    """A generator's run of 13 s: gets of 1 to 9 ms, sets of 20 to 59 ms, thrice in the warm-up."""
    rng = np.random.default_rng(15)
    rows, slices = [], []
    for slice_number in range(130):
        times = np.append(rng.integers(1, 10, size=45), rng.integers(20, 60, size=5))
        times *= 1 if slice_number >= 20 else 3
        slices.append((slice_number / 10, len(times), float(times.sum())))
        kinds = ["get"] * 45 + ["set"] * 5
        rows.append(pd.DataFrame({"request_type": kinds, "time_ms": times.astype(float)}))
    requests = pd.concat(rows, keys=range(130), names=["slice", None]).reset_index("slice")
    requests["second"] = requests["slice"] // 10
    by_second = requests.groupby(["request_type", "second"])["time_ms"].agg(["size", "mean"])
    histograms = requests.groupby(["request_type", "second", "time_ms"]).size().reset_index()
    return replace(
        read_memtier_json(DATA / "drop-in" / "mixed-multiget6.json").run,
        seconds=by_second.reset_index().set_axis(
            ["request_type", "second", "requests", "response_time_ms"], axis="columns"
        ),
        slices=pd.DataFrame(slices, columns=["start_s", "requests", "response_time_sum_ms"]),
        histograms_by_second=histograms.set_axis(
            ["request_type", "second", "upper_edge_ms", "count"], axis="columns"
        ),
    )


def test_results_are_of_the_stable_window_of_all_instances(run):
    found = client_results([run, run], **WINDOW, time_dilation=1)
    assert found["client_throughput_ops_per_s"] == 1000
    assert found["client_response_time_ms"] == pytest.approx(0.9 * 5 + 0.1 * 39.5, rel=0.02)
    assert found["client_p50_ms"] == pytest.approx(5, abs=1)
    assert found["client_p95_ms"] == pytest.approx(39.5, abs=3)
    assert found["client_p99_ms"] == pytest.approx(56, abs=2)
    assert found["client_slowest_response_time_ms"] == pytest.approx(39.5, rel=0.05)
    assert 2000 <= found["client_transient_ms"] < 6000
    assert set(found) >= {
        *SIX,
        "client_throughput_ops_per_s_error",
        "client_response_time_ms_error",
    }
    assert not {"client_p95_ms_error", "client_p99_ms_error"} & set(found)  # tails of one run
    assert all(type(value) is float for value in found.values())


def test_errors_are_as_small_as_the_run_is_long(run):
    found = client_results([run], **WINDOW, time_dilation=1)
    sd = np.sqrt(0.9 * (60 / 9 + 3.45**2) + 0.1 * (133 + 31.05**2))  # of one response time
    assert 0 < found["client_response_time_ms_error"] < 1.2 * sd / np.sqrt(5000)
    assert found["client_throughput_ops_per_s_error"] == 0


def test_results_are_undilated(run):
    plain = client_results([run], **WINDOW, time_dilation=1)
    dilated = client_results([run], **WINDOW, time_dilation=10)
    for name, value in plain.items():
        factor = 10 if name.startswith("client_throughput") else 1 / 10
        assert dilated[name] == pytest.approx(value * factor), name


def test_memtier_tells_no_percentiles_of_the_window_and_no_transient(run):
    bare = replace(run, slices=run.slices[:0], histograms_by_second=None)
    found = client_results([run, bare], **WINDOW, time_dilation=1)
    assert set(found) == {*SIX[:2], "client_slowest_response_time_ms"}
    longer = client_results([bare], warm_up_s=0, stable_s=30, time_dilation=1)
    assert "client_response_time_ms_error" not in longer  # it stops after 13 s: a step, no noise


def test_seconds_and_slices_without_requests_count_as_nothing_done(run):
    stopped = replace(
        run,
        seconds=run.seconds[run.seconds["second"] < 7],
        slices=run.slices[run.slices["start_s"] < 7],
        histograms_by_second=run.histograms_by_second.query("second < 7"),
    )
    found = client_results([stopped], **WINDOW, time_dilation=1)
    assert found["client_throughput_ops_per_s"] == 250
    assert "client_throughput_ops_per_s_error" not in found  # it has a step, not noise alone
    nothing = client_results([stopped], warm_up_s=8, stable_s=5, time_dilation=1)
    assert nothing["client_response_time_ms"] == nothing["client_throughput_ops_per_s"] == 0
    assert "client_response_time_ms_error" not in nothing
