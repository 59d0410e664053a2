"""Read slices and histograms by second, which only the lab's own generator writes.

Five lines of its JSON, below ``"middleware-lab"``, ``"Runs"``::

    "Slices":{
        "Length": 100
        ,"Counts": [212,208,215]
        ,"Accumulated Latencies": [403112,398450,401967]
    "Histograms":{"Sets": [[[1015,8,8],[3,12,40]],[[],[]],[[1031],[9]]]}

The first slice begins with the run. Lengths of slices are in ms; latencies are in microseconds, and
are added up over a slice. Histograms have a pair of lists for each second of the run: for each bin
with requests, the distance in microseconds from the previous bin's largest value to this bin's,
and the count of the bin. Above, 3 requests took up to 1015 us, and 12 took up to 1023 us. No bin is
wider than 0.8 % of its values, or 1 us.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.results.histograms import EMPTY
from analysis.units import MS_PER_S, us_to_ms

COURSE = ("Slices", "Histograms")


def parse_slices(extras: Mapping[str, Any]) -> pd.DataFrame:
    """Return the slices of a run; no rows if the file has none.

    Columns: `start_s` (from the start of the run), `requests`, `response_time_sum_ms`.
    """
    slices = extras.get("Slices", {"Length": 0, "Counts": [], "Accumulated Latencies": []})
    counts, sums_us = _counts(slices["Counts"]), _counts(slices["Accumulated Latencies"])
    if len(counts) != len(sums_us):
        raise ValueError(f"{len(counts)} slices have counts, {len(sums_us)} have latencies")
    return pd.DataFrame(
        {
            "start_s": np.arange(len(counts)) * slices["Length"] / MS_PER_S,
            "requests": counts,
            "response_time_sum_ms": us_to_ms(sums_us.astype("float64")),
        }
    )


def parse_histograms_by_second(
    extras: Mapping[str, Any], kinds: Mapping[str, str]
) -> pd.DataFrame | None:
    """Return the histograms of each second of a run; None if the file has none.

    Columns: `request_type`, `second` (from the start of the run), `upper_edge_ms`, `count`.

    Parameters
    ----------
    kinds
        Name of each request type in the file to its tidy name, such as ``Sets`` to ``set``.
    """
    histograms = extras.get("Histograms")
    if histograms is None:
        return None
    empty = EMPTY.assign(request_type=pd.Series(dtype="str"), second=pd.Series(dtype="int64"))
    rows = [
        frame for name, kind in kinds.items() for frame in _rows(histograms.get(name, []), kind)
    ]
    return pd.concat([empty, *rows], ignore_index=True)


def _rows(seconds: Sequence[Sequence[Sequence[int]]], kind: str) -> Iterator[pd.DataFrame]:
    for second, (steps, counts) in enumerate(seconds):
        if len(steps) != len(counts):
            raise ValueError(f"{kind} has {len(steps)} bins, {len(counts)} counts in {second} s")
    bins = [len(counts) for _, counts in seconds]
    if sum(bins):
        edges_us = [_counts(steps).cumsum() for steps, _ in seconds if steps]
        yield pd.DataFrame(
            {
                "upper_edge_ms": us_to_ms(np.concatenate(edges_us).astype("float64")),
                "count": _counts([count for _, counts in seconds for count in counts]),
                "request_type": kind,
                "second": np.repeat(np.arange(len(seconds)), bins),
            }
        )


def _counts(values: Sequence[int]) -> np.ndarray:
    numbers = np.asarray(values)
    if numbers.size and (numbers.dtype.kind != "i" or numbers.min() < 0):
        raise ValueError(f"whole numbers >= 0 expected, got {str(values)[:60]}")
    return numbers.astype("int64")
