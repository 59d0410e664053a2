import numpy as np
import pandas as pd
import pytest

from analysis.laws.bottlenecks import utilization_overview, utilization_table

RATES = {"clients": 200.0, "middlewares": 800.0, "servers": 100.0}
SEND = {"clients": 20.0, "middlewares": 80.0, "servers": 50.0}
BY = ["workload", "workers"]


def hosts(send=None, *, rates=RATES, cpu=40.0, shares_machine=True, loads=(48,)) -> pd.DataFrame:
    """Two repetitions at every load; hosts send 1 Mbit/s less and more than `send` says."""
    rows = [
        ("get", 8, load, role, shares_machine, mean + difference, rates.get(role, np.nan), cpu)
        for load in loads
        for difference in (-1, 1)
        for role, mean in (SEND | (send or {})).items()
    ]
    columns = [*BY, "num_clients", "role", "shares_machine"]
    columns += ["send_mbit_per_s", "rate_mbit_per_s", "cpu_percent"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(send_link_utilization=frame["send_mbit_per_s"] / frame["rate_mbit_per_s"])


def runs(*, workers=0.5, net_threads=0.3, queue_length=0.2, loads=(48,)) -> pd.DataFrame:
    rows = [("get", 8, load, workers, net_threads, queue_length) for load in loads for _ in (1, 2)]
    measures = ["worker_utilization", "net_thread_utilization", "queue_length"]
    columns = [*BY, "num_clients", *(f"middleware_{name}" for name in measures)]
    return pd.DataFrame(rows, columns=columns)


def without_middleware(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.loc[:, ~frame.columns.str.startswith(("middleware", "workers"))]


def test_every_resource_has_its_mean_at_the_largest_load():
    table = utilization_table(hosts(loads=(6, 48)), runs(loads=(6, 48)), BY)
    assert (table["num_clients"] == 48).all()
    rows = table.set_index("resource")
    assert rows["utilization"].to_dict() == pytest.approx(
        {
            "clients' links": 0.1,
            "middlewares' links": 0.1,
            "servers' links": 0.5,
            "machine's CPU": 0.4,
            "net threads": 0.3,
            "workers": 0.5,
        }
    )
    assert rows.loc["servers' links", ["send_mbit_per_s", "rate_mbit_per_s"]].tolist() == [50, 100]
    assert rows["queue_length"].dropna().to_dict() == {"workers": pytest.approx(0.2)}
    assert rows["send_mbit_per_s"].notna().sum() == 3


def test_processors_of_a_role_alone_are_not_the_machines():
    apart = hosts(cpu=90.0).assign(own_processors=lambda all: all["role"] == "servers")
    apart.loc[apart["own_processors"], "cpu_percent"] = 20.0
    busy = utilization_table(apart, runs(), BY).set_index("resource")["utilization"]
    assert busy["machine's CPU"] == pytest.approx(0.9)
    assert busy["servers' CPUs"] == pytest.approx(0.2)
    limited = apart.assign(cpu_quota=np.nan, cpu_utilization=0.1)
    limited.loc[limited["own_processors"], ["cpu_quota", "cpu_utilization"]] = 0.5, 0.4
    busy = utilization_table(limited, runs(), BY).set_index("resource")["utilization"]
    assert busy["machine's CPU"] == pytest.approx(0.9)
    assert busy["servers' CPUs"] == pytest.approx(0.4)


def test_without_middleware_there_are_no_threads():
    clients_and_servers = without_middleware(hosts().query("role != 'middlewares'"))
    table = utilization_table(clients_and_servers, without_middleware(runs()))
    assert table["resource"].tolist() == ["clients' links", "servers' links", "machine's CPU"]


def test_overview_has_one_row_per_system():
    both = [utilization_table(hosts(), runs().assign(workers=n), BY) for n in (8, 64)]
    ours = [table.query("workers == @n") for n, table in zip((8, 64), both, strict=True)]
    overview = utilization_overview(pd.concat(ours), BY)
    assert overview["workers"].tolist() == [8, 64]
    (row,) = utilization_overview(ours[0], BY).to_dict("records")
    assert row == pytest.approx(
        {
            "workload": "get",
            "workers": 8,
            "num_clients": 48,
            "Clients' links (%)": 10,
            "Middlewares' links (%)": 10,
            "Servers' links (%)": 50,
            "Machine's CPU (%)": 40,
            "Net threads (%)": 30,
            "Busy workers (%)": 50,
            "queue_length": 0.2,
        }
    )
    assert list(row)[3:6] == ["Clients' links (%)", "Middlewares' links (%)", "Servers' links (%)"]


def test_overview_leaves_out_what_is_not_known():
    overview = utilization_overview(utilization_table(hosts(rates={}), runs(), BY), BY)
    assert overview.columns.tolist()[3:] == [
        "Machine's CPU (%)",
        "Net threads (%)",
        "Busy workers (%)",
        "queue_length",
    ]


def test_regimes_are_rows_of_the_largest_load_alone():
    loads = (6, 48)
    every = runs(loads=loads).assign(regime=["", "", "1", "2"])
    every.loc[3, "middleware_queue_length"] = 40.0
    carried = hosts(loads=loads)
    at_largest, is_first = (
        carried["num_clients"] == 48,
        carried.groupby("num_clients").cumcount() < 3,
    )
    carried["regime"] = np.where(at_largest, np.where(is_first, "1", "2"), "")
    by = [*BY, "regime"]
    overview = utilization_overview(utilization_table(carried, every, by), by)
    assert overview["num_clients"].tolist() == [48, 48]
    assert overview["regime"].tolist() == ["1", "2"]
    assert overview["queue_length"].tolist() == [0.2, 40.0]
