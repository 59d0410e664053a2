"""Tables with text of others, opened by a spreadsheet."""

import pandas as pd
import pytest

from analysis.text.spreadsheet import csv_text


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-x", "@SUM(A1)", " =1", "\t=1"])
def test_no_cell_or_heading_is_a_formula(cell):
    heading, row = csv_text(pd.DataFrame({cell: [cell]})).splitlines()
    assert heading == row == f"'{cell}"


def test_numbers_and_other_texts_stay():
    table = pd.DataFrame(
        {"a": [-1.5, 2], "b": ["-1.5", None], "c": ["x=1", "+2"], "d": [True, False]}
    )
    assert csv_text(table) == table.to_csv(index=False)
    assert csv_text(table, float_format="%.2f") == table.to_csv(index=False, float_format="%.2f")
    assert csv_text(pd.DataFrame()) == pd.DataFrame().to_csv(index=False)
