"""Changes of the system: predicted by the network of queues, beside what was measured of them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from analysis.models import System, what_if
from analysis.sections.summary import cells
from analysis.statistics.comparison import compare
from analysis.tables.frames import Tables

MEASURES = {  # of a prediction to what it is called in the cells of runs
    "throughput_ops_per_s": "client_throughput_ops_per_s",
    "client_response_time_ms": "client_response_time_ms",
}
_UNKNOWN = {
    "measured": math.nan,
    "ci_low": math.nan,
    "ci_high": math.nan,
    "relative_error": math.nan,
    "verdict": "not measured",
    "reason": "there is no run of it",
}


def beside_predictions(
    system: System,
    num_clients: int,
    changes: Mapping[str, Mapping[str, float]],
    measured: Mapping[str, Tables | None],
) -> pd.DataFrame:
    """Put the predictions of changes beside what was measured of each.

    Parameters
    ----------
    system, num_clients, changes
        As for `analysis.models.what_if`.
    measured
        Case, the system as it is among them, to its tables; None where nothing was measured.

    Returns
    -------
    pandas.DataFrame
        As `analysis.statistics.comparison.compare`, in op/s and ms, two rows for each case (the
        system as it is first): `case`, `measure`, `bottleneck` (predicted).
    """
    predicted = what_if(system, num_clients, changes).set_index("case")
    rows = []
    for case, tables in measured.items():
        found = None if tables is None else cells(tables.runs).iloc[[0]]
        for measure, column in MEASURES.items():
            expected = float(predicted.loc[case, measure])  # type: ignore[arg-type]
            compared = _compared(found, expected, column)
            compared.insert(0, "case", case)
            compared.insert(1, "measure", measure)
            compared.insert(2, "bottleneck", str(predicted.loc[case, "bottleneck"]))
            rows.append(compared)
    return pd.concat(rows, ignore_index=True)


def _compared(measured: pd.DataFrame | None, predicted: float, column: str) -> pd.DataFrame:
    if measured is None:
        return pd.DataFrame([{"predicted": predicted, **_UNKNOWN}])
    return compare(measured, pd.Series(predicted, measured.index), column)
