import pandas as pd
import pytest

from analysis.laws.processors import processor_table


def hosts(*, shared: bool = False) -> pd.DataFrame:
    """Two servers and a client, two repetitions, at two loads; the server's time grows."""
    rows = [
        (workers, load, role, shared, 10.0 * load, 2.0 * load, 7.0 * load + repetition)
        for workers in (8, 64)
        for load in (1, 6)
        for role in ("clients", "servers", "servers")
        for repetition in (-1, 1)
    ]
    columns = ["workers", "num_clients", "role", "shares_machine"]
    columns += ["cpu_percent", "cpu_user_percent", "cpu_system_percent"]
    return pd.DataFrame(rows, columns=columns)


def test_the_parts_are_those_of_the_largest_load_and_add_up():
    table = processor_table(hosts(), ["workers"])
    assert set(table["num_clients"]) == {6}
    assert table["role"].tolist() == ["client", "server"] * 2
    row = table.iloc[0]
    parts = row[["cpu_user_percent", "cpu_system_percent", "cpu_other_percent"]]
    assert parts.tolist() == pytest.approx([12, 42, 6])
    assert parts.sum() == pytest.approx(row["cpu_percent"])


def test_soft_interrupts_are_a_part_where_they_are_told():
    told = hosts().assign(cpu_softirq_percent=4.0)
    table = processor_table(told, ["workers"])
    assert table["cpu_softirq_percent"].tolist() == [4] * 4
    assert table.loc[0, "cpu_other_percent"] == pytest.approx(2)
    assert "cpu_softirq_percent" not in processor_table(hosts(), ["workers"])


def test_hosts_that_share_a_machine_have_one_row():
    table = processor_table(hosts(shared=True), ["workers"])
    assert table["role"].tolist() == ["machine", "machine"]


def test_rounding_leaves_nothing_below_zero():
    table = processor_table(hosts().assign(cpu_percent=8.99), ["workers"])
    assert (table["cpu_other_percent"] == 0).all()
