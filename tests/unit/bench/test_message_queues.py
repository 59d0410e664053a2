"""What the bench of message queues makes of its runs and of pgbench's logs."""

import itertools

import pandas as pd
import pytest
from message_queues import call_times_ms, compare, table


@pytest.fixture
def runs():
    """Three rounds of two cells and two builds, the machine half as fast in the second."""
    rows = []
    for number, connections, system in itertools.product(
        (1, 2, 3), (1, 8), ("pgbench", "middleware", "before")
    ):
        of_pgbench = {"pgbench": 1.0, "middleware": 0.8, "before": 0.7}[system]
        added_ms = {"pgbench": 0.0, "middleware": 0.01, "before": 0.02}[system] * connections
        rows.append(
            {
                "round": number,
                "load": "send",
                "connections": connections,
                "system": system,
                "throughput_ops_per_s": 1000 * of_pgbench * (0.5 if number == 2 else 1.0),
                "response_time_p50_ms": 1.0 + added_ms * number,
                "failures": 0,
                "machine_cpu_s_per_million": 200.0 if system == "pgbench" else 310.0,
                "proxy_cpu_s_per_million": float("nan") if system == "pgbench" else 60.0 + number,
                "generator_cpu_s_per_million": float("nan") if system == "pgbench" else 30.0,
            }
        )
    return pd.DataFrame(rows)


def test_ratios_and_differences_are_taken_within_rounds(runs):
    compared = compare(runs).set_index(["connections", "system"])
    assert set(compared.index) == {(n, name) for n in (1, 8) for name in ("before", "middleware")}
    row = compared.loc[8, "middleware"]
    assert row[["ratio_min", "ratio", "ratio_max"]].tolist() == pytest.approx([0.8, 0.8, 0.8])
    assert row[["added_ms_min", "added_ms", "added_ms_max"]].tolist() == pytest.approx(
        [0.08, 0.16, 0.24]
    )
    assert (row["throughput_ops_per_s"], row["pgbench_throughput_ops_per_s"]) == (800, 1000)
    assert (row["proxy_cpu_s_per_million"], row["generator_cpu_s_per_million"]) == (62, 30)
    assert "| 62 | 30 | 310 | 200 |" in table(compare(runs))


def test_what_costs_too_much_is_missed(runs):
    met = compare(runs).set_index(["connections", "system"])["is_met"]
    assert met.groupby("system").all().to_dict() == {"before": False, "middleware": True}
    late = runs["system"] == "middleware"
    slow = runs["response_time_p50_ms"].where(~late, runs["response_time_p50_ms"] + 0.25)
    met = compare(runs.assign(response_time_p50_ms=slow)).query("system == 'middleware'")["is_met"]
    assert met.tolist() == [True, False]
    assert table(compare(runs)).count("**missed**") == 2


def test_the_log_of_pgbench_tells_how_long_each_call_took(tmp_path):
    log = tmp_path / "log.1"
    log.write_text("0 199 2241 0 1795231822 995998\n1 200 500 0 1795231823 3213\n")
    assert list(call_times_ms(log)) == [2.241, 0.5]
