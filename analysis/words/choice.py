"""Which model to take for what, in words."""

from collections.abc import Mapping

import pandas as pd

from analysis.models.cells import NETWORK, SIMULATION
from analysis.sections.open_loop import TOKEN_BUCKET
from analysis.statistics.comparison import TOLERANCE, error_table
from analysis.text.lists import span
from analysis.text.numbers import percent

_STRENGTHS = {  # by the beginning of a model's name, the longer ones first
    NETWORK: "every link, processor and delay is a station of its own in it",
    SIMULATION: "it has the stations of the network of queues, and what a product form cannot say",
    TOKEN_BUCKET: "it lets a burst pass at once, as the emulated link does",
    "M/D/": "service times hardly vary there",
    "M/G/": "it takes the variation of service times as it was measured",
    "M/M/": "its service times vary most, which makes its queues the longest",
}
MOST = 10.0  # relative error that is told as it is
_CLOSED = {
    "M/M/": "an open queue does not know that clients wait for their replies",
}


def choice_sentences(compared: Mapping[str, pd.DataFrame], near: float = TOLERANCE) -> str:
    """Say of each quantity which model is best, how far it is off, and why it is.

    Parameters
    ----------
    compared
        As for `analysis.statistics.comparison.error_table`.
    near
        Median error, without its sign, up to which a model may be used.

    Returns
    -------
    str
        Markdown, one list item per quantity.
    """
    lines = []
    for what, frame in compared.items():
        table = error_table({what: frame})
        if table.empty:
            lines.append(f"- **{what}**: nothing to compare.")
            continue
        best = table.nsmallest(1, "median_absolute_error").iloc[0]
        errors = frame.loc[frame["model"] == best["model"], "relative_error"].astype(float).dropna()
        told = f"errors {_range(errors)}, half of them within {percent(errors.abs().median(), 1)}"
        if best["median_absolute_error"] <= near:
            why = _reason(str(best["model"]), _STRENGTHS)
            lines.append(f"- **{what}**: {best['model']} ({told}){why and f', for {why}'}.")
        else:
            why = _reason(str(best["model"]), _CLOSED) if "closed" in what else ""
            lines.append(
                f"- **{what}**: no model is near; the best is {best['model']} ({told})"
                f"{why and f': {why}'}."
            )
    return "\n".join(lines)


def _range(errors: pd.Series) -> str:
    return span(errors, _signed)


def _signed(error: float) -> str:
    return percent(error, 1, signed=True) if abs(error) <= MOST else f"more than {percent(MOST)}"


def _reason(model: str, reasons: Mapping[str, str]) -> str:
    return next((words for start, words in reasons.items() if model.startswith(start)), "")
