"""Queue workloads of the generator: how it is told of them, and what it says of them."""

from dataclasses import replace

import pytest

from records.paths import PROJECT
from records.settings import DEFAULTS
from remote.services.memtier import Memtier

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
