"""Hosts of the lab as a Dask cluster."""

import sys
from dataclasses import replace

import pytest

from analysis.work import mapped, workers
from remote.errors import HostUnreachable
from remote.hosts.cluster import cluster


def drawn(count, rng):
    import socket

    return socket.gethostname(), float(rng.standard_normal(count).sum())


@pytest.fixture
def two_hosts(fleet):
    return replace(fleet.inventory, hosts=fleet.inventory.hosts[:2])


def test_work_is_done_on_the_hosts_with_the_same_numbers(two_hosts):
    with cluster(two_hosts, sys.executable) as address, workers(scheduler=address) as those:
        assert those.count == 2
        found = list(mapped(drawn, range(40), seed=5, within=those))
    with workers(1) as here:
        alone = list(mapped(drawn, range(40), seed=5, within=here))
    assert {host for host, _ in found} == {"c1", "c2"}
    assert [number for _, number in found] == [number for _, number in alone]


def test_hosts_without_that_python_are_named(two_hosts):
    with (
        pytest.raises(HostUnreachable, match=r"c1, c2: .*Is `/nowhere/python` there"),
        cluster(two_hosts, "/nowhere/python"),
    ):
        pass
