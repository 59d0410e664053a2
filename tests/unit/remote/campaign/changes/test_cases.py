import pytest

from records.sensitivity import AS_IT_IS, CLIENTS, DELAY, MACHINE_BY_DILATION, WORKERS
from remote.campaign.changes.cases import (
    config_of,
    factors_by_parameter,
    plan_cases,
)
from remote.errors import ConfigError
from remote.experiment.section_file import read_section
from remote.providers.local_lab.topology import Topology

BASE = read_section("3.1", "smoke")
CONFIG = {"workload": "get", "clients_per_thread": 32, "workers": 64}
AZURE = Topology.named("azure")


def planned(section="3.1", config=CONFIG, topology=AZURE, *, profile="smoke", step=0.2):
    cases = plan_cases(read_section(section, profile), config, topology, step=step)
    return {case.name: case for case in cases}


def with_quota(role, cpus):
    data = AZURE.to_dict()
    data[role]["cpu_quota"] = cpus
    return Topology.from_dict(data)


def test_each_rate_and_count_is_once_more_and_once_less():
    cases = list(planned().values())
    assert [case.parameter for case in cases[::2]] == [
        AS_IT_IS, "client link rate", "middleware link rate", "server link rate", DELAY,
        MACHINE_BY_DILATION, CLIENTS, WORKERS,
    ]  # fmt: skip
    assert factors_by_parameter(cases) == {
        **dict.fromkeys(
            ("client link rate", "middleware link rate", "server link rate", DELAY),
            (1 / 1.2, 1.2),
        ),
        MACHINE_BY_DILATION: (1 / 1.2, 1.2),
        CLIENTS: (27 / 32, 38 / 32),
        WORKERS: (53 / 64, 77 / 64),
    }


def test_a_case_changes_one_thing():
    cases = planned()
    as_it_is = cases["as-it-is"]
    assert as_it_is.section.configs() == [CONFIG]
    assert as_it_is.topology == AZURE
    faster = cases["server-link-rate-x1.2"]
    assert faster.section == as_it_is.section
    rates = {host.name: host.egress.rate_mbit_per_s for host in faster.topology.hosts}
    assert {name: rates[name] for name in ("c1", "m1", "s1")} == pytest.approx(
        {"c1": 209.1, "m1": 836.5, "s1": 1.2 * 104.6}
    )
    nearer = cases["network-delay-x1.2"]  # as a rate: more of it is a shorter delay
    assert nearer.topology.rtt_ms == pytest.approx(0.75)
    more = cases["workers-x1.203"]
    assert more.topology == AZURE
    assert more.section.configs() == [{**CONFIG, "workers": 77}]
    assert cases["clients-x0.8438"].section.configs() == [{**CONFIG, "clients_per_thread": 27}]


def test_cases_are_measured_until_their_throughput_is_known():
    section = planned()["as-it-is"].section
    assert dict(section.precision.goals) == {"throughput": 0.15}
    assert section.precision.repetitions == BASE.precision.repetitions
    assert section.durations is None
    assert section.title == "Sensitivity: Baseline with middleware: one middleware, one server"
    of_fixed_time = planned("8", config_of(read_section("8", "smoke"), {}))["as-it-is"].section
    assert dict(of_fixed_time.precision.goals) == {"throughput": 0.02}
    assert of_fixed_time.durations is None
    assert not of_fixed_time.pauses


def test_only_the_machine_is_measured_at_another_dilation():
    cases = planned()
    of_machine = cases["machine-by-time-dilation-x1.2"]
    assert of_machine.topology == AZURE
    assert of_machine.at(2.0).section.time_dilation == pytest.approx(2.4)
    assert cases["workers-x1.203"].at(2.0).section.time_dilation == 2
    assert cases["workers-x1.203"].at(None) is cases["workers-x1.203"]


def test_hosts_that_are_not_used_are_not_changed():
    section = read_section("2.1", "smoke")
    config = config_of(section, {"workload": ["set"], "clients_per_thread": [4]})
    parameters = {case.parameter for case in planned("2.1", config).values()}
    assert parameters == {
        AS_IT_IS, "client link rate", "server link rate", DELAY, MACHINE_BY_DILATION, CLIENTS
    }  # fmt: skip


def test_quotas_and_links_are_changed_where_the_lab_has_them():
    cases = planned(topology=with_quota("servers", 0.5))
    hosts = cases["server-CPU-quota-x1.2"].topology.hosts
    assert {host.cpu_quota for host in hosts if host.role == "servers"} == {0.6}
    assert "client-CPU-quota-x1.2" not in cases
    unshaped = {case.parameter for case in planned(topology=Topology.named("unshaped")).values()}
    assert unshaped == {AS_IT_IS, MACHINE_BY_DILATION, CLIENTS, WORKERS}


OWN = {"rate_mbit_per_s": 50, "burst_kib": 16, "queue_kib": 4096}


def with_own(role, **own):
    data = with_quota("servers", 0.5).to_dict()
    data[role]["own"] = own
    return Topology.from_dict(data)


def of_full_system(topology, **more):
    config = {"workload": "set", "clients_per_thread": 8, "workers": 8}
    return planned("4.1", config, topology, **more)


def test_a_host_with_its_own_limits_is_changed_for_itself():
    own = {"rtt_ms": 10, "egress": OWN, "cpu_quota": 0.2}
    topology = with_own("servers", s3=own)
    cases = of_full_system(topology)
    assert [case.parameter for case in list(cases.values())[::2]] == [
        AS_IT_IS, "client link rate", "middleware link rate", "server link rate", "s3 link rate",
        DELAY, "1 / s3 network delay", "server CPU quota", "s3 CPU quota", MACHINE_BY_DILATION,
        CLIENTS, WORKERS,
    ]  # fmt: skip
    limits = {
        name: {
            host.name: (host.egress.rate_mbit_per_s, host.cpu_quota, host.own_rtt_ms)
            for host in cases[name].topology.hosts
        }
        for name in cases
    }
    usual = limits["as-it-is"]
    of_role = limits["server-link-rate-x1.2"]
    assert (of_role["s1"], of_role["s3"]) == ((pytest.approx(1.2 * 104.6), 0.5, None), usual["s3"])
    faster = limits["s3-link-rate-x1.2"]
    assert (faster["s1"], faster["s3"]) == (usual["s1"], (60, 0.2, 10))
    assert limits["s3-CPU-quota-x1.2"]["s3"] == (50, pytest.approx(0.24), 10)
    nearer = cases["s3-network-delay-x1.2"].topology
    assert (nearer.rtt_ms, nearer.own_rtt_ms["s3"]) == (0.9, pytest.approx(10 / 1.2))
    others = cases["network-delay-x1.2"].topology
    assert (others.rtt_ms, others.own_rtt_ms["s3"]) == (pytest.approx(0.75), 10)
    assert all(case.topology.built() == topology.built() for case in cases.values())


def test_the_limits_of_a_role_of_which_no_host_is_left_are_not_changed():
    assert "server-link-rate-x1.2" in planned(topology=with_own("servers", s1={}))
    only = planned(topology=with_own("servers", s1={"egress": OWN, "cpu_quota": 0.2}))
    parameters = {case.parameter for case in only.values()}
    assert {"s1 link rate", "s1 CPU quota"} <= parameters
    assert not {"server link rate", "server CPU quota"} & parameters


def test_a_step_by_which_a_far_host_would_be_nearer_than_others_is_refused():
    near = with_own("servers", s3={"rtt_ms": 1.0})
    rule = "--step 0.2: .* cannot be multiplied by .*: servers.own.s3.rtt_ms must be at least"
    with pytest.raises(ConfigError, match=rule):
        of_full_system(near)
    assert of_full_system(near, step=0.05)


def test_one_worker_has_none_less():
    cases = planned(config={**CONFIG, "workers": 1}).values()
    assert factors_by_parameter(list(cases))[WORKERS] == (1.0, 2.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"workload": ["get"]},
            r"choose one level of each factor: --clients-per-thread 1, 16; --workers 8, 64$",
        ),
        (
            {"workload": ["get"], "clients_per_thread": [1, 8], "workers": [8]},
            r"--clients-per-thread 1, 8$",
        ),
        (
            {"workload": ["get"], "clients_per_thread": [8], "workers": ["many"]},
            "workers must be a whole number >= 1, got 'many'",
        ),
    ],
)
def test_levels_that_are_left_open_or_wrong_are_named(given, message):
    with pytest.raises(ConfigError, match=message):
        config_of(BASE, given)


def test_counts_that_the_lab_cannot_have_are_refused_before_anything_is_measured():
    with pytest.raises(ConfigError, match=r"more than the \d+ connections"):
        planned(config={**CONFIG, "workers": 100_000})


@pytest.mark.parametrize("section", ["0", "7"])
def test_what_is_no_closed_loop_is_refused(section):
    with pytest.raises(ConfigError, match=f"section {section}: throughput follows .* closed loop"):
        config_of(read_section(section, "smoke"), {})
