import pandas as pd
import pytest

from analysis.sections import replication
from tests.unit.analysis.sections.test_routing import KEYS, SERVERS


def test_runs_without_middleware_are_split_off():
    cells = pd.DataFrame({"num_middlewares": [0, 1], "replicas": [None, 3], "workers": [None, 8]})
    direct, through = replication.direct_and_through(cells, cells)
    assert (len(direct), len(through)) == (1, 1)
    assert through["replicas"].tolist() == [3]
    with pytest.raises(ValueError, match="no run with a middleware"):
        replication.direct_and_through(cells.head(1), cells)


def test_what_no_run_varies_is_taken_from_the_runs():
    runs = pd.DataFrame({"num_middlewares": [1], "replicas": [2], "workers": [64]})
    _, through = replication.direct_and_through(pd.DataFrame({"x": [1.0]}), runs)
    assert through[["replicas", "workers"]].iloc[0].tolist() == [2, 64]


def counted():
    """Count a direct run, R = 1 without any set and R = 3 with 1 %; 8 s of the clock, k = 8."""
    systems = [(0, None, None, 1.0, 99.0), (1, 1, 8, None, 99.0), (1, 3, 8, 1.0, 99.0)]
    names = ["num_middlewares", "replicas", "workers"]
    rows = [
        (*system, repetition, side, kind, rate)
        for *system, sets, gets in systems
        for repetition in (1, 2)
        for side in ("client", "middleware")
        for kind, rate in (("set", sets), ("get", gets))
        if rate is not None
    ]
    columns = [*names, "repetition", "side", "request_type", "throughput_ops_per_s"]
    request_types = pd.DataFrame(rows, columns=columns).assign(time_dilation=8.0)
    runs = request_types[[*names, "repetition"]].drop_duplicates().assign(stable_s=8)
    return replication.request_counts(request_types, runs)


def test_requests_are_counted_at_the_clients_by_cell():
    counts = counted()
    assert counts[["num_middlewares", "replicas", "workers"]].to_numpy().tolist() == [
        [0, 0, 0], [1, 1, 8], [1, 3, 8],
    ]  # fmt: skip
    assert counts["sets"].tolist() == [2, 0, 2]  # of 2 repetitions of 8 s, 1/8 per s of the clock
    assert counts["gets"].tolist() == [198] * 3
    assert replication.write_fraction(counts.tail(1)) == pytest.approx(0.01)
    assert replication.write_fraction(counts.tail(2)) == pytest.approx(2 / 398)


THROUGHPUT = "client_throughput_ops_per_s"


def through(means):
    return pd.DataFrame(
        {
            "workers": 8,
            "replicas": [1, 3],
            f"{THROUGHPUT}_mean": means,
            f"{THROUGHPUT}_ci_low": [mean - 1 for mean in means],
            f"{THROUGHPUT}_ci_high": [mean + 1 for mean in means],
        }
    )


def test_cells_without_sets_are_not_compared():
    made = replication.with_sets(through([100.0, 90.0]), counted())
    assert made["replicas"].tolist() == [3]
    assert replication.copies_table(made, 3).empty


def test_copies_cost_what_more_requests_do():
    counts = counted().assign(sets=2, set_share=0.01)
    made = replication.with_sets(through([100.0, 90.0]), counts)
    (row,) = replication.copies_table(made, 3).to_dict("records")
    assert (row["replicas"], row["fewest_replicas"], row["significant"]) == (3, 1, True)
    assert row["relative_throughput"] == pytest.approx(-0.1)
    assert row["requests_per_request"] == pytest.approx(1.02)
    made = replication.with_sets(through([100.0, 99.5]), counts)
    assert not replication.copies_table(made, 3)["significant"].any()


def test_shares_are_shown_in_percent_and_points():
    shares = pd.DataFrame({"replicas": [1], "server": "s1", "share_mean": 0.3276})
    shares = shares.assign(share_sd=0.001, expected=0.3262, difference=0.0014)
    shown = replication.shown_shares(shares)
    assert shown["Difference (percentage points)"].iloc[0] == pytest.approx(0.14)


def test_summary_has_every_system():
    direct = pd.DataFrame(
        {"num_middlewares": [0], "replicas": None, "workers": None, f"{THROUGHPUT}_mean": 5.0}
    )
    names = [
        f"{stem}{unit}_{kind}" for stem, unit in replication._SUMMARY for kind in ("mean", "sd")
    ]
    with_it = pd.DataFrame([dict.fromkeys(names, 1.0) | {"num_middlewares": 1}])
    table = replication.summary_table(direct, with_it.assign(replicas=2, workers=64))
    assert table["workers"].isna().tolist() == [True, False]
    assert table["client_throughput_ops_per_s"].tolist() == [5.0, 1.0]
    assert table["client_throughput_sd_ops_per_s"].tolist()[1] == 1.0


def test_shares_stand_beside_the_rings():
    addresses = dict(zip(("s1", "s2", "s3"), SERVERS, strict=True))
    shares = pd.DataFrame({"replicas": 3, "server": list(addresses), "share_mean": 1 / 3})
    table = replication.beside_the_ring(shares, addresses, KEYS, 1.0)
    assert table["difference"].abs().max() == pytest.approx(0)


def test_without_direct_runs_no_overhead_is_known():
    assert replication.overhead_table(pd.DataFrame(), pd.DataFrame()).empty


def test_missing_levels_make_a_group():
    frame = pd.DataFrame({"workers": [None, 8], "replicas": [None, 3], "x": [1.0, None]})
    filled = replication.with_levels(frame)
    assert filled["workers"].tolist() == [0, 8]
    assert filled["x"].isna().sum() == 1
    assert replication.without_levels(filled)["workers"].isna().tolist() == [True, False]
    assert replication.without_levels(filled)["replicas"].tolist()[1] == 3
