import pandas as pd
import pytest

from analysis.tables.frames import DamagedTablesError, read_tables, tables_path, write_section

RUNS = pd.DataFrame({"workload": ["get"], "num_middlewares": [1], "num_clients": [3]})


def reading(folder, **columns):
    path = tables_path(folder, "3.1")
    path.parent.mkdir()
    write_section(path, {"runs": RUNS.assign(**columns)}, {})
    return read_tables(folder).runs


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("num_middlewares", "1", "numbers, got values of the kind string"),
        ("num_clients", [1], "numbers, got values of the kind mixed"),
        ("is_second", pd.Timestamp(0), "numbers, got values of the kind datetime64"),
        ("workload", 1, "text, got values of the kind integer"),
    ],
)
def test_column_of_the_wrong_kind_is_named_with_its_file(tmp_path, column, value, message):
    with pytest.raises(
        DamagedTablesError,
        match=rf"3\.1\.zip: runs\.parquet: column `{column}` "
        rf"must hold {message}",
    ):
        reading(tmp_path, **{column: [value]})


def test_column_without_values_is_of_any_kind(tmp_path):
    assert reading(tmp_path, workload=[None], think_time_s=[None], sharded=[True])["sharded"].all()
