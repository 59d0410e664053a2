import pytest

from analysis.design import analyse_both, choose_model, coded_runs
from analysis.words.effects import (
    beside_published,
    effect_sentences,
    effects_table,
    published_effects,
)
from tests.unit.analysis.test_design import FACTORS, runs


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
        "100\N{NO-BREAK SPACE}% by servers (200\N{NO-BREAK SPACE}op/s more at the higher level)"
        in sentence
    )
    assert "for Schmid\N{NO-BREAK SPACE}2018 it is also servers" in sentence
    result, reason = analysed(lambda s, m, w: 100.0 / w)
    sentence = effect_sentences(result, **told, reason=reason)
    assert "op/s less at the higher level)" in sentence
    assert "instead servers" in sentence


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
