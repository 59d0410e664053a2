"""Columns of tables that a section has no rows of, so that nothing else has to ask for them."""

import pandas as pd

_LAST_OF_KEY = "time_dilation"
_COLUMNS = {
    "windows": {
        "side": "str",
        "second_s": "int64",
        "stable": "bool",
        "throughput_ops_per_s": "float64",
        "response_time_ms": "float64",
    },
    "servers": {
        "server": "str",
        "second_s": "int64",
        "stable": "bool",
        "throughput_ops_per_s": "float64",
        "keys_per_request": "float64",
        "response_time_ms": "float64",
        "response_time_max_ms": "float64",
    },
    "histograms": {
        "side": "str",
        "request_type": "str",
        "time": "str",
        "upper_edge_ms": "float64",
        "count": "int64",
        "stable": "bool",
    },
}


def with_columns(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return tables of a section; those above get their columns if they have no rows.

    Imported runs may lack them: not every load generator recorded seconds or a distribution, and
    no other middleware recorded what it sent to each server.
    """
    runs = tables["runs"]
    if _LAST_OF_KEY not in runs:
        return tables
    key = runs.loc[:, :_LAST_OF_KEY].iloc[:0]
    empty = {
        name: key.assign(**{column: pd.Series(dtype=kind) for column, kind in columns.items()})
        for name, columns in _COLUMNS.items()
        if tables[name].empty
    }
    return {**tables, **empty}
