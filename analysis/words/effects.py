"""Effects of a 2^k r design in tables and in words, beside those of the studies."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from analysis.factorial import MEAN, FactorialResult
from analysis.formatting import Format
from analysis.published import published_table, study_name
from analysis.words.numbers import digits, percent

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


FORMATS: dict[str, Format] = {
    "q": digits,
    "variation_explained": ".1%",
    "ci_low": digits,
    "ci_high": digits,
}
PUBLISHED_FORMATS: dict[str, Format] = {
    "ours": digits,
    "ours_variation": ".1%",
    "schmid2018": digits,
    "schmid2018_variation": ".1%",
    "yenicelik2018": digits,
    "yenicelik2018_variation": ".1%",
}
SMALL = 0.05  # of the variation: factors that explain less are not told of


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
        From `analysis.design.choose_model`.
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
        f"{percent(share)} by {_named(letters, result.factors)} ({_change(result, letters, unit)})"
        for letters, share in large.items()
    ]
    return f"The variation is explained to {_list(words)}."


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
    words = f"Experimental error is {percent(result.error_variation, 1)} of the variation"
    if idle.empty:
        return f"{words}; every effect is significant."
    verb = "is" if len(idle) == 1 else "are"
    return f"{words}; {_list(idle)} {verb} not significant at 95 %."


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
    return f"The largest effect here is that of {_named(ours, result.factors)}; {_list(words)}."


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


def _list(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
