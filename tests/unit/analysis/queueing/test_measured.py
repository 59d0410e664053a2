import pytest

from analysis.queueing import predict
from analysis.queueing.measured import measured_system
from analysis.tidy import tidy_campaign
from tests.helpers.campaign import build_campaign, build_network_runs


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = build_campaign(tmp_path_factory.mktemp("synthetic"), clients_per_thread=(1, 32))
    return tidy_campaign(build_network_runs(folder))


def test_baseline_has_the_links_and_the_delay_that_were_measured(tables):
    system = measured_system(tables, section="2.1", workload="get")
    assert (system.client_machines, system.middlewares, system.servers) == (3, 0, 1)
    assert (system.client_link_rate, system.server_link_rate) == (200e6, 100e6)
    round_trip_s = tables.pings["round_trip_time_p50_ms"].median() / 1000
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


def test_what_the_tables_do_not_tell_is_given(tables):
    system = measured_system(
        tables, section="3.1", workload="get", workers=8, server_time=1e-5, servers=3
    )
    assert (system.server_time, system.servers) == (1e-5, 3)


def test_sets_go_to_all_servers_of_a_what_if(tables):
    run = {"section": "3.1", "workload": "set", "workers": 8}
    assert measured_system(tables, **run, servers=3).servers_per_request == 3
    some = measured_system(tables, **run, servers=3, servers_per_request=2)
    assert some.servers_per_request == 2


def test_runs_that_were_not_measured_are_refused(tables):
    with pytest.raises(ValueError, match=r"no accepted run with .*'workers': 7"):
        measured_system(tables, section="3.1", workload="get", workers=7)
