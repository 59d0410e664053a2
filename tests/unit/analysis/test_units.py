import pandas as pd
import pytest

from analysis import units


@pytest.mark.parametrize(
    ("convert", "value", "expected"),
    [
        (units.us_to_ms, 1500.0, 1.5),
        (units.ms_to_s, 250.0, 0.25),
        (units.kib_to_bytes, 2.0, 2048.0),
        (units.bits_to_bytes, 12.0, 1.5),
        (units.bits_per_s_to_mbit_per_s, 100e6, 100.0),
        (units.bytes_per_s_to_mbit_per_s, 12.5e6, 100.0),
    ],
)
def test_conversions_of_numbers_and_columns(convert, value, expected):
    assert convert(value) == expected
    assert convert(pd.Series([value, 2 * value])).tolist() == [expected, 2 * expected]
