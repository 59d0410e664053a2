import pandas as pd
import pytest

from analysis.statistics.capacity import capacity_uncertainty, usable_capacity
from analysis.statistics.intervals import aggregate

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
    assert found["found_by"] == "plateau (CI,\xa05\xa0%)"


def test_a_later_significant_rise_moves_it():
    found = usable_capacity(cells([4000, 8000, 8010, 12000, 12010]), ["workload"]).iloc[0]
    assert found["num_clients"] == 48


def test_intervals_too_wide_to_tell_do_not_hide_a_rise():
    noisy = cells([8700, 12900, 13100], spread=0.2)
    first, second = noisy.loc[0], noisy.loc[1]
    column = "client_throughput_ops_per_s"
    assert first[f"{column}_ci_high"] > second[f"{column}_ci_low"]
    found = usable_capacity(noisy, ["workload"]).iloc[0]
    assert found["num_clients"] == 12
    assert found["found_by"] == "plateau (CI,\xa05\xa0%)"


def test_a_small_rise_counts_when_it_is_significant():
    found = usable_capacity(cells([8000, 8100, 8101], spread=0.0001), ["workload"]).iloc[0]
    assert found["num_clients"] == 12


def test_saturated_from_the_smallest_load_on():
    found = usable_capacity(cells([2900, 2895, 2899]), ["workload"]).iloc[0]
    assert found["num_clients"] == 6
    assert found["found_by"] == "plateau (CI,\xa05\xa0%) from the smallest load on"


def test_still_rising_at_the_largest_load_is_said():
    found = usable_capacity(cells([1000, 2000, 4000]), ["workload"]).iloc[0]
    assert found["num_clients"] == 24
    assert not found["saturated"]
    assert found["found_by"] == "largest load"


def test_one_repetition_is_judged_by_the_rise():
    found = usable_capacity(
        cells([4000, 8000, 8300, 8390], repetitions=1), ["workload"], smallest_rise=0.05
    ).iloc[0]
    assert found["num_clients"] == 12
    assert found["found_by"] == "plateau (5\xa0%)"


def test_each_system_has_its_own():
    both = pd.concat([cells([4000, 8000, 8010]), cells([2900, 2901, 2899], workload="set")])
    found = usable_capacity(both, ["workload"]).set_index("workload")
    assert found["num_clients"].to_dict() == {"get": 12, "set": 6}


def test_a_rise_of_nothing_is_refused():
    with pytest.raises(ValueError, match="smallest_rise must be > 0, got 0"):
        usable_capacity(cells([1, 2]), ["workload"], smallest_rise=0)


def test_a_clear_plateau_is_found_in_nearly_every_repeated_experiment():
    frame = cells([4000, 8000, 12000, 12010, 12005], spread=0.001)
    found = capacity_uncertainty(frame, ["workload"], draws=200).iloc[0]
    assert found["agreement"] > 0.9
    assert found["num_clients_low"] <= 24 <= found["num_clients_high"]
    assert found["capacity_low"] < 12000 < found["capacity_high"]
    assert found["capacity_high"] / found["capacity_low"] < 1.02


def test_a_doubtful_plateau_has_a_wide_range():
    frame = cells([4000, 8000, 10000, 10600, 11000], spread=0.02)
    found = capacity_uncertainty(frame, ["workload"], draws=200).iloc[0]
    assert found["num_clients_low"] < found["num_clients_high"]
    assert found["agreement"] < 0.9


def test_one_repetition_cannot_be_drawn_again():
    frame = cells([4000, 8000, 8300, 8390], repetitions=1)
    found = capacity_uncertainty(frame, ["workload"], draws=5).iloc[0]
    assert found["agreement"] == 1
    assert found["capacity_low"] == found["capacity_high"] == 8000


def test_no_draws_are_refused():
    with pytest.raises(ValueError, match="draws must be >= 1, got 0"):
        capacity_uncertainty(cells([1, 2]), ["workload"], draws=0)


def test_cells_of_two_systems_under_one_name_are_refused():
    both = pd.concat([cells([4000, 8000]), cells([2900, 2901])])
    with pytest.raises(ValueError, match="several cells of a system have 6 clients: `by` must"):
        usable_capacity(both, ["workload"])


def test_loads_that_measured_nothing_are_no_capacity():
    rising = cells([4000, 8000, 12000])
    rising.loc[1, "client_throughput_ops_per_s_mean"] = float("nan")
    found = usable_capacity(rising, ["workload"]).iloc[0]
    assert found["num_clients"] == 24
    nothing = rising.assign(client_response_time_ms_mean=float("nan"))
    with pytest.raises(ValueError, match="no load of a system has both"):
        usable_capacity(nothing, ["workload"])
    with pytest.raises(ValueError, match="no cells"):
        usable_capacity(rising.iloc[:0], ["workload"])
