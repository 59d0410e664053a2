"""The data drawn in a figure as a table, so that a reader can draw it anew."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def drawn_data(spec: Mapping[str, Any]) -> pd.DataFrame:
    """Collect what a figure draws.

    Parameters
    ----------
    spec : mapping
        The figure as plotly's JSON object.

    Returns
    -------
    DataFrame
        One row per drawn point: `trace` (its name in the legend), `x_axis` and `y_axis` (the
        axes' titles, with units), then what the traces hold: `x`, `y`, `z`, `error_y`, ...
    """
    layout = spec.get("layout", {})
    frames = [
        _trace(trace, trace.get("name") or f"trace {index}", layout)
        for index, trace in enumerate(spec["data"])
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _trace(trace: Mapping[str, Any], name: str, layout: Mapping[str, Any]) -> pd.DataFrame:
    values = {key: array for key, value in trace.items() if (array := _array(value)) is not None}
    for error in ("error_x", "error_y"):
        for key, suffix in (("array", ""), ("arrayminus", "_minus")):
            if (array := _array(trace.get(error, {}).get(key))) is not None:
                values[error + suffix] = array
    if "z" in values and values["z"].ndim == 2:
        values |= _unrolled(values)
    columns = {key: pd.Series(array) for key, array in values.items() if array.ndim == 1}
    frame = pd.DataFrame(columns)
    for axis in ("y", "x"):
        frame.insert(0, f"{axis}_axis", _axis_title(trace, layout, axis))
    frame.insert(0, "trace", name)
    return frame


def _array(value: Any) -> np.ndarray[Any, Any] | None:
    """Return a trace's list or base64 array (plotly writes either), None for anything else."""
    if isinstance(value, Mapping) and "bdata" in value:
        flat = np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
        shape = [int(size) for size in str(value.get("shape", flat.size)).split(",")]
        return flat.reshape(shape)
    if isinstance(value, list) and value and not isinstance(value[0], Mapping):
        return np.array(value)
    return None


def _unrolled(values: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """Give each cell of a matrix its x and y."""
    z = values["z"]
    rows, columns = z.shape
    x = values.get("x", np.arange(columns))
    y = values.get("y", np.arange(rows))
    return {"x": np.tile(x, rows), "y": np.repeat(y, columns), "z": z.ravel()}


def _axis_title(trace: Mapping[str, Any], layout: Mapping[str, Any], axis: str) -> str:
    """Return the title of the axis a trace is drawn on (`x2` is laid out as `xaxis2`)."""
    reference = str(trace.get(f"{axis}axis", axis))
    title = layout.get(f"{axis}axis{reference[1:]}", {}).get("title", {})
    return str(title.get("text", ""))
