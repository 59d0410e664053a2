from dataclasses import replace

import pandas as pd
import pytest

from analysis.models import predict
from analysis.models.asymptotes import asymptote_table
from analysis.models.measured import measured_system


@pytest.fixture(scope="module")
def tables(synthetic):
    return synthetic("0", "2.1", "3.1")


def test_baseline_has_the_links_and_the_delay_that_were_measured(tables):
    system = measured_system(tables, section="2.1", workload="get")
    assert (system.client_machines, system.middlewares, system.servers) == (3, 0, 1)
    assert (system.client_link_rate, system.server_link_rate) == (200e6, 100e6)
    pings = tables.pings.query("section == '0'")
    round_trip_s = pings["round_trip_time_p50_ms"].median() / 1000
    assert system.network_delay == pytest.approx(round_trip_s / 2)
    assert predict(system, 192).measures["bottleneck"].iloc[-1] == "server link"


def test_net_thread_demand_follows_the_utilization_law(tables):
    system = measured_system(tables, section="3.1", workload="set", workers=8)
    runs = tables.runs.query("section == '3.1' and workload == 'set' and workers == 8")
    largest = runs[runs["num_clients"] == runs["num_clients"].max()]
    busy = largest["middleware_throughput_ops_per_s"] * system.net_thread_time
    assert busy.mean() == pytest.approx(
        largest["middleware_net_thread_utilization"].mean(), rel=0.01
    )
    assert (system.workers, system.middleware_link_rate) == (8, 800e6)
    untold = tables.runs.assign(middleware_net_thread_utilization=float("nan"))
    run = {"section": "3.1", "workload": "set", "workers": 8}
    assert measured_system(replace(tables, runs=untold), **run).net_thread_time == 0


def test_runs_that_were_not_measured_are_refused(tables):
    with pytest.raises(ValueError, match=r"no accepted run with .*'workers': 7"):
        measured_system(tables, section="3.1", workload="get", workers=7)


def test_server_time_is_the_cpu_time_of_a_visit(tables):
    hosts = tables.hosts.assign(cpu_s=float("nan"))
    hosts.loc[hosts["role"] == "servers", "cpu_s"] = 3.0
    told = replace(tables, hosts=hosts)
    run = {"section": "3.1", "workload": "set", "workers": 8}
    system = measured_system(told, **run)
    runs = tables.runs.query("section == '3.1' and workload == 'set' and workers == 8")
    largest = runs[runs["num_clients"] == 192]
    share = 3.0 / largest["stable_s"]
    if share.iloc[0] >= 0.5:
        largest, share = runs, 3.0 / runs["stable_s"]
    expected = (share / largest["client_throughput_ops_per_s"]).mean()
    assert system.server_time == pytest.approx(expected)
    assert measured_system(tables, **run).server_time == 0


def test_the_shared_machine_is_a_station_where_it_is_asked_for_and_known(tables):
    run = {"section": "3.1", "workload": "set", "workers": 8}
    stable_s = tables.runs["stable_s"].iloc[0]
    hosts = tables.hosts.assign(
        cpu_s=0.3, cpu_utilization=0.3 / stable_s / 2, cpu_percent=60.0, shares_machine=True
    )
    told = replace(tables, hosts=hosts)
    system = measured_system(told, **run, shared_machine=True)
    runs = tables.runs.query("section == '3.1' and workload == 'set' and workers == 8")
    largest = runs[runs["num_clients"] == 192]["client_throughput_ops_per_s"]
    assert system.machine_cores == 2
    assert system.machine_time == pytest.approx((2 * 0.6 / largest).mean())
    assert measured_system(told, **run).machine_time == 0
    own = replace(tables, hosts=hosts.assign(shares_machine=False))
    assert measured_system(own, **run, shared_machine=True).machine_time == 0
    limited = hosts["role"] == "servers"
    quotas = hosts.assign(
        cpu_quota=limited.map({True: 0.5, False: float("nan")}),
        cpu_utilization=hosts["cpu_utilization"].mask(limited, 0.3 / stable_s / 0.5),
    )
    of_others = measured_system(replace(tables, hosts=quotas), **run, shared_machine=True)
    assert of_others.machine_cores == 2
    assert of_others.machine_time == pytest.approx(system.machine_time)
    unknown = replace(tables, hosts=hosts.assign(cpu_s=float("nan")))
    assert measured_system(unknown, **run, shared_machine=True).machine_time == 0


def test_pings_beside_a_load_count_only_where_no_others_are(tables):
    busy = tables.pings.assign(section="3.1", round_trip_time_p50_ms=9.0)
    both = replace(tables, pings=pd.concat([tables.pings, busy]))
    run = {"section": "3.1", "workload": "get", "workers": 8}
    idle = tables.pings.query("section == '0'")["round_trip_time_p50_ms"].median()
    assert measured_system(both, **run).network_delay == pytest.approx(idle / 2000)
    only = measured_system(replace(tables, pings=busy), **run)
    assert only.network_delay == pytest.approx(busy["round_trip_time_min_ms"].median() / 2000)


def test_a_calibrated_lab_has_the_delay_that_it_was_calibrated_to(tables):
    calibrated = tables.pings.assign(
        emulated_round_trip_time_ms=0.9, line_round_trip_time_ms=0.75, round_trip_time_p50_ms=0.8
    )
    run = {"section": "3.1", "workload": "get", "workers": 8}
    system = measured_system(replace(tables, pings=calibrated), **run)
    assert system.network_delay == pytest.approx(0.9 / 2000)
    busy = calibrated.assign(section="3.1")
    assert measured_system(replace(tables, pings=busy), **run).network_delay == pytest.approx(
        0.9 / 2000
    )
    never = calibrated.assign(line_round_trip_time_ms=float("nan"))
    assert measured_system(replace(tables, pings=never), **run).network_delay == pytest.approx(
        0.8 / 2000
    )


def test_demands_come_from_the_cells_that_are_named_whatever_their_workers(tables):
    run = {"section": "3.1", "workload": "set", "workers": 8}
    runs = tables.runs.assign(middleware_net_thread_utilization=0.1)
    named = runs["workers"].eq(64) & runs["num_clients"].eq(6)
    runs.loc[named, "middleware_net_thread_utilization"] = 0.6
    cells = pd.DataFrame({"workers": [64], "num_clients": [6]})
    system = measured_system(replace(tables, runs=runs), **run, demands_from=cells)
    own = runs[named & (runs["workload"] == "set") & (runs["section"] == "3.1")]
    expected = (0.6 / own["middleware_throughput_ops_per_s"]).mean()
    assert system.net_thread_time == pytest.approx(expected)
    assert system.workers == 8


def test_a_think_time_must_be_told_apart_and_reaches_the_model(tables):
    run = {"section": "3.1", "workload": "set", "workers": 8}
    thinking = tables.runs.assign(think_time_s=0.005)
    both = replace(tables, runs=pd.concat([tables.runs, thinking], ignore_index=True))
    with pytest.raises(ValueError, match="think_time_s must be chosen among"):
        measured_system(both, **run)
    system = measured_system(both, **run, factors={"think_time_s": 0.005})
    assert system.think_time == 0.005


def test_a_link_without_a_known_limit_takes_no_time(tables):
    free = replace(tables, hosts=tables.hosts.assign(rate_mbit_per_s=float("nan")))
    system = measured_system(free, section="3.1", workload="get", workers=8)
    assert system.server_link_rate == system.client_link_rate == float("inf")
    assert system.demands()["server link"] == 0
    direct = replace(free, runs=free.runs.query("section == '2.1'"))
    bounds = asymptote_table(direct).set_index(["section", "workload"])
    assert bounds.loc[("2.1", "get"), "limit"] == "nothing known"
    assert bounds.loc[("2.1", "get"), "most_ops_per_s"] == float("inf")
