"""How a run went, as only the lab's own generator tells it: by slices and by seconds.

Five lines of it, below ``"middleware-lab"``, ``"Runs"``::

    "Slices":{
        "Length": 100
        ,"Counts": [212,208,215]
        ,"Accumulated Latencies": [403112,398450,401967]
    "Histograms":{"Sets": [[1015,3,1023,12,1031,40],[],[1031,9]]}

Slices begin with the run, their length is in ms; latencies are in microseconds, added up over a
slice. Histograms hold by second of the run, for each bin with requests, its largest value in
microseconds and its count. No bin is wider than 0.8 % of its values.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.results.histograms import EMPTY
from analysis.units import MS_PER_S, us_to_ms


def parse_slices(extras: Mapping[str, Any]) -> pd.DataFrame:
    """Return `start_s` (of the run), `requests`, `response_time_sum_ms`; no rows if not told.

    Raises
    ------
    ValueError
        As many counts as latencies are due, whole numbers >= 0.
    """
    told = extras.get("Slices", {"Length": 0, "Counts": [], "Accumulated Latencies": []})
    counts, sums_us = _counts(told["Counts"]), _counts(told["Accumulated Latencies"])
    if len(counts) != len(sums_us):
        raise ValueError(f"{len(counts)} slices have counts, {len(sums_us)} have latencies")
    return pd.DataFrame(
        {
            "start_s": np.arange(len(counts)) * told["Length"] / MS_PER_S,
            "requests": counts,
            "response_time_sum_ms": us_to_ms(sums_us.astype("float64")),
        }
    )


def parse_histograms_by_second(
    extras: Mapping[str, Any], kinds: Mapping[str, str]
) -> pd.DataFrame | None:
    """Return `request_type`, `second`, `upper_edge_ms`, `count`; None if not told.

    Parameters
    ----------
    kinds
        The file's name of each kind of request to the tidy one, such as ``Sets`` to ``set``.

    Raises
    ------
    ValueError
        Edges and counts are no pairs of whole numbers >= 0.
    """
    told = extras.get("Histograms")
    if told is None:
        return None
    empty = EMPTY.assign(request_type=pd.Series(dtype="str"), second=pd.Series(dtype="int64"))
    rows = [frame for name, kind in kinds.items() for frame in _rows(told.get(name, []), kind)]
    return pd.concat([empty, *rows], ignore_index=True)


def _rows(seconds: Sequence[Sequence[int]], kind: str) -> Iterator[pd.DataFrame]:
    odd = [second for second, pairs in enumerate(seconds) if len(pairs) % 2]
    if odd:
        raise ValueError(f"edges and counts of {kind} are no pairs in seconds {odd}")
    numbers = _counts([number for pairs in seconds for number in pairs])
    if numbers.size:
        yield pd.DataFrame(
            {
                "upper_edge_ms": us_to_ms(numbers[::2].astype("float64")),
                "count": numbers[1::2],
                "request_type": kind,
                "second": np.repeat(np.arange(len(seconds)), [len(p) // 2 for p in seconds]),
            }
        )


def _counts(values: Sequence[int]) -> np.ndarray:
    numbers = np.asarray(values)
    if numbers.size and (numbers.dtype.kind != "i" or numbers.min() < 0):
        raise ValueError(f"whole numbers >= 0 expected, got {str(values)[:60]}")
    return numbers.astype("int64")
