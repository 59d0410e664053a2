"""How PostgreSQL is started; that it runs is seen on the lab."""

import shlex
from dataclasses import replace

import pytest

from records.settings import DEFAULTS
from remote.services.postgresql import Cluster
from tests.helpers.hosts import host

D1 = host("d1", "databases", "198.18.0.41")


def options(time_dilation=1.0, **changes):
    cluster = Cluster.of(replace(DEFAULTS, backend="postgresql", **changes), time_dilation)
    words = shlex.split(cluster.command(D1))
    assert words[:2] == ["sh", "postgresql.sh"]
    return words[2:4], dict(word.split("=", 1) for word in words[4:] if word != "-c")


def test_cluster_listens_on_the_measured_network_only():
    (name, kind), told = options(max_connections=40, shared_buffers_mib=64)
    assert (name, kind) == ("middleware-lab-d1", "memory")
    assert (told["listen_addresses"], told["port"]) == ("198.18.0.41", "5432")
    assert (told["max_connections"], told["shared_buffers"]) == ("50", "64MB")
    assert (told["fsync"], told["autovacuum"]) == ("on", "on")


def test_cluster_may_be_durable_or_careless():
    (_, kind), told = options(durable=True, fsync=False, autovacuum=False)
    assert kind == "disk"
    assert (told["fsync"], told["autovacuum"]) == ("off", "off")


@pytest.mark.parametrize(
    ("k", "told"),
    [
        (
            1,
            {"autovacuum_naptime": "1s", "checkpoint_timeout": "300s", "wal_writer_delay": "200ms"},
        ),
        (4, {"autovacuum_naptime": "4s", "checkpoint_timeout": "1200s"}),
        (
            0.01,
            {"autovacuum_naptime": "1s", "checkpoint_timeout": "30s", "wal_writer_delay": "2ms"},
        ),
        (1000, {"checkpoint_timeout": "86400s", "wal_writer_delay": "10000ms"}),
    ],
)
def test_what_is_done_by_the_clock_is_stretched(k, told):
    assert told.items() <= options(time_dilation=k)[1].items()
