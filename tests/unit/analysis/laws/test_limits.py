"""Each limit that can be planted into a system is named, on made-up tables of it."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from analysis.laws.limits import (
    at_load,
    busiest_host,
    find_bottleneck,
    late_server,
    lateness,
    server_times,
)
from analysis.tables.frames import Tables
from tests.helpers.limits import made_up

WAITING = {"middleware_service_time_ms": 5.3, "middleware_servers_net_time_ms": 5.2}


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        ({"links": {"servers": 0.98}}, "servers' links 0.98 busy"),
        ({"links": {"s2": 0.97}}, "s2's link 0.97 busy"),
        ({"quotas": {"servers": 0.99}}, "servers' CPUs 0.99 of their quota"),
        ({"quotas": {"middlewares": 0.95}, "cpu": 20}, "middlewares' CPUs 0.95 of their quota"),
        ({"cpu": 95.0}, "machine's CPU 0.95 busy"),
        ({"net_threads": 0.96}, "net threads 0.96 busy"),
        (
            {"links": {"clients": 0.96}, "cpu": 92.0, "workers": 1.0},
            "clients' links 0.96 busy and machine's CPU 0.92 busy",
        ),
        ({"workers": 0.99}, "workers 0.99 busy, 95 % of it waiting for servers"),
        (
            {"workers": 0.99, "times": WAITING, "far": {"s3": 5.1}},
            "workers 0.99 busy, 98 % of it waiting for servers; "
            "s3 answers after 5.10 ms, others after 1.00 ms",
        ),
        (
            {"workers": 0.99, "times": {"middleware_servers_net_time_ms": 0.5}},
            "workers 0.99 busy, 76 % of it processing",
        ),
        (
            {"times": {"client_response_time_ms": 9.0, "middleware_response_time_ms": 8.0}},
            "nothing measured is busy: 66 % of the response time is in the middleware (processing)",
        ),
        (
            {
                "times": {
                    "client_response_time_ms": 9.0,
                    "middleware_response_time_ms": 8.0,
                    "middleware_processing_time_ms": np.nan,
                },
                "workers": np.nan,
                "net_threads": np.nan,
            },
            "nothing measured is busy: 67 % of the response time is in the middleware "
            "(queueing and processing)",
        ),
        (
            {"far": {"s1": 3.0}},
            "nothing measured is busy: 50 % of the response time is at servers and on the way "
            "there; s1 answers after 3.00 ms, others after 1.00 ms",
        ),
        (
            {"times": {"middleware_response_time_ms": 1.0, "middleware_servers_net_time_ms": 0.8}},
            "nothing measured is busy: 75 % of the response time is between clients and middleware",
        ),
    ],
)
def test_what_was_planted_is_named(planted, named):
    told = find_bottleneck(made_up(**planted), workload="set", workers=8)
    assert told.replace("\N{NO-BREAK SPACE}", " ") == named


def test_without_a_middleware_the_busiest_is_told():
    tables = made_up(links={"servers": 0.7})
    own = tables.runs.columns[~tables.runs.columns.str.startswith("middleware")]
    alone = {field.name: getattr(tables, field.name) for field in fields(Tables)}
    told = find_bottleneck(Tables(**alone | {"runs": tables.runs[own], "servers": pd.DataFrame()}))
    assert told == "nothing measured is busy: most of all servers' links 0.70 busy"


def test_of_levels_that_there_are_not_nothing_is_told():
    assert find_bottleneck(made_up(), workers=64) == ""


def test_a_late_server_is_one_that_answers_later_than_the_others():
    even, far = (made_up(far=times).servers for times in ({"s3": 1.1}, {"s2": 4.0}))
    assert late_server(even) == ""
    assert late_server(far) == "s2 answers after 4.00 ms, others after 1.00 ms"
    assert lateness(server_times(far)) == pytest.approx(4)
    assert np.isnan(lateness(server_times(far[far["server"] == "s2"])))
    assert late_server(pd.DataFrame()) == ""


def test_the_busiest_host_is_told_or_that_it_is_the_machine_of_all():
    assert busiest_host(made_up(cpu=99.0).hosts) == "the machine's CPU 0.99 busy"
    assert busiest_host(made_up(quotas={"servers": 0.9}).hosts) == "s1's CPU 0.90 busy"
    machines = made_up(cpu=50.0).hosts.assign(shares_machine=False)
    machines.loc[machines["host"] == "m1", "cpu_percent"] = 97.0
    assert busiest_host(machines) == "m1's CPU 0.97 busy"
    apart = made_up(cpu=60.0).hosts.assign(own_processors=lambda all: all["host"] == "s1")
    apart.loc[apart["own_processors"], "cpu_percent"] = 70.0
    assert busiest_host(apart) == "s1's CPU 0.70 busy"
    assert busiest_host(machines.head(0)) == ""


def test_of_several_think_times_the_shortest_is_the_largest_load():
    runs = made_up().runs
    both = pd.concat([runs, runs.assign(think_time_s=0.005)], ignore_index=True)
    assert set(at_load(both)["think_time_s"]) == {0.0}
    assert set(at_load(both, "smallest")["think_time_s"]) == {0.005}
    assert set(at_load(both, think_time_s=0.005)["think_time_s"]) == {0.005}
