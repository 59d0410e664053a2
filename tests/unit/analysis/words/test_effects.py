import numpy as np
import pandas as pd
import pytest

from analysis.statistics.designs import analyse_both, choose_model, coded_runs
from analysis.words.effects import (
    beside_published,
    copies_sentence,
    effect_sentences,
    effects_table,
    interval_words,
    published_effects,
    share_text,
)
from tests.unit.analysis.statistics.test_designs import FACTORS, runs


def analysed(response, repetitions=3):
    frame = coded_runs(runs(response, repetitions), FACTORS, ["y"])
    return choose_model(analyse_both(frame, FACTORS, "y"))


def test_effects_are_named_by_their_factors():
    result, _ = analysed(lambda s, m, w: 100.0 * s)
    table = effects_table(result).set_index("effect")
    assert table.loc["A", "of"] == "servers"
    assert table.loc["AC", "of"] == "servers \N{MULTIPLICATION SIGN} workers"
    assert table.loc["A", "q"] == pytest.approx(100)
    assert table.loc["A", "significant"] == "yes"
    assert table.loc["e", "variation_explained"] == pytest.approx(0)


def test_yeniceliks_letters_become_schmids():
    effects = published_effects("get", "throughput")
    assert effects.loc["A", "yenicelik2018"] == pytest.approx(2596.54)  # his Y, the servers
    assert effects.loc["A", "schmid2018_variation"] == pytest.approx(0.973)
    assert effects.loc["AB", "yenicelik2018"] == pytest.approx(55.71)


def test_sentences_follow_the_numbers():
    told = {"workload": "get", "response": "throughput", "unit": "op/s"}
    result, reason = analysed(lambda s, m, w: 100.0 * s)
    sentence = effect_sentences(result, **told, reason=reason)
    assert (
        "100.0\N{NO-BREAK SPACE}% by servers (200\N{NO-BREAK SPACE}op/s more at the higher level)"
        in sentence
    )
    assert "for Schmid\N{NO-BREAK SPACE}2018 it is also servers" in sentence
    result, reason = analysed(lambda s, m, w: 100.0 / w)
    sentence = effect_sentences(result, **told, reason=reason)
    assert "op/s less at the higher level)" in sentence
    assert "instead servers" in sentence


def test_effects_too_small_to_name_are_told_together():
    result, reason = analysed(lambda s, m, w: 100.0 * s + 15.0 * m + 0.3 * w)
    sentence = effect_sentences(
        result, workload="get", response="throughput", unit="op/s", reason=reason
    )
    assert "by the rest of the effects together, each less than 5\N{NO-BREAK SPACE}%" in sentence
    assert share_text(0.0004) == "< 0.05\N{NO-BREAK SPACE}%"
    assert share_text(0.0) == "0.0\N{NO-BREAK SPACE}%"


def test_residuals_that_are_not_normal_are_told():
    rng = np.random.default_rng(1)
    result, reason = analysed(lambda s, m, w: 100.0 * s + rng.standard_cauchy(), repetitions=8)
    told = {"workload": "get", "response": "throughput", "unit": "op/s"}
    sentence = effect_sentences(result, **told, reason=reason)
    assert "The residuals are not normal (Shapiro and Wilk, p < 0.001)" in sentence
    result, reason = analysed(lambda s, m, w: 100.0 * s + rng.normal(), repetitions=8)
    assert "not normal" not in effect_sentences(result, **told, reason=reason)


def test_bars_that_cannot_be_seen_are_told():
    rng = np.random.default_rng(1)
    narrow, _ = analysed(lambda s, m, w: 100.0 * s + rng.normal(0, 1))
    assert interval_words(narrow).endswith("r = 3, smaller than the markers.")
    wide, _ = analysed(lambda s, m, w: 900 + 100.0 * s + rng.normal(0, 50))
    assert interval_words(wide).endswith("r = 3.")


def test_copies_explain_why_more_servers_make_sets_slower():
    slower, _ = analysed(lambda s, m, w: 100.0 * m - 10.0 * s)
    links = pd.DataFrame(
        {"workload": "set", "resource": "middlewares' links", "num_servers": [1, 3]}
    ).assign(utilization=[0.75, 0.98])
    told = copies_sentence(slower, links).replace("\xa0", " ")
    assert "with 3 servers a middleware sends 3 times as much for each" in told
    assert "at most 75 % of the time with 1 server, is so for up to 98 % with 3." in told
    faster, _ = analysed(lambda s, m, w: 100.0 * s)
    assert copies_sentence(faster, links) == "More servers do not make sets slower."


def test_all_equal_responses_are_told_too():
    result, reason = analysed(lambda *_: 5.0)
    sentence = effect_sentences(
        result, workload="set", response="throughput", unit="op/s", reason=reason
    )
    assert "No factor explains" in sentence


def test_ours_stand_beside_the_published():
    result, _ = analysed(lambda s, m, w: 100.0 * s)
    table = beside_published(result, "set", "response_time").set_index("effect")
    assert table.loc["C", "schmid2018"] == pytest.approx(-5.9)
    assert table.loc["A", "ours"] == pytest.approx(100)
