"""What follows from the published tables, and what does not, in words."""

from functools import partial

import numpy as np
import pandas as pd

from analysis.published.one_link import NETWORK_DELAY_S, PINGS_MS, REPLIES_PER_S
from analysis.published.printed import study_name, table_name
from analysis.published.rows import ROUNDING
from analysis.published.stations_again import offered_loads, rounding_of_rho
from analysis.text.formatting import grouped
from analysis.text.lists import counted
from analysis.text.numbers import percent
from analysis.units import MS_PER_S
from analysis.words.studies import khalil_systems

_cells = partial(counted, noun="cell")
SAME = 1e-3  # relative: a simulated cell that is the constant that went in
BUSY = 0.99  # of what the links carry: below it something else decides


def agreement_sentences(derived: pd.DataFrame) -> str:
    """Say how many numbers agree, within what, and how many could not but agree.

    Parameters
    ----------
    derived
        From `analysis.published.rederived.rederive_all`.
    """
    agree = derived[derived["agrees"]]
    rounded = int((agree["within"] == ROUNDING).sum())
    inferred = int(agree["inferred"].sum())
    wider = "; ".join(agree.loc[agree["within"] != ROUNDING, "within"].unique())
    reasons = derived.loc[~derived["agrees"], "remark"].nunique()
    return (
        f"Of {len(derived)} derived numbers, {len(agree)} agree with what the printed inputs give: "
        f"{rounded} within the rounding of the printed digits, {len(agree) - rounded} within a "
        f"wider tolerance ({wider}), as [Table](#10-agreement) tells. "
        f"{inferred} of these agree by construction, for the number of clients was not printed and "
        f"is read from the values themselves. {len(derived) - len(agree)} do not agree, for "
        f"{reasons} reasons."
    )


def stability_sentence(workers: int = 32) -> str:
    """Say which of the rates that Yenicelik prints a stable queue bears.

    Parameters
    ----------
    workers
        Number of workers whose rates are looked at.
    """
    loads = offered_loads(workers)
    beyond, below = loads[loads >= 1], loads[loads < 1]
    sentence = f"Of the rates for {workers} workers those of {_loads(beyond)} are beyond what a "
    sentence += "stable queue bears"
    return f"{sentence}; those of {_loads(below)} are below." if len(below) else f"{sentence}."


def _loads(loads: pd.Series) -> str:
    named = [f"{name} (\N{GREEK SMALL LETTER RHO} = {load:.5f})" for name, load in loads.items()]
    return " and ".join(named)


def rounding_sentence(workers: int = 32) -> str:
    """Say why a queue of table 7 agrees although it is far from that of the printed rho.

    Parameters
    ----------
    workers
        As the table is labelled.
    """
    row = rounding_of_rho(workers)
    return (
        f"With {workers} workers table 7 prints \N{GREEK SMALL LETTER RHO} = {row['rho']:g}. Any "
        f"value from {row['rho_low']:g} to {row['rho_high']:g} is printed so, and makes a queue of "
        f"{grouped(row['queue_low'])} to {grouped(row['queue_high'])} jobs: his "
        f"{grouped(row['published'])} are among them, and so count as agreeing, although "
        f"{row['rho']:g} itself makes {grouped(row['queue'])} "
        f"({percent(row['queue'] / row['published'] - 1, 1, signed=True)}). A queue so near to "
        "instability cannot be tested by three digits."
    )


def khalil_loads_sentence() -> str:
    """Say that Khalil's overhead compares two different loads and systems."""
    return (
        f"The two columns are not of the same load: {khalil_systems()}. What he calls overhead "
        "holds the difference of both."
    )


def link_sentences(simulated: pd.DataFrame, tolerance: float = 0.05) -> str:
    """Say how well one link explains the reads, where its constants come from, what tests what.

    Parameters
    ----------
    simulated
        From `analysis.published.rederived.read_only_cells`.
    tolerance
        Relative difference up to which a cell is counted as explained.
    """
    error = (simulated["rederived"] / simulated["published"] - 1).abs()
    one = simulated["servers"] == 1
    constant = np.isclose(simulated["rederived"], REPLIES_PER_S, rtol=SAME)
    own = (simulated["study"] == "schmid2018") & (simulated["table"] == "section 2.1")
    delay = simulated["rederived"] < BUSY * simulated["servers"] * REPLIES_PER_S
    low, high = PINGS_MS
    return (
        f"With {grouped(REPLIES_PER_S)} replies/s on each server's link and "
        f"{NETWORK_DELAY_S * MS_PER_S:g} ms from host to host, {int((error <= tolerance).sum())} "
        f"of {len(simulated)} read-only cells come out within {percent(tolerance)}, and all within "
        f"{percent(error.max(), 1)}. The first constant is Schmid's own throughput of one server "
        f"without middleware (section 2.1), so that {_cells(own.sum())} agrees by construction. "
        f"{_cells((one & constant & ~own).sum())} with one server come out as that constant, too: "
        "they test only that the same link limits the other studies, and any middlewares and "
        f"workers. {_cells((~one & ~delay).sum())} with two or three servers test whether links "
        f"add up. The second constant is half of what Yenicelik's pings took there and back "
        f"({low:g} to {high:g} ms); it decides only in {_cells(delay.sum())}, in which few workers "
        "or few clients stand before several links."
    )


def remark_sentences(simulated: pd.DataFrame) -> str:
    """Say of the cells that do not agree what the reason may be, those with one reason together."""
    lines = []
    for remark, rows in simulated[simulated["remark"] != ""].groupby("remark", sort=False):
        cells = [
            f"{study_name(row['study'])}, {table_name(row['study'], row['table'])}, "
            f"{str(row['quantity']).removeprefix('throughput of gets ')}"
            for _, row in rows.iterrows()
        ]
        lines.append(f"- **{'; '.join(cells)}**: {remark}.")
    return "\n".join(lines)
