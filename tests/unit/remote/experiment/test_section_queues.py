"""Sections of message queues: which settings they have, and which go together."""

import pytest

from remote.errors import ConfigError
from remote.experiment.describe import configuration_table
from remote.experiment.section_file import read_section

QUEUES = """
[hosts]
clients = 2
middlewares = 2
databases = 2
[generator]
clients_per_thread = 4
queue_mix = "send:1,pop:1"
queues = 5
receivers = 3
think_time_s = 0.005
value_bytes = 200
[middleware]
backend = "postgresql"
workers = 10
[database]
autovacuum = false
shared_buffers_mib = 64
[factors]
workload = ["queue"]
locks = ["skip-locked", "row-locks"]
[profiles.smoke]
repetitions = 1
stable_s = 2
"""


def read(folder, text):
    (folder / "x.toml").write_text(text)
    return read_section("x", "smoke", folder=folder)


def test_manifest_holds_what_applies_and_nothing_else(tmp_path):
    section = read(tmp_path, QUEUES)
    kept = section.settings(section.configs()[0]).to_dict()
    told = {"think_time_s": 0.005, "autovacuum": False, "synchronous_commit": True, "queues": 5}
    assert told.items() <= kept.items()
    assert not {"routing", "replicas", "key_count", "ratio", "num_servers"} & set(kept)
    cache = read_section("3.1", "smoke")
    of_cache = cache.settings(cache.configs()[0]).to_dict()
    assert not {"queue_mix", "backend", "num_databases", "autovacuum"} & set(of_cache)
    assert {"routing", "key_count", "num_servers"} <= set(of_cache)


def test_echo_needs_no_database(tmp_path):
    text = QUEUES.replace('"postgresql"', '"echo"').replace("databases = 2\n", "")
    section = read(tmp_path, text.replace('locks = ["skip-locked", "row-locks"]\n', ""))
    assert "databases" not in section.hosts
    kept = section.settings(section.configs()[0]).to_dict()
    assert kept["backend"] == "echo"
    assert not {"locks", "autovacuum", "num_databases"} & set(kept)


@pytest.mark.parametrize(
    ("given", "think_time_s"),
    [
        ("think_time_s = 0.005", 0.005),
        ("think_time_s = 0", 0.0),
        ("", 0.0),
        ("sending_rate_per_s = 100", None),
        ("arrival_rate_per_s = 100", None),
    ],
)
def test_think_time_is_known_where_clients_have_no_times_of_their_own(
    tmp_path, given, think_time_s
):
    section = read(tmp_path, QUEUES.replace("think_time_s = 0.005", given))
    assert section.settings(section.configs()[0]).known_think_time_s == think_time_s


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("databases = 2", "servers = 1", "needs databases, no servers"),
        ("databases = 2", "databases = 0", "backend postgresql needs hosts.databases"),
        ("middlewares = 2", "middlewares = 0", "middleware.workers is given without a middleware"),
        ('backend = "postgresql"\n', "", "workload queue needs middleware.backend postgresql or"),
        ('queue_mix = "send:1,pop:1"\n', "", "workload queue needs queue_mix, such as send:40"),
        ('"send:1,pop:1"', '"send:1,pop:0"', "queue_mix must be weights >= 1, such as send:40"),
        ("value_bytes = 200", "key_count = 5", "key_count: workload queue has none of it"),
        ("workers = 10", "workers = 10\nobserved = 'packets'", "packets of databases tell nothing"),
        ("workers = 10", "workers = 10\ndepth = 2", "depth 2 with backend postgresql: .* leave"),
        ("think_time_s = 0.005", "pipeline = 2", "pipeline: workload queue has none of it"),
        ("workers = 10", "workers = 300", "600 workers in all are more than the 500 connections"),
        (
            "think_time_s = 0.005",
            "think_time_s = 0.005\nsending_rate_per_s = 10",
            "think_time_s and sending_rate_per_s: each says when requests are sent",
        ),
        ('["queue"]', '["set"]', "hosts.servers must be at least 1"),
        (
            "[profiles.smoke]\nrepetitions = 1\nstable_s = 2",
            "[profiles.smoke]\nprecision = { throughput = 0.1 }\ntime_dilation = 'auto'",
            "time_dilation `auto` cannot tell databases from the machine",
        ),
    ],
)
def test_section_of_queues_names_what_does_not_go_together(tmp_path, old, new, message):
    assert old in QUEUES
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, QUEUES.replace(old, new))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("[generator]\nqueues = 3", "queues: workload set has none of it"),
        ("[middleware]\nbackend = 'echo'", "backend echo belongs to workload queue, not to set"),
        ("[database]\ndurable = true", "durable: workload set has none of it"),
    ],
)
def test_caches_have_no_settings_of_queues(tmp_path, given, message):
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, f'base = "3.1"\n{given}\n')


def test_number_of_databases_may_be_a_factor(tmp_path):
    text = QUEUES.replace("databases = 2\n", "")
    text = text.replace("[profiles.smoke]", "num_databases = [1, 2]\n[profiles.smoke]")
    section = read(tmp_path, text)
    assert section.hosts["databases"] == 2
    assert {section.settings(config).num_databases for config in section.configs()} == {1, 2}


def test_configuration_table_tells_of_queues(tmp_path):
    table = configuration_table(read(tmp_path, QUEUES)).set_index("parameter")["value"]
    assert table["Workload"] == "messages in queues, send:1,pop:1"
    assert (table["Queues"], table["Receivers"], table["Number of databases"]) == ("5", "3", "2")
    assert (table["Think time (s)"], table["Locks"]) == ("0.005", "skip-locked, row-locks")
    assert not {"Number of servers", "Key space"} & set(table.index)
