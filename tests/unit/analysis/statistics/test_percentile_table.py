import pandas as pd

from analysis.statistics.percentile_table import percentile_table


def test_percentiles_of_a_system_stand_in_one_row_repetitions_merged():
    parts = [
        pd.DataFrame({"side": side, "upper_edge_ms": [1.0, 3.0], "count": [75, 25]})
        for side in ("client", "client", "middleware")
    ]
    parts[1]["upper_edge_ms"] = [1.0, 5.0]
    table = percentile_table(pd.concat(parts), ["side"])
    names = [f"{p}\N{NO-BREAK SPACE}% (ms)" for p in (25, 50, 75, 90, 95, 99)]
    assert list(table) == ["side", *names]
    assert table[names].to_numpy().tolist() == [[1, 1, 1, 5, 5, 5], [1, 1, 1, 3, 3, 3]]
