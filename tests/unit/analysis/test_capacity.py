import pandas as pd
import pytest

from analysis.capacity import usable_capacity
from analysis.stats import aggregate

COLUMNS = ["client_throughput_ops_per_s", "client_response_time_ms"]


def cells(throughputs, *, spread=0.01, repetitions=3, workload="get") -> pd.DataFrame:
    loads = [6, 12, 24, 48, 96][: len(throughputs)]
    rows = [
        (workload, n, x * (1 + spread * k), n / x * 1000 * (1 - spread * k))
        for n, x in zip(loads, throughputs, strict=True)
        for k in range(-(repetitions // 2), repetitions - repetitions // 2)
    ]
    frame = pd.DataFrame(rows, columns=["workload", "num_clients", *COLUMNS])
    return aggregate(frame, ["workload", "num_clients"], COLUMNS)


def test_capacity_is_at_the_first_load_of_the_plateau():
    found = usable_capacity(cells([4000, 8000, 12000, 12010, 12005]), ["workload"]).iloc[0]
    assert found["num_clients"] == 24
    assert found["client_throughput_ops_per_s_mean"] == pytest.approx(12000)
    assert found["saturated"]
    assert found["found_by"] == "overlap of 95 % CIs"


def test_a_later_significant_rise_moves_it():
    found = usable_capacity(cells([4000, 8000, 8010, 12000, 12010]), ["workload"]).iloc[0]
    assert found["num_clients"] == 48


def test_saturated_from_the_smallest_load_on():
    assert usable_capacity(cells([2900, 2895, 2899]), ["workload"])["num_clients"].item() == 6


def test_still_rising_at_the_largest_load_is_said():
    found = usable_capacity(cells([1000, 2000, 4000]), ["workload"]).iloc[0]
    assert found["num_clients"] == 24
    assert not found["saturated"]
    assert found["found_by"] == "largest load measured"


def test_one_repetition_is_judged_by_the_rise():
    found = usable_capacity(
        cells([4000, 8000, 8300, 8390], repetitions=1), ["workload"], smallest_rise=0.05
    ).iloc[0]
    assert found["num_clients"] == 12
    assert found["found_by"] == "rise below 5%"


def test_each_system_has_its_own():
    both = pd.concat([cells([4000, 8000, 8010]), cells([2900, 2901, 2899], workload="set")])
    found = usable_capacity(both, ["workload"]).set_index("workload")
    assert found["num_clients"].to_dict() == {"get": 12, "set": 6}


def test_a_rise_of_nothing_is_refused():
    with pytest.raises(ValueError, match="smallest_rise must be > 0, got 0"):
        usable_capacity(cells([1, 2]), ["workload"], smallest_rise=0)
