"""Effects of a 2^k r design in tables and in words, beside those of the studies."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.published.printed import published_table, study_name
from analysis.statistics.designs import normality_p_value, p_text
from analysis.statistics.factorial import MEAN, FactorialResult
from analysis.text.formatting import Format
from analysis.text.lists import counted, joined
from analysis.text.numbers import digits, percent

NAMES = {"num_servers": "servers", "num_middlewares": "middlewares", "workers": "workers"}
_YENICELIK = {"X": "B", "Y": "A", "Z": "C"}  # his middlewares, servers, workers
_WORKLOADS = {"set": "write-only", "get": "read-only"}
_SCHMID = {"set": "t07_2k4_write", "get": "t08_2k4_read"}
_YENICELIK_TABLES = {
    ("get", "response_time"): "t01_2kr_read_response",
    ("get", "throughput"): "t02_2kr_read_throughput",
    ("set", "response_time"): "t03_2kr_write_response",
    ("set", "throughput"): "t04_2kr_write_throughput",
}


SMALLEST_SHARE = 0.0005  # that one decimal shows


def share_text(share: float) -> str:
    """Write a share of the variation with a decimal; one that is not 0 is not called so."""
    if 0 < share < SMALLEST_SHARE:
        return f"< {100 * SMALLEST_SHARE:g}\N{NO-BREAK SPACE}%"
    return percent(share, 1)


FORMATS: dict[str, Format] = {
    "q": digits,
    "variation_explained": share_text,
    "ci_low": digits,
    "ci_high": digits,
}
PUBLISHED_FORMATS: dict[str, Format] = {
    "ours": digits,
    "ours_variation": share_text,
    "schmid2018": digits,
    "schmid2018_variation": share_text,
    "yenicelik2018": digits,
    "yenicelik2018_variation": share_text,
}
SMALL = 0.05  # of the variation: factors that explain less are told of together
MARKER = (
    0.015  # of the axis: half a marker's height in `analysis.figures.plots.plot_effects`, about
)
LEVEL = 0.05  # of p values
SURE = 2.0  # half widths from 0


def effects_table(result: FactorialResult) -> pd.DataFrame:
    """Lay out the effects of a design with the names of its factors.

    Returns
    -------
    pandas.DataFrame
        `effect` (its letters), `of` (factors), `q`, `variation_explained`, `ci_low`,
        `ci_high`, `significant`; the last row is the error's share of the variation.
    """
    effects = result.effects
    rows = pd.DataFrame(
        {
            "effect": effects.index,
            "of": [_named(letters, result.factors) for letters in effects.index],
            "q": effects["effect"].to_numpy(),
            "variation_explained": effects["variation_explained"].to_numpy(),
            "ci_low": effects["ci_low"].to_numpy(),
            "ci_high": effects["ci_high"].to_numpy(),
            "significant": effects["significant"].astype(object).map(_yes_or_no).to_numpy(),
        }
    )
    error: dict[str, Any] = {"effect": "e", "of": "experimental error", "significant": None}
    error["variation_explained"] = result.error_variation if result.repetitions > 1 else None
    return pd.concat([rows, pd.DataFrame([error])], ignore_index=True)


def published_effects(workload: str, response: str) -> pd.DataFrame:
    """Give the studies' effects on one response, in Schmid's letters.

    A stands for servers, B for middlewares, C for workers.

    Parameters
    ----------
    workload
        ``set`` or ``get``.
    response
        ``throughput`` (op/s) or ``response_time`` (ms).

    Returns
    -------
    pandas.DataFrame
        Indexed by `effect`: `<study>` (q) and `<study>_variation` (a fraction) of each study.
    """
    schmid = published_table("schmid2018", _SCHMID[workload])
    schmid = schmid[schmid["response_variable"] == response].set_index("factor")
    yenicelik = published_table("yenicelik2018", _YENICELIK_TABLES[workload, response])
    letters = yenicelik["effect"].map(_in_schmids_letters)
    yenicelik = yenicelik.set_index(letters)
    table = pd.DataFrame(
        {
            "schmid2018": schmid["effect"],
            "schmid2018_variation": schmid["attribution_pct"] / 100,
            "yenicelik2018": yenicelik["q"],
            "yenicelik2018_variation": yenicelik["fraction"],
        }
    )
    return table.drop(index="error").rename_axis("effect")


def beside_published(result: FactorialResult, workload: str, response: str) -> pd.DataFrame:
    """Put the effects of an additive model beside the studies', and who explains what variation."""
    published = published_effects(workload, response).reindex(result.effects.index)
    ours = result.effects[["effect", "variation_explained"]].set_axis(
        ["ours", "ours_variation"], axis="columns"
    )
    return pd.concat([ours, published], axis="columns").rename_axis("effect").reset_index()


def largest_effects(result: FactorialResult, smallest: float = SMALL) -> pd.Series:
    """Variation explained by the effects that matter, the largest first."""
    explained = result.effects["variation_explained"].drop(MEAN)
    return explained[explained >= smallest].sort_values(ascending=False)


def effect_sentences(
    result: FactorialResult, *, workload: str, response: str, unit: str, reason: str
) -> str:
    """Say in markdown what moves a response, how much, and whether the studies found the same.

    Parameters
    ----------
    result, reason
        From `analysis.statistics.designs.choose_model`.
    workload, response
        As for `published_effects`.
    unit
        Of the response.
    """
    name = f"{response.replace('_', ' ')} of {_WORKLOADS[workload]} runs"
    parts = [
        f"**{name[:1].upper()}{name[1:]}.** The {result.model} model describes it: {reason}.",
        _explained(result, unit),
        _left(result),
        _as_published(result, workload, response),
    ]
    return " ".join(part for part in parts if part)


def _explained(result: FactorialResult, unit: str) -> str:
    large = largest_effects(result)
    if large.empty:
        return "No factor explains a twentieth of the variation."
    words = [
        f"{share_text(share)} by {_named(letters, result.factors)} "
        f"({_change(result, letters, unit)})"
        for letters, share in large.items()
    ]
    others = result.effects["variation_explained"].drop(MEAN).drop(large.index)
    rest = others.sum()
    if rest >= SMALLEST_SHARE:
        each = f", each less than {percent(SMALL)}" if len(others) > 1 else ""
        words.append(f"{share_text(rest)} by the rest of the effects together{each}")
    return f"The variation is explained to {joined(words)}."


def _change(result: FactorialResult, letters: object, unit: str) -> str:
    effect = float(result.effects["effect"].loc[str(letters)])
    if len(str(letters)) > 1:
        return "an interaction"
    if result.model == "multiplicative":
        return f"{10 ** (2 * effect):.2f} times as much at the higher level"
    more = "more" if effect > 0 else "less"
    return f"{digits(abs(2 * effect))}\N{NO-BREAK SPACE}{unit} {more} at the higher level"


def _left(result: FactorialResult) -> str:
    if result.repetitions < 2:
        return "Without repetitions there is no error to judge effects by."
    effects = result.effects.drop(index=MEAN)
    idle = effects.index[~effects["significant"].astype(bool)]
    words = f"Experimental error is {share_text(result.error_variation)} of the variation"
    if idle.empty:
        return f"{words}; every effect is significant.{_normality(result)}"
    verb = "is" if len(idle) == 1 else "are"
    return f"{words}; {joined(idle)} {verb} not significant at {percent(0.95)}.{_normality(result)}"


def _normality(result: FactorialResult) -> str:
    """Say what residuals that are not normal mean for the intervals, which assume that they are."""
    p_value = normality_p_value(result)
    if not p_value < LEVEL:
        return ""
    effects = result.effects.drop(index=MEAN)
    effects = effects[effects["significant"].astype(bool)]
    told = (
        f" The residuals are not normal (Shapiro and Wilk, {p_text(p_value)}), as the intervals "
        "assume, which are therefore approximate"
    )
    widths = (effects["effect"].abs() / (effects["ci_high"] - effects["effect"])).astype(float)
    if widths.empty:
        return f"{told}."
    nearest = f"{widths.idxmin()} is nearest to 0, {widths.min():.1f} half widths of its interval"
    sure = "leaves little doubt of its sign" if widths.min() >= SURE else "is not much"
    return f"{told}. Of the significant effects {nearest} away, which {sure}."


def interval_words(result: FactorialResult) -> str:
    """Say what the bars of `plot_effects` are, and whether they can be seen."""
    if result.repetitions < 2:
        return "No intervals without repetitions."
    effects = result.effects.drop(index=MEAN)
    height = max(effects["ci_high"].max(), 0) - min(effects["ci_low"].min(), 0)
    half_widths = effects["ci_high"] - effects["effect"]
    hidden = ", smaller than the markers" if (half_widths < MARKER * height).all() else ""
    return f"Bars are {percent(0.95)} confidence intervals, r = {result.repetitions}{hidden}."


def copies_sentence(result: FactorialResult, utilizations: pd.DataFrame) -> str:
    """Say why more servers make sets slower, where they do.

    Parameters
    ----------
    result
        Of the throughput of sets.
    utilizations
        From `analysis.laws.bottlenecks.utilization_table`, by ``workload`` and ``num_servers``
        among others.
    """
    letter = next(key for key, name in result.factors.items() if name == "num_servers")
    links = utilizations[
        (utilizations["workload"] == "set") & (utilizations["resource"] == "middlewares' links")
    ]
    busiest = links.groupby("num_servers")["utilization"].max().dropna()
    if float(result.effects["effect"].loc[letter]) >= 0:
        return "More servers do not make sets slower."
    if len(busiest) < 2:
        return "More servers make sets slower; how busy the middlewares' links are is not known."
    few, many = busiest.index[0], busiest.index[-1]
    return (
        f"The effect of the servers on the throughput of sets is negative: a set is sent to all of "
        f"them, so that with {many:g} servers a middleware sends {many / few:g} times as much for "
        f"each. Its link, busy for at most {percent(busiest[few])} of the time with "
        f"{counted(few, 'server')}, is so for up to {percent(busiest[many])} with {many:g}."
    )


def _as_published(result: FactorialResult, workload: str, response: str) -> str:
    large = largest_effects(result, 0)
    if large.empty:
        return ""
    ours = str(large.index[0])
    published = published_effects(workload, response)
    words = []
    for study in ("schmid2018", "yenicelik2018"):
        explained = published[f"{study}_variation"].drop(MEAN)
        theirs = str(explained.idxmax())
        share = percent(explained[theirs])
        same = "also" if theirs == ours else "instead"
        what = _named(theirs, result.factors)
        words.append(f"for {study_name(study)} it is {same} {what} ({share})")
    return f"The largest effect here is that of {_named(ours, result.factors)}; {joined(words)}."


def _named(letters: object, factors: Mapping[str, str]) -> str:
    if letters == MEAN:
        return "mean"
    return " \N{MULTIPLICATION SIGN} ".join(
        NAMES.get(factors[one], factors[one]) for one in str(letters)
    )


def _in_schmids_letters(effect: str) -> str:
    if effect == MEAN:
        return effect
    return "".join(sorted(_YENICELIK[letter] for letter in effect))


def _yes_or_no(value: object) -> str | None:
    return None if pd.isna(value) else ("yes" if value else "no")  # type: ignore[call-overload]
