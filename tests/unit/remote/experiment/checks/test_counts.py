"""Counts of a mixed run with 1 000 sets and 1 000 gets by each of two instances."""

from types import SimpleNamespace

import pandas as pd
import pytest

from remote.experiment.checks.counts import count_checks
from tests.helpers.campaign import write_compressed
from tests.helpers.manifests import manifest_of

SETS = GETS = 1000


def generators():
    requests = pd.Series({"set": SETS, "get": GETS, "total": SETS + GETS})
    return [SimpleNamespace(totals=pd.DataFrame({"requests": requests}))] * 2


def manifest(middlewares, servers, **settings):
    targets = (middlewares or servers)[:2]
    targets = targets if len(targets) == 2 else targets * 2
    return {
        "settings": {"routing": "round-robin", "replicas": 1, **settings},
        "num_clients": 4,
        "roles": {"clients": ["c1"], "middlewares": middlewares, "servers": servers},
        "targets": {"c1": targets},
    }


def serve(folder, server, sets, keys):
    stats = "STAT cmd_get {}\r\nSTAT cmd_set {}\r\nEND\r\n"
    before, after = stats.format(7, 9), stats.format(7 + keys, 9 + sets)
    files = {"before": before, "after": after}
    write_compressed(
        folder, {f"{server}/memcached-stats-{when}.txt": text for when, text in files.items()}
    )


def proxy(folder, middleware, sets, gets, kind="get"):
    rows = "\n".join(
        f"1795000000,{request_type},{count},{count},0,0,0,0,0"
        for request_type, count in [("set", sets), (kind, gets)]
    )
    header = "epoch_s,request_type,keys,requests,errors,hits,misses,bytes_in,bytes_out"
    write_compressed(folder, {f"{middleware}/middleware/windows.csv": f"{header}\n{rows}\n"})


@pytest.fixture(autouse=True)
def only_windows(monkeypatch):
    """The middleware's other files play no part here."""

    def read(folder):
        return SimpleNamespace(windows=pd.read_csv(folder / "windows.csv.gz"))

    monkeypatch.setattr("analysis.results.packets.read_middleware", read)


def failed(folder, document):
    checks = count_checks(folder, manifest_of(**document), generators())
    return sorted(check.name for check in checks if not check.passed)


def test_direct_instances_count_at_the_server_that_each_sends_to(tmp_path):
    serve(tmp_path, "s1", SETS, GETS)
    serve(tmp_path, "s2", SETS, GETS)
    assert failed(tmp_path, manifest([], ["s1", "s2"])) == []
    serve(tmp_path, "s1", SETS + GETS, 0)
    assert failed(tmp_path, manifest([], ["s1", "s2"])) == ["s1_keys_counts", "s1_sets_counts"]


def test_all_requests_of_a_pipeline_may_count_on_one_side_only(tmp_path):
    document = manifest([], ["s1", "s2"])
    for server in ("s1", "s2"):
        serve(tmp_path, server, SETS + 16, GETS)
    assert failed(tmp_path, document) == ["s1_sets_counts", "s2_sets_counts"]
    assert failed(tmp_path, {**document, "num_clients": 4 * 4}) == []


def test_replicated_sets_count_at_every_server_and_gets_at_one(tmp_path):
    proxy(tmp_path, "m1", SETS, GETS)
    proxy(tmp_path, "m2", SETS, GETS)
    for server, keys in [("s1", 700), ("s2", 1300)]:
        serve(tmp_path, server, 2 * SETS, keys)
    document = manifest(["m1", "m2"], ["s1", "s2"])
    assert failed(tmp_path, document) == []
    serve(tmp_path, "s2", SETS, 1200)
    assert failed(tmp_path, document) == ["s2_sets_counts", "servers_keys_counts"]


def test_multi_gets_count_once_for_each_key_at_the_servers(tmp_path):
    proxy(tmp_path, "m1", 2 * SETS, 2 * GETS, kind="multi-get-9")
    serve(tmp_path, "s1", 2 * SETS, 9 * GETS)
    serve(tmp_path, "s2", 2 * SETS, 9 * GETS)
    document = manifest(["m1"], ["s1", "s2"], multi_get_keys=9)
    assert failed(tmp_path, document) == []
    serve(tmp_path, "s2", 2 * SETS, 9 * GETS - 9 * (4 + 2))  # under way, and 0.1 % of all
    assert failed(tmp_path, document) == []
    serve(tmp_path, "s2", 2 * SETS, 9 * GETS - 9 * (4 + 2) - 1)
    assert failed(tmp_path, document) == ["servers_keys_counts"]


@pytest.mark.parametrize(("replicas", "copies"), [(1, 1), (2, 2), ("all", 3)])
def test_sets_with_replicas_count_as_often_as_there_are_replicas(tmp_path, replicas, copies):
    proxy(tmp_path, "m1", 2 * SETS, 2 * GETS)
    shares = [copies * 500, copies * 700, copies * 800]
    for server, share in zip(["s1", "s2", "s3"], shares, strict=True):
        serve(tmp_path, server, share, 2 * GETS // 3)
    settings = {"routing": "consistent-hash", "replicas": replicas}
    document = manifest(["m1"], ["s1", "s2", "s3"], **settings)
    assert failed(tmp_path, document) == []
    allowed = copies * (4 + 2)  # under way, and 0.1 % of all
    serve(tmp_path, "s3", shares[2] - allowed, 2 * GETS // 3)
    assert failed(tmp_path, document) == []
    serve(tmp_path, "s3", shares[2] - allowed - 1, 2 * GETS // 3)
    assert failed(tmp_path, document) == ["servers_sets_counts"]


def test_middleware_that_counted_fewer_requests_is_named(tmp_path):
    proxy(tmp_path, "m1", 2 * SETS, GETS)
    serve(tmp_path, "s1", 2 * SETS, 2 * GETS)
    assert failed(tmp_path, manifest(["m1"], ["s1"])) == ["m1_requests_counts"]
