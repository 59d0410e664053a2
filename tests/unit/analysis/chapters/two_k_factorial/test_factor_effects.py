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


def test_without_repetitions_effects_have_no_interval():
    table = factor_effects.effects_table(analysed(lambda s, m, w: 1000.0 * s, 1))
    assert not table.iloc[:, 1].str.contains("±").any()


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


def test_ours_stand_beside_the_studies():
    table = factor_effects.studies_table(analysed(lambda s, m, w: 1000.0 * s))
    assert len(table) == 16
    row = table.set_index(["workload", "response", "effect"]).loc["set", "throughput (op/s)", "B"]
    assert plain(row["Schmid\N{NO-BREAK SPACE}2018"]) == "996 (23.2 %)"
    assert plain(row["Cetin\N{NO-BREAK SPACE}2018"]) == "689.2 (19.6 %)"
    interactions = table[table["effect"] == "interactions"]
    assert plain(interactions["Schmid\N{NO-BREAK SPACE}2018"].iloc[0]) == "1.2 %"


def test_cells_stand_beside_their_bounds():
    measured = runs(lambda s, m, w: 900.0)
    systems = ["workload", *FACTORS]
    cells = measured.groupby(systems)[list(RESPONSES.values())].agg(["mean", "std"])
    cells.columns = [f"{name}_{'sd' if kind == 'std' else kind}" for name, kind in cells.columns]
    bounds = measured.query("repetition == 1").assign(limit="workers")
    bounds[RESPONSES[THROUGHPUT]] = 1000.0
    table = factor_effects.cells_table(cells.reset_index(), bounds)
    assert table["workload"].tolist() == ["set"] * 8 + ["get"] * 8
    assert table["share_of_bound"].tolist() == pytest.approx([0.9] * 16, rel=0.01)
    assert (table["bound_ops_per_s"] == 1000).all()
