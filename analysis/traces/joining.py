"""What several hosts wrote of the same requests, put together."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.results.middleware import read_summary

FARTHEST_S = 1.0  # that clocks may be off; a port is not used again as soon
_Span = tuple[str, str]


def join_nested(
    outer: pd.DataFrame, inner: pd.DataFrame, on: Sequence[str], outer_s: _Span, inner_s: _Span
) -> pd.DataFrame:
    """Join what two hosts tell of the same request: the one further in sees it begin later.

    Rows of the same keys belong together where the inner span lies within the outer one, or
    nearest to that, each at most once: a port may have been used again.

    Columns of both, and `outer_row`, the index in `outer`; in no order.

    Parameters
    ----------
    outer_s, inner_s
        Columns of either side that tell from when until when.
    """
    pairs = outer.reset_index(names="outer_row").merge(
        inner.reset_index(names="inner_row"), on=list(on)
    )
    early_s = pairs[outer_s[0]] - pairs[inner_s[0]]
    late_s = pairs[inner_s[1]] - pairs[outer_s[1]]
    outside_s = early_s.clip(lower=late_s).clip(lower=0)
    near = pairs.assign(outside_s=outside_s)[outside_s <= FARTHEST_S].sort_values("outside_s")
    return near.drop_duplicates("outer_row").drop_duplicates("inner_row")


def server_names(directory: Path, servers: Sequence[str]) -> dict[str, str]:
    """Return the host of each server by its address, as a middleware or a capture lists them."""
    listed = read_summary(directory).get("configuration", {}).get("servers", [])
    return dict(zip(listed, servers, strict=True)) if len(listed) == len(servers) else {}
