import math

import pandas as pd
import pytest

from analysis.lab.machine_share import MARK, legend, marked


def cells(*shares):
    return pd.DataFrame(
        {
            "section": "3.1",
            "workload": "set",
            "workers": [8] * len(shares),
            "num_clients": range(len(shares)),
            "machine_share_mean": shares,
        }
    )


def test_cells_above_two_percent_are_marked():
    table = pd.DataFrame({"workload": "set", "num_clients": [2, 0, 1], "throughput": 1.0})
    shown = marked(table, cells(0.01, 0.03, math.nan))
    assert shown[MARK].tolist() == ["", "", MARK]
    assert shown.columns.tolist()[-1] == MARK
    assert "more than 2" in legend(shown)


def test_a_row_that_stands_for_several_cells_has_the_largest_share():
    table = pd.DataFrame({"workload": ["set", "get"]})
    assert marked(table, cells(0.01, 0.03))[MARK].tolist() == [MARK, ""]


@pytest.mark.parametrize("known", [cells(math.nan, math.nan), cells(0.5).iloc[:, :-1]])
def test_where_no_share_is_told_a_table_stays_as_it_is(known):
    table = pd.DataFrame({"workload": ["set"], "num_clients": [0]})
    pd.testing.assert_frame_equal(marked(table, known), table)
    assert legend(table) == ""
