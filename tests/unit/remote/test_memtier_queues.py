"""Queue workloads of the generator: how it is told of them, and what it says of them."""

import subprocess
from dataclasses import replace

import pytest

from analysis.paths import PROJECT
from analysis.results import read_memtier_json
from analysis.results.memtier import read_memtier_text
from records.settings import DEFAULTS
from remote.services.memtier import Memtier
from tests.helpers.queue_server import QueueServer

DROP_IN = PROJECT / "middleware-kotlin" / "bin" / "memtier_benchmark"
OPERATIONS = ["send", "pop", "peek", "list"]
MEMTIER = Memtier(
    program="memtier_benchmark",
    server="127.0.0.1",
    port=11211,
    length="--test-time=1",
    json_file="memtier-0.json",
)
SETTINGS = replace(
    DEFAULTS,
    workload="queue",
    threads_per_instance=2,
    clients_per_thread=4,
    value_bytes=200,
    key_prefix="q",
    queue_mix="send:40,pop:50,peek:10,list:10",
    queues=4,
    receivers=3,
)


def test_queues_are_asked_for_in_place_of_keys():
    assert MEMTIER.command(SETTINGS) == (
        "memtier_benchmark --server=127.0.0.1 --port=11211 --protocol=memcache_text --test-time=1 "
        "--key-prefix=q --distinct-client-seed --randomize --json-out-file=memtier-0.json "
        "--hide-histogram --clients=4 --data-size=200 --threads=2 "
        "--queue-mix=send:40,pop:50,peek:10,list:10 --queues=4 --receivers=3"
    )


@pytest.mark.parametrize(
    ("pace", "words"),
    [
        ({"think_time_s": 0.0002}, "--think-time=0.200000"),
        ({"think_time_s": 0.005 * 3}, "--think-time=15.000000"),
        ({"sending_rate_per_s": 100.0}, "--rate-limiting=100"),
        ({"sending_rate_per_s": 100 / 3}, "--rate-limiting=33.33333333"),
    ],
)
def test_think_times_are_told_in_ms_and_rates_with_their_fractions(pace, words):
    assert f" {words} " in MEMTIER.command(replace(SETTINGS, **pace))


def generate(server, folder, length_s=1, **pace):
    """The JSON and the text that the drop-in writes of a run."""
    path = folder / "memtier-0.json"
    memtier = replace(MEMTIER, program=str(DROP_IN), port=server.port, json_file=str(path))
    command = replace(memtier, length=f"--test-time={length_s}").command(replace(SETTINGS, **pace))
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (folder / "memtier-0.out").write_text(done.stdout)
    (table,) = read_memtier_text(folder / "memtier-0.out")
    return read_memtier_json(path).run, table


def counted(run, what):
    """Keys that were found, or missed, by operation: its share of the requests."""
    totals = run.totals.loc[OPERATIONS]
    shares = totals[f"{what}_per_s"] / totals["reported_throughput_ops_per_s"]
    return (shares * totals["requests"]).round().astype(int).to_dict()


@pytest.mark.slow
def test_what_the_generator_counts_is_what_the_server_counts(tmp_path):
    with QueueServer() as server:
        run, table = generate(server, tmp_path)
    told = server.outcomes
    found = {operation: told[f"{operation} hit"] for operation in OPERATIONS}
    missed = {operation: told[f"{operation} miss"] for operation in OPERATIONS}
    assert min(found["pop"], missed["pop"], found["peek"], found["list"]) > 0
    assert counted(run, "hits") == found
    assert counted(run, "misses") == missed
    requests = run.totals["requests"]
    assert requests["send"] == told["send"]
    assert requests["total"] == sum(told.values()) == requests[OPERATIONS].sum()
    assert run.error_replies == 0
    assert server.lengths == {200}
    assert set(run.histograms_by_second["request_type"]) == set(OPERATIONS)
    assert set(run.seconds["request_type"]) == set(OPERATIONS)
    assert set(run.histograms) == {*OPERATIONS, "total"}
    printed = table.totals["reported_throughput_ops_per_s"]
    assert printed[[*OPERATIONS, "total"]].to_dict() == {
        kind: run.totals.loc[kind, "reported_throughput_ops_per_s"]
        for kind in (*OPERATIONS, "total")
    }


@pytest.mark.slow
def test_clients_send_at_the_rate_that_is_told(tmp_path):
    with QueueServer() as server:
        run, _ = generate(server, tmp_path, length_s=3, sending_rate_per_s=100 / 3)
    assert 8 * 10 <= run.totals.loc["total", "requests"] <= 8 * 101  # late, but never faster
