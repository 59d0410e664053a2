"""A section with two levels of each factor as a 2^k r design, and which model describes it."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from analysis.statistics.factorial import FactorialResult, analyse

LARGE_RATIO = 10.0  # of the largest to the smallest response, above which effects multiply
SIGNIFICANCE = 0.05
SMALLEST_P = 0.001  # that sentences tell


def coded_runs(
    runs: pd.DataFrame, factors: Sequence[str], responses: Sequence[str]
) -> pd.DataFrame:
    """Code the lower level of each factor as -1 and the higher as +1, equally often each.

    A design must be complete. Where runs were rejected, the missing plot technique fills in: a
    repetition by the mean of its combination, a whole combination by what the factors' own effects
    predict. Both leave the effects as they are estimated from the rest, and make confidence
    intervals a little too narrow.

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of one workload.
    factors
        Columns of numbers.
    responses
        Columns that are filled in.

    Returns
    -------
    pandas.DataFrame
        `factors` coded, `responses`, and `filled` (whether the row was not measured).

    Raises
    ------
    ValueError
        A factor has not two levels, or too few combinations were measured.

    References
    ----------
    Yates 1933, Empire Journal of Experimental Agriculture 1, 129-142.
    """
    coded = runs[[*factors, *responses]].assign(filled=False)
    for name in factors:
        levels = sorted(runs[name].dropna().unique())
        if len(levels) != 2:
            raise ValueError(f"{name} must have two levels, got {levels}: is a run missing?")
        coded[name] = coded[name].map({levels[0]: -1, levels[1]: 1}).astype(int)
    means = coded.groupby(list(factors))[list(responses)].mean()
    counts = coded.groupby(list(factors)).size()
    if len(counts) <= len(factors):
        raise ValueError(
            f"{len(counts)} of {2 ** len(factors)} combinations of {list(factors)} have an "
            "accepted run, which are too few: measure the others with `lab run --retry`"
        )
    rows = []
    measured = {tuple(index): row for index, row in zip(means.index, means.to_numpy(), strict=True)}
    for signs in product((-1, 1), repeat=len(factors)):
        values = measured.get(signs, _by_main_effects(means, signs))
        filled = dict(zip(responses, values, strict=True))
        row = {**dict(zip(factors, signs, strict=True)), **filled, "filled": True}
        rows += [row] * int(counts.max() - counts.get(signs, 0))
    if not rows:
        return coded.reset_index(drop=True)
    return pd.concat([coded, pd.DataFrame(rows)], ignore_index=True)


def _by_main_effects(means: pd.DataFrame, signs: tuple[int, ...]) -> np.ndarray:
    """Predict a combination from the others, factors taken as independent."""
    levels = np.array(means.index.tolist())
    known = np.column_stack([np.ones(len(means)), levels])
    effects, *_ = np.linalg.lstsq(known, means.to_numpy(), rcond=None)
    predicted: np.ndarray = np.maximum(np.array([1, *signs]) @ effects, means.min().to_numpy() / 2)
    return predicted


def factor_levels(runs: pd.DataFrame, factors: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the lower and the higher level of each factor, which `coded_runs` calls -1 and +1."""
    return {name: (runs[name].min(), runs[name].max()) for name in factors}


def filled_words(*designs: pd.DataFrame) -> str:
    """Say how many rows of some designs were filled in, if any."""
    filled = sum(int(frame["filled"].sum()) for frame in designs)
    if not filled:
        return "Every run of the design was accepted."
    every = sum(len(frame) for frame in designs)
    return (
        f"{filled} of {every} runs were not accepted; they are filled in from the others, so that "
        "confidence intervals are a little too narrow."
    )


def analyse_both(frame: pd.DataFrame, factors: Sequence[str], response: str) -> pd.DataFrame:
    """Analyse a design with the additive and the multiplicative model; evidence for choosing.

    Returns
    -------
    pandas.DataFrame
        Indexed by `model`: `result` (`analysis.statistics.factorial.FactorialResult`),
        `max_min_ratio`,
        `error_variation`, `spread_correlation` (Spearman's, of the residuals' size with the
        prediction) and `spread_p_value`, `normality_p_value` (Shapiro and Wilk); NaN where there
        are no repetitions or no residuals.
    """
    rows = []
    for model in ("additive", "multiplicative"):
        result = analyse(frame, factors, response, model=model)
        rows.append({"model": model, "result": result, **_evidence(result)})
    return pd.DataFrame(rows).set_index("model")


def choose_model(evidence: pd.DataFrame) -> tuple[FactorialResult, str]:
    """Choose between the models of `analyse_both`; the reason is a clause for a sentence.

    The multiplicative model is chosen where the responses span more than an order of magnitude, or
    where the additive model's residuals grow with the prediction and the other's do so less (Jain
    1991, section 18.8).
    """
    additive = evidence.loc[["additive"]].iloc[0]
    other = evidence.loc[["multiplicative"]].iloc[0]
    by_sums: FactorialResult = evidence["result"].loc["additive"]
    by_factors: FactorialResult = evidence["result"].loc["multiplicative"]
    ratio = f"y_max / y_min is {additive['max_min_ratio']:.1f}"
    grows = additive["spread_p_value"] < SIGNIFICANCE and additive["spread_correlation"] > 0
    milder = abs(other["spread_correlation"]) < additive["spread_correlation"]
    still = "" if other["spread_p_value"] >= SIGNIFICANCE else ", though not independent of it"
    if additive["max_min_ratio"] >= LARGE_RATIO:
        return by_factors, f"{ratio}, more than an order of magnitude"
    if grows and milder:
        return by_factors, (
            f"{ratio}, but the additive model's residuals grow with the prediction "
            f"({_correlation(additive)}), and those of logarithms do so less "
            f"({_correlation(other)}){still}"
        )
    if grows:
        return by_sums, (
            f"{ratio}; its residuals grow with the prediction, but those of logarithms no less"
        )
    return by_sums, f"{ratio}, and its residuals do not grow with the prediction"


def evidence_table(evidence: Mapping[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    """Put the evidence of several responses below each other.

    Parameters
    ----------
    evidence
        (workload, response) to what `analyse_both` returns.
    """
    rows = [
        frame.drop(columns="result").reset_index().assign(workload=workload, response=response)
        for (workload, response), frame in evidence.items()
    ]
    table = pd.concat(rows, ignore_index=True)
    return table[["workload", "response", *table.columns.drop(["workload", "response"])]]


def normality_p_value(result: FactorialResult) -> float:
    """Test whether residuals are normal (Shapiro and Wilk): p, NaN where too few of them differ."""
    residuals = result.residuals["residual"]
    if result.repetitions < 2 or residuals.abs().nunique() < 3:
        return float("nan")
    return float(stats.shapiro(residuals).pvalue)


def _correlation(evidence: pd.Series) -> str:
    correlation = f"{evidence['spread_correlation']:.2f}".replace("-", "\N{MINUS SIGN}")
    return f"rank correlation {correlation}, {p_text(evidence['spread_p_value'])}"


def p_text(p_value: float) -> str:
    """Write a p value as sentences have it; one too small to matter is only bounded."""
    return f"p = {p_value:.2g}" if p_value >= SMALLEST_P else f"p < {SMALLEST_P:g}"


def _evidence(result: FactorialResult) -> dict[str, float]:
    residuals = result.residuals["residual"]
    found = {
        "max_min_ratio": result.max_min_ratio,
        "error_variation": result.error_variation,
        "spread_correlation": np.nan,
        "spread_p_value": np.nan,
        "normality_p_value": normality_p_value(result),
    }
    if result.repetitions < 2 or residuals.abs().nunique() < 3:
        return found
    spread = stats.spearmanr(residuals.abs(), result.residuals["predicted"])
    return found | {
        "spread_correlation": float(spread.statistic),
        "spread_p_value": float(spread.pvalue),
    }
