import numpy as np
import pandas as pd
import pytest

from analysis.chapters.gets_and_multi_gets.multi_gets import (
    mode_table,
    multi_get_cells,
    nearest_first,
    prediction_table,
)
from analysis.statistics.loads.message_sizes import link_seconds, message_bytes
from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_campaign, build_network_runs


def request_types(times, *, repetitions=3, spread=0.02) -> pd.DataFrame:
    """Mean response times by (sharded, keys), with sets of another time between them."""
    rows = []
    for (sharded, keys), mean in times.items():
        for repetition in range(repetitions):
            time = mean * (1 + spread * (repetition - 1))
            for side in ("client", "middleware"):
                multi_get = "get" if side == "client" else f"multi-get-{keys}"
                for kind, value in ((multi_get, time), ("set", 99.0)):
                    rows.append((side, kind, sharded, keys, value, 100.0))
    columns = ["side", "request_type", "sharded", "multi_get_keys", "response_time_ms"]
    return pd.DataFrame(rows, columns=[*columns, "throughput_ops_per_s"])


def test_sets_do_not_count():
    cells = multi_get_cells(request_types({(True, 6): 2.0}))
    assert cells["response_time_ms_mean"].tolist() == pytest.approx([2.0])
    assert cells["response_time_ms_repetitions"].tolist() == [3]


def test_modes_are_compared_where_both_were_measured():
    times = {(True, 1): 2.1, (False, 1): 1.5, (True, 6): 2.0, (False, 6): 2.01, (True, 27): 5.0}
    table = mode_table(multi_get_cells(request_types(times)))
    assert table["multi_get_keys"].tolist() == [1, 6]
    assert table["ratio"].tolist() == pytest.approx([1.4, 2 / 2.01])
    assert ((table["ci_low_ms"] < 0) & (table["ci_high_ms"] > 0)).tolist() == [False, True]


def test_welch_interval_of_equal_spreads_is_students():
    times = {(True, 6): 2.0, (False, 6): 2.0}
    row = mode_table(multi_get_cells(request_types(times))).iloc[0]
    half_width = 3.747 * np.sqrt(2 * 0.04**2 / 3)  # t of 4 degrees of freedom, 98 %
    assert row["ci_high_ms"] == pytest.approx(half_width, rel=1e-3)


def test_the_nearest_number_of_keys_comes_first():
    cells = multi_get_cells(request_types({(True, keys): 2.0 for keys in (1, 3, 9, 81)}))
    assert nearest_first(cells, 6) == [3, 9, 1, 81]


@pytest.fixture(scope="module")
def predicted(tmp_path_factory):
    folder = build_campaign(
        tmp_path_factory.mktemp("synthetic"),
        sections=["5.1", "5.2"],
        multi_get_keys=(1, 9, 81),
        repetitions=1,
    )
    return prediction_table(tidy_campaign(build_network_runs(folder)))


def test_links_predict_what_sharding_reaches(predicted):
    cut = predicted.query("sharded").set_index("multi_get_keys")
    value_s = link_seconds(message_bytes("multi-get", keys=9)["reply_bytes"], 100e6) / 9
    assert cut["largest_part_keys"][9] == 3
    assert cut["on_link_ms"][9] == pytest.approx(3 * value_s * 1000)
    assert cut["most_ops_per_s"][9] == pytest.approx(3 / (9 * value_s))
    full = cut.index >= cut["full_from_keys"].iloc[0] + 2  # parts are not equal just above
    assert (cut["link_utilization"][full] == 1).all()
    assert (cut["link_utilization"][cut.index < cut["full_from_keys"].iloc[0]] < 1).all()


def test_whole_ones_leave_links_idle_however_many_keys(predicted):
    whole = predicted.query("not sharded").set_index("multi_get_keys")
    assert (whole["largest_part_keys"] == whole.index).all()
    assert whole["link_utilization"].is_monotonic_increasing
    assert (whole["link_utilization"] < 12 / (12 + 3 - 1)).all()
    assert whole["full_from_keys"].isna().all()
