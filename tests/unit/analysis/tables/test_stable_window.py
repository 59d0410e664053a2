import gzip
import json

import pytest

from analysis.results.histograms import percentiles_by
from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_run, write_compressed
from tests.helpers.tools import COOL_DOWN_S, STABLE_S, WARM_UP_S

CONFIG = {"workload": "set", "clients_per_thread": 32, "workers": 8}
QUICK_US, SLOW_US = 2_000, 90_000  # in the stable window, and before and after it


def tell_course(folder, host):
    """Make a generator tell histograms by second, all as quick or as slow as it says above."""
    path = folder / host / "memtier-0.json.gz"
    document = json.loads(gzip.decompress(path.read_bytes()))
    seconds = document["ALL STATS"]["Sets"]["Time-Serie"]
    counts = [second["Count"] for second in seconds.values()]
    times = [SLOW_US] * WARM_UP_S + [QUICK_US] * STABLE_S + [SLOW_US] * COOL_DOWN_S
    document["middleware-lab"]["Runs"][0] |= {
        "Histograms": {"Sets": [[[t], [n]] for t, n in zip(times, counts, strict=True)]},
        "Slices": {
            "Length": 1000,
            "Counts": counts,
            "Accumulated Latencies": [t * n for t, n in zip(times, counts, strict=True)],
        },
    }
    write_compressed(folder, {f"{host}/memtier-0.json": json.dumps(document)})


@pytest.fixture
def run(tmp_path):
    return build_run(tmp_path, "3.1", CONFIG)


def test_percentiles_and_histograms_of_clients_are_of_the_stable_window(run, tmp_path):
    for host in ("c1", "c2", "c3"):
        tell_course(run, host)
    tables = tidy_campaign(tmp_path)
    row = tables.runs.iloc[0]
    for name in ("p25", "p50", "p99", "p99.9"):
        assert row[f"client_response_time_{name}_ms"] == QUICK_US / 1000
    assert row["client_percentiles_stable"]
    clients = tables.histograms.query("side == 'client'")
    assert clients["stable"].all()
    assert clients["upper_edge_ms"].unique() == [QUICK_US / 1000]
    windows = tables.windows.query("side == 'client' and stable")
    assert clients["count"].sum() == pytest.approx(windows["throughput_ops_per_s"].sum())


def test_percentiles_of_whole_runs_are_told_as_such(run, tmp_path):
    tell_course(run, "c1")  # one instance is not enough
    tables = tidy_campaign(tmp_path)
    assert not tables.runs["client_percentiles_stable"].any()
    by_side = tables.histograms.groupby("side")["stable"]
    assert by_side.all().to_dict() == {"client": False, "middleware": True}
    errors = tables.runs.filter(regex="^client_response_time_p.*_error_ms$")
    assert errors.shape[1] == 7
    assert errors.isna().all().all()


def test_percentiles_of_merged_runs_tell_how_far_runs_differ(tmp_path):
    for repetition in (1, 2, 3):
        build_run(tmp_path, "3.1", CONFIG, repetition=repetition)
    tables = tidy_campaign(tmp_path)
    found = percentiles_by(tables.histograms.query("side == 'client'"), ["side"], (50, 99))
    assert found["runs"].tolist() == [3, 3]
    for percentile, sd in found.set_index("percentile")["sd_ms"].items():
        own = tables.runs[f"client_response_time_p{percentile}_ms"]
        assert sd == pytest.approx(own.std())
    single = tables.histograms.query("repetition == 1")
    assert percentiles_by(single, ["side"], (50,))["sd_ms"].isna().all()
