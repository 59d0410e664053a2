import pandas as pd
import pytest

from analysis.evidence import bandwidth_table, bottleneck_sentences, utilization_table


def hosts(**changes: float) -> pd.DataFrame:
    """Two loads of one workload on one client and one server, means known in advance."""
    rows = [
        ("get", load, repetition, role, send, rate, send / rate, cpu)
        for load, repetition in ((6, 1), (48, 1), (48, 2))
        for role, send, rate, cpu in (
            ("clients", 2.0 * repetition, 200.0, changes.get("cpu", 40.0)),
            ("servers", changes.get("server_send", 98.0), 100.0, changes.get("cpu", 40.0)),
        )
    ]
    columns = ["workload", "num_clients", "repetition", "role", "send_mbit_per_s"]
    columns += ["rate_mbit_per_s", "send_link_utilization", "cpu_percent"]
    return pd.DataFrame(rows, columns=columns)


def test_utilization_is_the_mean_at_the_largest_load():
    table = utilization_table(hosts())
    assert table["role"].tolist() == ["client", "server"]
    assert (table["num_clients"] == 48).all()
    assert table["send_mbit_per_s"].tolist() == [3.0, 98.0]
    assert table["send_link_utilization"].tolist() == pytest.approx([0.015, 0.98])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "the servers send 98.0 Mbit/s each, 98% of their links: the link is the bottleneck"),
        ({"server_send": 50.0, "cpu": 95.0}, "the CPU is 95 % busy and the bottleneck"),
        ({"server_send": 50.0}, "no resource is saturated"),
    ],
)
def test_bottleneck_is_what_the_numbers_show(changes, sentence):
    text = bottleneck_sentences(utilization_table(hosts(**changes)))
    assert text.startswith("- **workload get** at 48 clients: ")
    assert sentence in text


def test_bandwidths_stand_beside_limits_and_studies():
    bandwidths = pd.DataFrame(
        {
            "source": ["c1", "c1", "s1"],
            "bandwidth_mbit_per_s": [190.0, 192.0, 95.0],
            "limit_mbit_per_s": [200.0, 200.0, 100.0],
        }
    )
    client, server = bandwidth_table(bandwidths).to_dict("records")
    assert (client["bandwidth_mbit_per_s"], client["share_of_limit"]) == (191.0, 0.955)
    assert [server[f"{s}2018_mbit_per_s"] for s in ("schmid", "yenicelik", "cetin")] == [
        100,
        101,
        100,
    ]
