"""How far the interactive law is from what was measured, in words."""

import pandas as pd

from analysis.sections.summary import interactive_law_table
from analysis.text.lists import span
from analysis.text.numbers import percent
from analysis.units import US_PER_MS


def interactive_law_words(cells: pd.DataFrame) -> str:
    r"""Say by how much the law's throughput differs, to which side, and what would explain it.

    Clients that think for a time that the law's Z leaves out make it predict too much. What is
    left out is :math:`N / X - R - Z` (Jain 1991, section 33.5).

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`.

    Returns
    -------
    str
        Markdown: a few sentences.
    """
    differences = interactive_law_table(cells)["difference_percent"] / 100
    if differences.min() < 0 < differences.max():
        low, high = percent(differences.min(), 2), percent(differences.max(), 2, signed=True)
        return f"The differences, {low} to {high}, have either sign, as errors of measurement do."
    size = span(differences.abs(), lambda share: percent(share, 2))
    if differences.max() <= 0:
        return (
            f"The law predicts less than was measured at every load, by {size}: replies are timed "
            "for longer than clients wait."
        )
    left_ms = cells["interactive_law_response_time_ms_mean"] - cells["client_response_time_ms_mean"]
    left_us = left_ms * US_PER_MS
    return (
        f"The law predicts more than was measured at every load, by {size}, so there is something "
        "that it leaves out: between a reply and its next request a virtual client, too, needs a "
        "little time. With $Z = N / X - R$ the law holds (Jain 1991, section 33.5); that is "
        f"{span(left_us, '{:.0f}'.format)} µs, with a median of {left_us.median():.0f} µs over the "
        "loads, and weighs most where replies come soonest."
    )
