import pytest

from analysis.models import System, dilation_table, message_bytes

SYSTEM = System(middlewares=1, machine_time=1e-4, machine_cores=2, **message_bytes("set"))


def test_the_machine_is_the_limit_below_the_dilation_that_the_links_need():
    table = dilation_table(SYSTEM, 192, measured_at=4, dilations=[1, 2, 4, 8])
    table = table.set_index("time_dilation")
    saturations = table["machine_saturation_ops_per_s"]
    assert saturations.tolist() == pytest.approx([5_000, 10_000, 20_000, 40_000])
    assert table["bottleneck"].tolist() == ["machine", "machine", "client link", "client link"]
    assert table.loc[1, "throughput_ops_per_s"] == pytest.approx(5_000, rel=0.01)
    assert table["throughput_ops_per_s"].is_monotonic_increasing


def test_nothing_is_told_of_hosts_with_cpus_of_their_own():
    alone = System(**message_bytes("set"))
    assert dilation_table(alone, 4, measured_at=1, dilations=[1]).empty


def test_impossible_dilations_are_refused():
    with pytest.raises(ValueError, match="time dilations must be > 0, got 1 and"):
        dilation_table(SYSTEM, 4, measured_at=1, dilations=[0])
