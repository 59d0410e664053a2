import pytest

from remote.tools import iperf, memcached, middleware, monitors
from remote.tools.memtier import MemtierOptions, prefill

OPTIONS = MemtierOptions(
    program="/opt/my tools/memtier_benchmark",
    server="198.18.0.31",
    port=11211,
    threads=2,
    clients_per_thread=8,
    ratio="0:1",
    value_bytes=4096,
    key_count=10000,
    expiry_range_s="9999-10000",
    test_time_s=6,
    json_file="memtier-0.json",
)


def test_memtier_command_has_the_studies_options():
    assert OPTIONS.command() == (
        "'/opt/my tools/memtier_benchmark' --server=198.18.0.31 --port=11211 "
        "--protocol=memcache_text --threads=2 --clients=8 --test-time=6 --ratio=0:1 "
        "--data-size=4096 --key-minimum=1 --key-maximum=10000 --key-pattern=R:R "
        "--expiry-range=9999-10000 --distinct-client-seed --randomize "
        "--json-out-file=memtier-0.json --hide-histogram"
    )


def test_memtier_prefill_writes_every_key_once():
    command = prefill("memtier", "198.18.0.31", 11211, like=OPTIONS).command()
    assert "--key-pattern=P:P" in command
    assert "--requests=allkeys" in command
    assert "--ratio=1:0" in command
    assert "--test-time" not in command


@pytest.mark.parametrize("lengths", [{"requests": "5"}, {"test_time_s": None}])
def test_memtier_needs_exactly_one_length(lengths):
    with pytest.raises(ValueError, match="exactly one of test_time_s and requests"):
        MemtierOptions(**{**vars(OPTIONS), **lengths})


def test_middleware_command_is_that_of_the_course():
    options = middleware.MiddlewareOptions(
        jar="bin/middleware.jar",
        address="198.18.0.21",
        workers=64,
        servers=("198.18.0.31:11211", "198.18.0.32:11211"),
    )
    assert options.command().endswith(
        "-jar bin/middleware.jar -l 198.18.0.21 -p 11212 -t 64 -s false "
        "-m 198.18.0.31:11211 198.18.0.32:11211 --stats-dir middleware"
    )


def test_memcached_serves_on_one_address_with_one_thread():
    assert memcached.command("198.18.0.31", user="lab").startswith(
        "memcached -l 198.18.0.31 -p 11211 -U 0 -t 1 "
    )
    assert memcached.command("198.18.0.31", user="root").endswith("-u root")


def test_memcached_stats_become_a_mapping():
    text = "STAT pid 4711\r\nSTAT version 1.6.18\r\nSTAT libevent 2.1.12-stable x\r\nEND\r\n"
    assert memcached.parse_stats(text) == {
        "pid": "4711",
        "version": "1.6.18",
        "libevent": "2.1.12-stable x",
    }


def test_monitor_commands():
    assert monitors.ping_command("10.0.0.1", count=3).endswith("-i 1 -c 3 10.0.0.1")
    assert monitors.dool_command("python3 dool").endswith("--output dool.csv 1")
    assert iperf.client_command("10.0.0.1", seconds=2).endswith("--time 2 --omit 1 --json")
    assert "--one-off" in iperf.server_command("10.0.0.1")
