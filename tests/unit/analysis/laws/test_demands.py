import pandas as pd
import pytest

from analysis.laws.demands import CPU_FORMATS, cpu_demands


def measured(workers, throughput, machine_percent, busy=1.0):
    """Two repetitions of one load on two CPUs: clients 0.4 and servers 0.6 of a CPU, times busy."""
    system = {"workload": "get", "workers": workers, "num_clients": 192}
    runs = pd.DataFrame({"repetition": [1, 2], "stable_s": 10.0}).assign(
        **system, client_throughput_ops_per_s=throughput
    )
    cpu_s = {"c1": ("clients", 2.0), "c2": ("clients", 2.0), "s1": ("servers", 6.0)}
    hosts = pd.DataFrame(
        [
            (r, host, role, True, busy * s, busy * s / 10 / 2, machine_percent)
            for r in (1, 2)
            for host, (role, s) in cpu_s.items()
        ],
        columns=["repetition", "host", "role", "shares_machine", "cpu_s", "cpu_utilization",
                 "cpu_percent"],
    ).assign(**system)  # fmt: skip
    return hosts, runs


def test_cpu_time_of_a_request_is_that_of_roles_and_of_the_machine_they_share():
    hosts, runs = measured(8, 1000.0, 80.0)
    table = cpu_demands(hosts, runs).set_index("resource")
    assert (table["num_clients"] == 192).all()
    assert table.loc["clients' CPUs", "service_demand_us"] == pytest.approx(400)
    assert table.loc["servers' CPUs", "service_demand_us"] == pytest.approx(600)
    machine = table.loc["machine's CPU"]  # busier than its hosts: it is the network, too
    assert machine["CPUs kept busy"] == pytest.approx(1.6)
    assert machine["service_demand_us"] == pytest.approx(1600)
    assert machine["saturation_ops_per_s"] == pytest.approx(1250)
    assert cpu_demands(hosts.assign(cpu_s=float("nan")), runs).empty


def test_saturation_is_told_of_the_largest_throughput_alone():
    low, high = measured(8, 1000.0, 40.0, busy=0.5), measured(64, 4000.0, 80.0)
    hosts, runs = (pd.concat(parts) for parts in zip(low, high, strict=True))
    table = cpu_demands(hosts, runs, by=["workload", "workers"], system=["workload"])
    known = table.dropna(subset="saturation_ops_per_s")
    assert known[["workers", "resource"]].to_numpy().tolist() == [[64, "machine's CPU"]]
    assert known["saturation_ops_per_s"].iloc[0] == pytest.approx(5000)
    assert CPU_FORMATS["saturation_ops_per_s"](435_777.0).replace(
        "\N{NARROW NO-BREAK SPACE}", ""
    ) == ("440000")
