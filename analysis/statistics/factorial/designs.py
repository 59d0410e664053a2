"""A section with two levels of each factor as a 2^k r design, and which model describes it."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from analysis.statistics.factorial.checks import UNEQUAL, p_of_equal_variances, powers_that_fit
from analysis.statistics.factorial.model import MEAN, FactorialResult, analyse
from analysis.statistics.student import QUANTILE_CONFIDENCE

BLOCK = "repetition"  # runs are shuffled within a repetition of all combinations

Key = tuple[str, str]


def coded_runs(
    runs: pd.DataFrame, factors: Sequence[str], responses: Sequence[str]
) -> pd.DataFrame:
    """Code the lower level of each factor as -1 and the higher as +1, once in each repetition.

    A design must be complete. Where runs were rejected, the missing plot technique fills in: a
    repetition by the mean of its combination, a whole combination by what the factors' own effects
    predict. Both leave the effects as they are estimated from the rest. A repetition that fewer
    than half of the combinations have is none of the design: it was made to know those better.

    Columns: `factors` coded, `repetition`, `responses`, and `filled` (whether the row was not
    measured).

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of one workload.

    Raises
    ------
    ValueError
        A factor has not two levels, or too few combinations were measured.

    References
    ----------
    Yates 1933, Empire Journal of Experimental Agriculture 1, 129-142.
    """
    coded = runs[[*factors, BLOCK, *responses]].assign(filled=False)
    for name in factors:
        levels = sorted(runs[name].dropna().unique())
        if len(levels) != 2:
            raise ValueError(f"{name} must have two levels, got {levels}: is a run missing?")
        coded[name] = coded[name].map({levels[0]: -1, levels[1]: 1}).astype(int)
    common = coded[BLOCK].value_counts()
    coded = coded[coded[BLOCK].map(common) >= common.max() / 2]
    means = coded.groupby(list(factors))[list(responses)].mean()
    if len(means) <= len(factors):
        raise ValueError(
            f"{len(means)} of {2 ** len(factors)} combinations of {list(factors)} have an "
            "accepted run, which are too few: measure the others with `lab run --retry`"
        )
    there = set(coded[[*factors, BLOCK]].itertuples(index=False, name=None))
    measured = {tuple(index): row for index, row in zip(means.index, means.to_numpy(), strict=True)}
    rows = []
    for signs in product((-1, 1), repeat=len(factors)):
        values = measured.get(signs, _by_main_effects(means, signs))
        known = dict(zip([*factors, *responses], [*signs, *values], strict=True))
        rows += [
            {**known, BLOCK: repetition, "filled": True}
            for repetition in coded[BLOCK].unique()
            if (*signs, repetition) not in there
        ]
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


def analyse_designs(
    runs: pd.DataFrame,
    factors: Sequence[str],
    responses: Mapping[str, str],
    model: str = "additive",
) -> dict[Key, FactorialResult]:
    """Analyse each response of each workload, repetitions as blocks (`analyse_shown`).

    Results are by workload and response, sets before gets.

    Parameters
    ----------
    responses
        What a response is called, to its column.
    """
    results = {}
    for workload in sorted(runs["workload"].unique(), reverse=True):
        own = coded_runs(runs[runs["workload"] == workload], factors, list(responses.values()))
        filled = int(own["filled"].sum())
        for name, column in responses.items():
            results[workload, name] = analyse_shown(
                own, factors, column, model, block=BLOCK, filled=filled
            )
    return results


def analyse_shown(
    frame: pd.DataFrame,
    factors: Sequence[str],
    response: str,
    model: str = "additive",
    *,
    block: str,
    filled: int = 0,
) -> FactorialResult:
    """Analyse a design (`analysis.statistics.factorial.analyse`) with the intervals that are shown.

    Their quantile is that of all intervals (`analysis.statistics.intervals`). Where a test
    (`analysis.statistics.factorial.checks.p_of_equal_variances`) finds the cells' variances
    unequal, intervals have Welch's and Satterthwaite's degrees of freedom.
    """
    fit = partial(
        analyse, frame, factors, response, model, QUANTILE_CONFIDENCE, block=block, filled=filled
    )
    result = fit()
    unequal = p_of_equal_variances(result) < UNEQUAL
    return fit(equal_variances=False) if unequal else result


def evidence_table(results: Mapping[Key, FactorialResult]) -> pd.DataFrame:
    """Tell what speaks for a model of each response (Jain 1991, sections 18.6 and 18.8).

    Columns: `workload`, `response`, `model`, `Max / min` (of the responses), `Interactions` and
    `Error` (fractions of the variation), `Power from` and `Power to` (Box and Cox's, of the
    additive model: 1 is that model, 0 the multiplicative one), `p of equal variances` (Cochran's),
    `Freedom` (of the error), and `p of normality` (Shapiro and Wilk); NaN where there are no
    repetitions or no residuals.
    """
    rows = []
    for (workload, response), result in results.items():
        explained = result.effects["variation_explained"].drop(MEAN)
        is_additive = result.model == "additive"
        powers = powers_that_fit(result) if is_additive else (np.nan, np.nan)
        rows.append(
            {
                "workload": workload,
                "response": response,
                "model": result.model,
                "Max / min": result.max_min_ratio,
                "Interactions": explained[explained.index.str.len() > 1].sum(),
                "Error": result.error_variation,
                **dict(zip(("Power from", "Power to"), powers, strict=True)),
                "p of equal variances": p_of_equal_variances(result),
                "Freedom": result.freedom,
                "p of normality": _p_of_normality(result),
            }
        )
    return pd.DataFrame(rows)


def _p_of_normality(result: FactorialResult) -> float:
    from scipy import stats  # here: half a second, for every kernel

    residuals = result.residuals["residual"]
    sizes = residuals.abs() / residuals.abs().max()
    if result.repetitions < 2 or sizes.round(9).nunique() < 3:  # beyond it rounding decides
        return float("nan")
    return float(stats.shapiro(residuals).pvalue)
