"""Column names and numbers as a reader of a table wants to see them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from records.text.words import MISSING, group_digits

# Longest first: `_ops_per_s` must be recognised before `_s`.
UNITS = {
    "_mbit_per_s": "Mbit/s",
    "_bytes_per_s": "B/s",
    "_ops_per_s": "op/s",
    "_per_s": "1/s",
    "_percent": "%",
    "_bytes": "B",
    "_mib": "MiB",
    "_ms": "ms",
    "_us": "µs",
    "_s": "s",
}
SPELLINGS = {
    "ci": "CI",
    "ci95": "95 % CI",
    "cpu": "CPU",
    "gc": "GC",
    "rtt": "RTT",
    "sd": "SD",
    "tcp": "TCP",
}
SIGNIFICANT_DIGITS = 3

Format = str | Callable[[Any], str]


def heading(column: object) -> str:
    """Turn a column name into a table heading: `throughput_ops_per_s` -> `Throughput (op/s)`.

    The unit may also stand before the last words, as in `response_time_ms_mean`. The `num_`
    of a count is dropped. Names that are not snake case (numbers, words with spaces or
    capitals) are headings already and returned as they are.
    """
    name = str(column)
    if not isinstance(column, str) or name != name.lower() or " " in name:
        return name
    unit = next((unit for unit in UNITS if f"{unit}_" in f"{name}_"), "")
    stem = f"{name}_".replace(f"{unit}_", "_", 1).strip("_")
    words = " ".join(SPELLINGS.get(word, word) for word in stem.split("_") if word != "num")
    words = re.sub(r"(?<=[a-z])(?=(19|20)\d\d\b)", " ", words)  # a study: schmid2018
    title = words[:1].upper() + words[1:]
    return f"{title} ({UNITS[unit]})" if unit else title


def is_number(series: pd.Series) -> bool:
    """Whether a column holds numbers, and so is set flush right."""
    return pd.api.types.is_numeric_dtype(series) and not pd.api.types.is_bool_dtype(series)


def format_column(series: pd.Series, spec: Format | None = None) -> list[str]:
    """Format every cell of a column alike, so that decimal points stand under each other.

    A missing value is an en dash.

    Parameters
    ----------
    spec : str or callable, optional
        A format specification such as ".1f", or a function from value to text. Without it whole
        numbers are grouped by thousands, and other numbers get as many decimals as their median
        needs for three significant digits.
    """
    if spec is None:
        spec = _default_format(series)
    write = spec if callable(spec) else lambda value: group_digits(format(value, spec))
    return [MISSING if pd.isna(value) else write(value) for value in series]


def _default_format(series: pd.Series) -> Format:
    if pd.api.types.is_bool_dtype(series):
        return lambda value: "yes" if value else "no"
    if not is_number(series):
        return str
    if pd.api.types.is_integer_dtype(series):
        return ",d"
    magnitudes = series.abs()
    typical = magnitudes[(magnitudes > 0) & (magnitudes < math.inf)].median()
    if pd.isna(typical):
        return ",.0f"
    decimals = SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(typical))
    return f",.{max(decimals, 0)}f"


def collapsed(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Join the rows that differ in one column alone, its levels listed, ``8, 16, 32``.

    Other columns are compared as they are; the order of the first rows is kept. A column that is
    empty in all rows is left out.
    """
    others = [name for name in frame.columns if name != column]
    groups = frame.groupby(others, sort=False, dropna=False)[column]
    listed = groups.agg(lambda levels: ", ".join(f"{level}" for level in levels)).reset_index()
    return listed[list(frame.columns) if (listed[column] != "").any() else others]


def plus_minus(frame: pd.DataFrame) -> pd.DataFrame:
    """Write each mean and the SD beside it as one text, ``6 779 ± 98``.

    Parameters
    ----------
    frame
        A column ``x_ops_per_s`` is joined with ``x_sd_ops_per_s`` (the SD's name before the unit)
        and keeps its name; columns without an SD stay as they are.
    """
    joined = frame.copy()
    for name in frame.columns:
        unit = next((unit for unit in UNITS if str(name).endswith(unit)), "")
        spread = f"{str(name).removesuffix(unit)}_sd{unit}"
        if spread in frame.columns:
            spec = _default_format(frame[name])  # as many decimals for the SD
            columns = (format_column(frame[name], spec), format_column(joined.pop(spread), spec))
            texts = zip(*columns, strict=True)
            joined[name] = [mean if sd == MISSING else f"{mean} ± {sd}" for mean, sd in texts]
    return joined


def with_intervals(frame: pd.DataFrame) -> pd.DataFrame:
    """Write each number and the interval beside it as one text, ``6 779 (6 600 to 6 900)``.

    Parameters
    ----------
    frame
        A column ``x_ops_per_s`` is joined with ``x_ci_low_ops_per_s`` and ``x_ci_high_ops_per_s``
        and keeps its name. Where the interval has no end the text is that it is at least its
        begin; where it is not known it is the number alone.
    """
    joined = frame.copy()
    for name in frame.columns:
        unit = next((unit for unit in UNITS if str(name).endswith(unit)), "")
        ends = [f"{str(name).removesuffix(unit)}_{end}{unit}" for end in ("ci_low", "ci_high")]
        if set(ends) <= set(frame.columns):
            spec = _default_format(frame[name])
            bounds = [joined.pop(end) for end in ends]
            columns = [format_column(numbers, spec) for numbers in (frame[name], *bounds)]
            endless = bounds[1] == math.inf
            joined[name] = [
                _interval_text(*texts, has_end=not without)
                for *texts, without in zip(*columns, endless, strict=True)
            ]
    return joined


def _interval_text(value: str, low: str, high: str, *, has_end: bool) -> str:
    if low == MISSING:
        return value
    return f"{value} ({low} to {high})" if has_end else f"at least {low}"
