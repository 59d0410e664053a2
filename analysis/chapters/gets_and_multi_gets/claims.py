"""Chapter 5: multi-gets, cut into parts or sent whole."""

from __future__ import annotations

import pandas as pd

from analysis.chapters.gets_and_multi_gets.multi_gets import (
    by_request,
    prediction_table,
    with_modes,
)
from analysis.claims.claim import Chapter
from analysis.claims.measurements import SAME, Measurements, NotMeasured, by_repetition, ratio
from analysis.claims.rules import Rule, at_most, equal_to
from analysis.claims.shared import full_link, idle_cpus, interactive_law
from analysis.results.histograms import percentiles_by
from analysis.statistics.estimates import Estimate, mean_of

chapter = Chapter("gets-and-multi-gets")
_CUT, _WHOLE = "5.1", "5.2"
_MANY = 9  # keys


def _values(
    measured: Measurements, section: str, keys: int, column: str = "response_time_ms"
) -> pd.Series:
    """Return a measure of multi-gets at the clients in each repetition."""
    return by_repetition(
        by_request(with_modes(measured.tables(section)).request_types),
        column,
        side="client",
        request="multi-get",
        multi_get_keys=keys,
        sharded=section == _CUT,
    )


def _sharded(keys: int, name: str, statement: str, rule: Rule) -> None:
    quantity = f"mean response time, sharded over non-sharded, {keys} key{'s' * (keys > 1)}"

    @chapter.claim(_CUT, "05-4-modes", quantity, rule, name=name, statement=statement)
    def compute(measured: Measurements) -> Estimate:
        return ratio(_values(measured, _CUT, keys), _values(measured, _WHOLE, keys))


for keys, name, statement, rule in (
    (
        1,
        "1-key-is-the-same",
        "Sharding does not change the mean response time of gets of one key.",
        equal_to(1, SAME),
    ),
    (
        3,
        "3-keys-are-faster",
        "Sharding lowers the mean response time of 3-key multi-gets by at least 5 %.",
        at_most(1 - SAME),
    ),
    (
        9,
        "9-keys-are-faster",
        "Sharding lowers the mean response time of 9-key multi-gets by at least 5 %.",
        at_most(1 - SAME),
    ),
):
    _sharded(keys, f"sharding-{name}", statement, rule)


def _tails(measured: Measurements, section: str) -> pd.Series:
    histograms = by_request(with_modes(measured.tables(section)).histograms)
    own = histograms[
        (histograms["sharded"] == (section == _CUT))
        & (histograms["side"] == "client")
        & (histograms["request"] == "multi-get")
        & (histograms["multi_get_keys"] == _MANY)
    ]
    return percentiles_by(own, ["repetition"], (99,)).set_index("repetition")["value_ms"]


@chapter.claim(
    _CUT, "05-3-percentiles", "99th percentile, sharded over non-sharded, 9 keys", at_most(1 - SAME)
)
def sharding_shortens_the_tail(measured: Measurements) -> Estimate:
    """Sharding lowers the 99th percentile of 9-key multi-gets' response time by at least 5 %."""
    return ratio(_tails(measured, _CUT), _tails(measured, _WHOLE))


full_link(
    chapter,
    "sharded-gets-fill-server-links",
    "With sharded 9-key multi-gets, the servers' links limit throughput.",
    _CUT,
    "servers",
    "05-4-limits",
    multi_get_keys=_MANY,
    sharded=True,
)


@chapter.claim(
    _WHOLE, "05-3-keys", "measured over predicted throughput, 9 keys", equal_to(1, 2 * SAME)
)
def product_form_predicts_whole_gets(measured: Measurements) -> Estimate:
    """Non-sharded 9-key multi-gets reach the throughput that the closed network predicts."""
    throughputs = _values(measured, _WHOLE, _MANY, "throughput_ops_per_s")
    tables = measured.with_pings(_WHOLE)
    if throughputs.empty:
        raise NotMeasured
    predicted = prediction_table(tables).set_index("multi_get_keys")["throughput_ops_per_s"]
    return mean_of((throughputs / predicted[_MANY]).tolist())


interactive_law(chapter, _CUT, _WHOLE, see="05-3-keys")
idle_cpus(chapter, _CUT, _WHOLE, see="05-4-limits")
