import numpy as np
import pandas as pd
import pytest

from analysis.laws.bottlenecks import bottleneck_sentences, utilization_overview, utilization_table

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


def sentence(hosts: pd.DataFrame, runs: pd.DataFrame) -> str:
    text = bottleneck_sentences(utilization_table(hosts, runs, BY), BY).replace("\xa0", " ")
    start = "- **workload get, workers 8** at 48 clients: "
    assert text.startswith(start)
    return text.removeprefix(start)


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


def test_machines_of_their_own_have_cpus_of_their_own():
    resources = utilization_table(hosts(shares_machine=False), runs(), BY)["resource"].tolist()
    assert resources[3:6] == ["clients' CPUs", "middlewares' CPUs", "servers' CPUs"]
    assert "machine's CPU" not in resources


def test_without_middleware_there_are_no_threads():
    clients_and_servers = without_middleware(hosts().query("role != 'middlewares'"))
    table = utilization_table(clients_and_servers, without_middleware(runs()))
    assert table["resource"].tolist() == ["clients' links", "servers' links", "machine's CPU"]
    text = bottleneck_sentences(table)
    assert text.startswith("- **workload get** at 48 clients: no measured resource is busy")
    assert "load was too small" not in text


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


@pytest.mark.parametrize(
    ("busy", "expected"),
    [
        (
            {"send": {"servers": 98.0}},
            "limited by the servers' links (98 %).",
        ),
        (
            {"send": {"servers": 98.0}, "workers": 1.0, "queue_length": 40.0},
            "limited by the servers' links (98 %); that keeps the workers (100 %) busy, too.",
        ),
        (
            {"workers": 1.0, "queue_length": 39.6},
            "limited by the workers (100 %); 40 jobs wait in the queue for them.",
        ),
        (
            {"send": {"clients": 188.0}, "workers": 0.99, "queue_length": 178.0},
            "limited by the workers (99 %); 178 jobs wait in the queue for them. In front of the "
            "workers the clients' links (94 %) are busy all the time, too",
        ),
        (
            {"send": {"clients": 188.0}, "workers": 0.95, "queue_length": 0.4},
            "limited by the clients' links (94 %); the workers (95 %) behind are busy, too, but "
            "0.4 jobs wait for them.",
        ),
        (
            {"cpu": 95.0, "workers": 0.99, "queue_length": 178.0},
            "limited by the machine's CPU (95 %); that keeps the workers (99 %) busy, too.",
        ),
        (
            {"cpu": 95.0, "net_threads": 0.92, "send": {"clients": 186.0}},
            "limited by the machine's CPU (95 %), the clients' links (93 %) "
            "and the net threads (92 %).",
        ),
        (
            {"send": {"clients": 181.0}, "workers": 1.0, "queue_length": 257.0},
            "limited by the workers (100 %); 257 jobs wait in the queue for them.",
        ),
        (
            {},
            "no measured resource is busy all the time, and nothing queues (0.2 jobs): "
            "the load was too small. The busiest:",
        ),
        (
            {"workers": 0.8, "queue_length": 12.0},
            "no measured resource is busy all the time, yet 12 jobs wait in the queue: "
            "no single resource is the limit. The busiest: the workers (80 %).",
        ),
    ],
)
def test_everything_that_is_busy_is_named(busy, expected):
    load = {name: busy[name] for name in ("send", "cpu") if name in busy}
    threads = {name: value for name, value in busy.items() if name not in load}
    assert sentence(hosts(**load), runs(**threads)).startswith(expected)


def test_systems_of_which_the_same_is_said_stand_together():
    one = utilization_table(hosts({"servers": 98.0}), runs(workers=1.0), BY)
    told = bottleneck_sentences(pd.concat([one, one.assign(workers=64)], ignore_index=True), BY)
    assert told.startswith("- **workload get, workers 8 and 64** at 48 clients: limited by the ")
    assert len(told.splitlines()) == 1


def test_links_of_unknown_rate_are_left_out_and_said():
    text = sentence(hosts(rates={}), runs(workers=0.95))
    assert text.startswith("limited by the workers (95 %)")
    assert text.endswith(
        "Not known: the limits of the clients' links, the middlewares' links "
        "and the servers' links."
    )
    assert "nan" not in text
