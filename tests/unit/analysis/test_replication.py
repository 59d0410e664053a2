import pandas as pd
import pytest

from analysis import replication
from tests.unit.analysis.test_routing import KEYS, SERVERS


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


def test_sets_are_counted_at_the_clients():
    rows = [("client", "set", 1.0), ("client", "get", 99.0), ("middleware", "set", 50.0)]
    frame = pd.DataFrame(rows, columns=["side", "request_type", "throughput_ops_per_s"])
    assert replication.write_fraction(frame) == pytest.approx(0.01)
    assert replication.write_fraction(frame.query("request_type == 'get'")) == 0


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
