"""Chapter 5: multi-gets, cut into parts or sent whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.chapters.gets_and_multi_gets.multi_gets import (
    by_request,
    prediction_table,
    with_modes,
)
from analysis.claims.findings import SAME, Findings, by_repetition, ratio
from analysis.claims.rules import at_most, equal_to
from analysis.results.histograms import percentiles_by
from analysis.statistics.estimates import Estimate, mean_of

_CUT, _WHOLE = "5.1", "5.2"
_MANY = 9  # keys


def check(found: Findings) -> None:
    """Check from when on cutting up pays, and whether links explain it."""
    for keys, statement, rule in (
        (1, "Cutting up a get of one key changes nothing.", equal_to(1, SAME)),
        (3, "Cut up, gets of three keys are answered sooner.", at_most(1 - SAME)),
        (_MANY, "Cut up, gets of nine keys are answered sooner.", at_most(1 - SAME)),
    ):
        found.check(
            _CUT,
            statement,
            quantity=f"mean response time, sharded over whole, {keys} key{'s' * (keys > 1)}",
            measured=ratio(_times(found, _CUT, keys), _times(found, _WHOLE, keys)),
            holds=rule,
            see="05-4-modes",
        )
    found.check(
        _CUT,
        "Cut up, even the slowest gets of nine keys are sooner.",
        quantity=f"99th percentile, sharded over whole, {_MANY} keys",
        measured=ratio(_tails(found, _CUT), _tails(found, _WHOLE)),
        holds=at_most(1 - SAME),
        see="05-3-percentiles",
    )
    found.check_link(
        _CUT,
        "Cut up, gets of nine keys fill the servers' links.",
        "servers",
        multi_get_keys=_MANY,
        sharded=True,
        see="05-4-limits",
    )
    found.check(
        _WHOLE,
        "Whole, they leave links idle as often as the model predicts.",
        quantity=f"throughput over the product form's, {_MANY} keys",
        measured=_over_predicted(found),
        holds=equal_to(1, 2 * SAME),
        see="05-3-keys",
    )
    found.law(_CUT, _WHOLE, see="05-3-keys")
    found.processors(_CUT, _WHOLE, see="05-4-limits")


def _times(found: Findings, section: str, keys: int, column: str = "response_time_ms") -> pd.Series:
    """Return a measure of multi-gets at the clients in each repetition."""
    tables = found.tables(section)
    if tables is None:
        return pd.Series(dtype=float)
    requests = by_request(with_modes(tables).request_types)
    which: dict[str, Any] = {
        "request": "multi-get",
        "multi_get_keys": keys,
        "sharded": section == _CUT,
    }
    return by_repetition(requests, column, side="client", **which)


def _tails(found: Findings, section: str) -> pd.Series:
    tables = found.tables(section)
    if tables is None:
        return pd.Series(dtype=float)
    histograms = by_request(with_modes(tables).histograms)
    own = histograms[
        (histograms["sharded"] == (section == _CUT))
        & (histograms["side"] == "client")
        & (histograms["request"] == "multi-get")
        & (histograms["multi_get_keys"] == _MANY)
    ]
    return percentiles_by(own, ["repetition"], (99,)).set_index("repetition")["value_ms"]


def _over_predicted(found: Findings) -> Estimate:
    tables = found.tables(_WHOLE)
    measured = _times(found, _WHOLE, _MANY, "throughput_ops_per_s")
    if tables is None or measured.empty:
        return mean_of([])
    network = found.tables("0")
    if network is not None:
        tables = replace(tables, pings=network.pings)
    predicted = prediction_table(tables).set_index("multi_get_keys")["throughput_ops_per_s"]
    return mean_of((measured / predicted[_MANY]).tolist())
