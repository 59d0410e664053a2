"""Tables with text of others as CSV: no cell is a formula in a spreadsheet."""

from __future__ import annotations

import contextlib
from typing import Any

import pandas as pd


def csv_text(table: pd.DataFrame, **options: Any) -> str:
    """Write a table as CSV without its index; `options` are those of `DataFrame.to_csv`."""
    columns = {
        _without_formula(name): column
        if pd.api.types.is_numeric_dtype(column)
        else pd.Series(map(_without_formula, column), column.index, dtype=object)
        for name, column in table.items()
    }
    return str(pd.DataFrame(columns).to_csv(index=False, **options))


def _without_formula(cell: Any) -> Any:
    """Put a quotation mark before a text that begins as formulas do and is no number."""
    if not isinstance(cell, str) or not cell.strip().startswith(("=", "+", "-", "@")):
        return cell
    with contextlib.suppress(ValueError):
        float(cell)
        return cell
    return f"'{cell}"
