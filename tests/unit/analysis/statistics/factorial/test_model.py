from itertools import product

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.factorial import analyse
from analysis.studies.printed import published_table

FACTORS = ["X", "Y", "Z"]
# Jain 1991, table 18.1: memory-cache study; cells in the order (-,-), (+,-), (-,+), (+,+).
JAIN_18 = {
    (-1, -1): [15, 18, 12],
    (1, -1): [45, 48, 51],
    (-1, 1): [25, 28, 19],
    (1, 1): [75, 75, 81],
}


def jain_18() -> pd.DataFrame:
    rows = [(*levels, y) for levels, values in JAIN_18.items() for y in values]
    return pd.DataFrame(rows, columns=["memory", "cache", "mips"])


def raw(study_table: str) -> pd.DataFrame:
    """Yenicelik's raw values, one row per repetition."""
    table = published_table("yenicelik2018", study_table)
    return table.melt(id_vars=FACTORS, value_vars=["value1", "value2", "value3"], value_name="y")


def random_design(k: int, repetitions: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [levels for levels in product([-1, 1], repeat=k) for _ in range(repetitions)]
    frame = pd.DataFrame(rows, columns=list("PQRST"[:k]))
    return frame.assign(y=rng.normal(100, 20, len(frame))).sample(frac=1, random_state=seed)


def test_effects_and_variation_of_jain_examples_18_1_to_18_3():
    result = analyse(jain_18(), ["memory", "cache"], "mips")
    assert result.effects["effect"].to_dict() == pytest.approx(
        {"I": 41, "A": 21.5, "B": 9.5, "AB": 5}
    )
    assert result.sst == pytest.approx(7032)
    assert result.sse == pytest.approx(102)
    share = result.effects["variation_explained"] * 100
    assert share["A"] == pytest.approx(78.88, abs=0.01)
    assert share["B"] == pytest.approx(15.40, abs=0.01)
    assert share["AB"] == pytest.approx(4.27, abs=0.01)
    assert result.error_variation * 100 == pytest.approx(1.45, abs=0.01)


def test_intervals_of_jain_example_18_4():
    """90 %: q +- 1.92 with t(0.95; 8) = 1.86 and s_q = 1.03."""
    effects = analyse(jain_18(), ["memory", "cache"], "mips", confidence=0.9).effects
    assert (effects["ci_high"] - effects["effect"]).to_numpy() == pytest.approx(1.92, abs=0.01)
    assert effects["significant"].all()


@pytest.mark.parametrize(
    ("raw_table", "result_table"),
    [
        ("t09_raw_read_throughput", "t02_2kr_read_throughput"),
        ("t11_raw_write_throughput", "t04_2kr_write_throughput"),
        ("t12_raw_write_response", "t03_2kr_write_response"),
    ],
)
def test_published_effects_follow_from_the_published_raw_values(raw_table, result_table):
    result = analyse(raw(raw_table), FACTORS, "y")
    published = published_table("yenicelik2018", result_table)
    letters = published["effect"].replace(dict(zip("XYZ", "ABC", strict=True)), regex=True)
    published = published.set_index(letters)
    ours = result.effects.loc[published.index]
    assert ours["effect"].to_numpy() == pytest.approx(published["q"].to_numpy(), abs=0.02)
    fractions = published["fraction"].drop("I")
    ours_fractions = ours["variation_explained"].drop("I")
    assert ours_fractions.to_numpy() == pytest.approx(fractions.to_numpy(), abs=2e-3)


@settings(deadline=None, max_examples=20)
@given(k=st.integers(1, 4), repetitions=st.integers(2, 4), seed=st.integers(0, 1000))
def test_statsmodels_finds_the_same(k, repetitions, seed):
    frame = random_design(k, repetitions, seed)
    factors = list("PQRST"[:k])
    result = analyse(frame, factors, "y")
    ols = smf.ols(f"y ~ {' * '.join(factors)}", frame).fit()
    letters = dict(zip("ABCDE", factors, strict=False))
    for name, row in result.effects.iterrows():
        term = "Intercept" if name == "I" else ":".join(letters[letter] for letter in name)
        assert row["effect"] == pytest.approx(ols.params[term])
        low, high = ols.conf_int().loc[term]
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high))
        assert row["significant"] == (ols.pvalues[term] < 0.05)
    assert result.sse == pytest.approx(ols.ssr)
    assert result.sst == pytest.approx(ols.centered_tss)


def in_blocks(k: int, repetitions: int, seed: int) -> pd.DataFrame:
    frame = random_design(k, repetitions, seed)
    factors = list("PQRST"[:k])
    block = frame.groupby(factors).cumcount() + 1
    return frame.assign(block=block, y=frame["y"] + 30 * block)


@settings(deadline=None, max_examples=20)
@given(k=st.integers(2, 4), repetitions=st.integers(2, 4), seed=st.integers(0, 1000))
def test_statsmodels_finds_the_same_in_blocks(k, repetitions, seed):
    frame = in_blocks(k, repetitions, seed)
    factors = list("PQRST"[:k])
    result = analyse(frame, factors, "y", block="block")
    ols = smf.ols(f"y ~ {' * '.join(factors)} + C(block, Sum)", frame).fit()
    assert ols.df_resid == (2**k - 1) * (repetitions - 1)
    assert result.sse == pytest.approx(ols.ssr)
    assert result.effects.loc["A", "effect"] == pytest.approx(ols.params["P"])
    bounds = result.effects.loc["A", ["ci_low", "ci_high"]].tolist()
    assert bounds == pytest.approx(ols.conf_int().loc["P"].tolist())
    means = frame.groupby("block")["y"].mean()
    of_mean = stats.t.interval(0.95, repetitions - 1, means.mean(), stats.sem(means))
    assert result.effects.loc["I", ["ci_low", "ci_high"]].tolist() == pytest.approx(of_mean)
    explained = result.effects["variation_explained"].sum()
    assert explained + result.block_variation + result.error_variation == pytest.approx(1)
    assert (result.residuals["predicted"] + result.residuals["residual"]).to_numpy() == (
        pytest.approx(frame["y"].to_numpy())
    )


def test_blocks_must_be_whole():
    frame = in_blocks(2, 3, seed=1)
    with pytest.raises(ValueError, match="stand once in each of the blocks of block"):
        analyse(frame.assign(block=1), ["P", "Q"], "y", block="block")
    with pytest.raises(ValueError, match=r"columns \['shift'\] are missing"):
        analyse(frame, ["P", "Q"], "y", block="shift")


def test_rows_that_were_filled_in_take_degrees_of_freedom():
    frame = in_blocks(2, 2, seed=1)
    whole, less = (analyse(frame, ["P", "Q"], "y", block="block", filled=n) for n in (0, 1))
    assert less.sse == whole.sse
    assert less.effects["ci_high"].iloc[1] > whole.effects["ci_high"].iloc[1]
    none_left = analyse(frame, ["P", "Q"], "y", block="block", filled=3)
    assert none_left.effects[["ci_low", "significant"]].isna().all(axis=None)


def test_multiplicative_model_of_jains_two_processors():
    """Jain 1991, section 18.8: times of two programs on two processors, 90 % intervals."""
    times = {
        (-1, -1): [85.10, 79.50, 147.90],
        (1, -1): [0.891, 1.047, 1.072],
        (-1, 1): [0.955, 0.933, 1.122],
        (1, 1): [0.0148, 0.0126, 0.0118],
    }
    frame = pd.DataFrame(
        [(*levels, y) for levels, values in times.items() for y in values], columns=[*"aby"]
    )
    by_sums = analyse(frame, ["a", "b"], "y", confidence=0.9)
    assert by_sums.effects["effect"].to_dict() == pytest.approx(
        {"I": 26.55, "A": -26.04, "B": -26.04, "AB": 25.54}, abs=0.005
    )
    assert by_sums.effects.loc["A":, "variation_explained"].to_list() == pytest.approx(
        [0.301, 0.301, 0.290], abs=0.0005
    )
    by_factors = analyse(frame, ["a", "b"], "y", model="multiplicative", confidence=0.9)
    assert by_factors.effects["effect"].to_dict() == pytest.approx(
        {"I": 0.03, "A": -0.97, "B": -0.97, "AB": 0.03}, abs=0.005
    )
    assert by_factors.effects["significant"].to_list() == [False, True, True, False]
    assert by_factors.error_variation == pytest.approx(0.002, abs=0.0005)
    assert by_factors.max_min_ratio == pytest.approx(12534, abs=1)


def test_without_repetitions_nothing_is_called_significant():
    result = analyse(random_design(2, 1, seed=3), ["P", "Q"], "y")
    assert result.repetitions == 1
    assert result.effects[["ci_low", "ci_high", "significant"]].isna().all(axis=None)
    assert result.error_variation == 0


def test_residuals_stand_beside_the_rows_and_sum_to_zero_in_each_cell():
    frame = jain_18().sample(frac=1, random_state=5)
    residuals = analyse(frame, ["memory", "cache"], "mips").residuals
    assert residuals.index.equals(frame.index)
    assert (residuals["predicted"] + residuals["residual"]).to_numpy() == pytest.approx(
        frame["mips"].to_numpy()
    )
    by_cell = residuals["residual"].groupby([frame["memory"], frame["cache"]]).sum()
    assert by_cell.to_numpy() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.iloc[1:], r"same number of repetitions, got \[2, 3, 3, 3\]"),
        (lambda f: f.assign(memory=[4, *f["memory"][1:]]), r"coded -1 or \+1, got 4"),
        (lambda f: f.assign(mips="fast"), "mips must hold numbers: could not convert"),
    ],
)
def test_incomplete_designs_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        analyse(change(jain_18()), ["memory", "cache"], "mips")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"factors": []}, r"factors must be 1 to 5 different columns, got \[\]"),
        ({"model": "cubic"}, "model must be one of .*, got 'cubic'"),
    ],
)
def test_arguments_out_of_their_domain_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        analyse(jain_18(), **{"factors": ["memory", "cache"], "response": "mips", **arguments})


def test_multiplicative_model_needs_positive_responses():
    frame = jain_18().assign(mips=lambda f: f["mips"] - 20)
    with pytest.raises(ValueError, match="mips must be > 0 for a multiplicative model, got -8"):
        analyse(frame, ["memory", "cache"], "mips", model="multiplicative")


@pytest.mark.parametrize("constant", [7.1, 1 / 3, 0.0, -1e9])
def test_constant_responses_have_no_effects(constant):
    frame = pd.DataFrame([(a, b, constant) for a in (-1, 1) for b in (-1, 1)] * 3, columns=[*"abc"])
    result = analyse(frame, ["a", "b"], "c")
    assert result.sst == result.sse == 0
    assert result.effects.loc["A":, "effect"].eq(0).all()
    assert not result.effects.loc["A":, "significant"].any()
    assert np.isnan(result.max_min_ratio) == (constant <= 0)
