import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.two_k_factorial import factor_effects
from analysis.chapters.two_k_factorial.factor_effects import FACTORS
from analysis.statistics.factorial.designs import analyse_designs
from analysis.statistics.factorial.effects_table import RESPONSES, THROUGHPUT


def runs(response, repetitions=3):
    rng = np.random.default_rng(1)
    rows = [
        (workload, *levels, repetition, x := response(*levels) + rng.normal(), 192_000 / x)
        for workload in ("get", "set")
        for levels in product((1, 3), (1, 2), (8, 32))
        for repetition in range(1, repetitions + 1)
    ]
    return pd.DataFrame(rows, columns=["workload", *FACTORS, "repetition", *RESPONSES.values()])


def analysed(response, repetitions=3):
    return analyse_designs(runs(response, repetitions), FACTORS, RESPONSES)


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_effects_are_written_with_interval_and_share():
    table = factor_effects.effects_table(analysed(lambda s, m, w: 1000.0 * s))
    assert table["effect"].tolist() == [
        "I", "A", "B", "C", "AB", "AC", "BC", "ABC", "blocks", "error",
    ]  # fmt: skip
    column = table.set_index("effect")["Sets: throughput (op/s)"].map(plain)
    assert re.fullmatch(r"\d+\.\d\d ± 0\.\d\d \(100\.0 %\)", column["A"])
    assert column["error"] == "< 0.05 %"


def test_shares_that_are_not_zero_are_not_called_so():
    assert plain(factor_effects.share_text(0.0004)) == "< 0.05 %"
    assert plain(factor_effects.share_text(0.0)) == "0.0 %"
    assert factor_effects.p_text(1e-5) == "< 0.001"
    assert factor_effects.p_text(0.25) == "0.25"


@pytest.mark.parametrize(
    ("study", "effect", "q", "share"),
    [
        ("schmid2018", "A", 2725, 0.973),
        ("yenicelik2018", "A", 2596.54, 0.9973),  # his Y, the servers
        ("yenicelik2018", "AB", 55.71, 0.0005),
        ("cetin2018", "A", 2678.29, 0.944),  # his B
        ("cetin2018", "AC", 260.54, 0.009),  # his BC
    ],
)
def test_studies_effects_have_our_letters(study, effect, q, share):
    effects = factor_effects.published_effects(study, "get", THROUGHPUT)
    assert effects.loc[effect, "q"] == pytest.approx(q, abs=0.01)
    assert effects.loc[effect, "share"] == pytest.approx(share, abs=1e-3)


def test_cetins_seconds_become_milliseconds():
    effects = factor_effects.published_effects("cetin2018", "set", "response time")
    assert effects.loc["C", "q"] == pytest.approx(-12.0)
    assert effects.loc["A", "q"] == pytest.approx(4.5)
