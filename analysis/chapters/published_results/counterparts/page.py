"""All counterparts on a page, `docs/studies.md`: `make studies`."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from typing import Any

import pandas as pd

from analysis.chapters.published_results.counterparts.counterpart_list import (
    NO_RESULTS,
    notebook_of,
)
from analysis.chapters.published_results.counterparts.numbers import (
    Counts,
    comparable_numbers,
    counts,
    is_time,
    sets_without_emulation,
)
from analysis.chapters.published_results.counterparts.printed_numbers import UNITS
from analysis.chapters.published_results.counterparts.verdicts import (
    DERIVED,
    MEASURED,
    Counterpart,
    judge_counterparts,
    prediction_verdict,
    verdict_words,
)
from analysis.studies.printed import study_name, table_name
from analysis.text.numbers import digits
from records.paths import REFERENCE
from records.text.markdown import escape_cell, table
from records.text.words import MISSING

_HEAD = """# The five studies, number by number

- **{every}** printed throughputs, bandwidths and service times can be compared with a measurement
  of this repository, each printed number counted once.
- **{near}** of them agree within 10 %.
- **{near_and_free}** of these {near} were never used to set up or fit the lab; {free} of the
  {every} were not.

Response times are counted apart: {times.every} can be compared and {times.near} agree within 10 %.
The lab was not fitted to the cells of {times.near_and_free} of these {times.near}, and of
{times.free} of the {times.every}.

{summary}

The rows of measured numbers below add up to these counts. `make studies` writes this page from
[data/published/counterparts.csv](../data/published/counterparts.csv), the printed numbers beside
it, and the campaigns; chapter [10](../notebooks/10-published-results.ipynb) has the verdicts for
any campaign.

## What is compared with what

- **Sets of Schmid, Yenicelik and Cetin** are compared with the campaign on the emulated machines
  of their study (`data/schmid2018`, `data/yenicelik2018`, `data/cetin2018`) where that campaign has
  the cell, with the same number of clients. The machines were fitted to the throughputs of all
  cells with a middleware. These cells are marked as fitted, and their agreement confirms nothing.
  On the hosts of the reference campaign, which emulate no processors, {plain_near} of the
  {plain_every} sets that it has of these are within 10 %; its throughputs are {plain_low:.2f} to
  {plain_high:.2f} times the printed ones.
- **Khalil's numbers** are compared with the campaign on his emulated machines (`data/khalil2016`).
  What he printed without a middleware set the server and the network of these machines.
- **All other numbers** are compared with the [reference campaign](../data/reference). In sections 2
  to 4 its throughputs are usable capacities, as the studies' are, with as many workers as the
  studies had, at loads that need not be theirs. The printed bandwidths set the links of the lab,
  and these links limit gets: most of the agreement of gets follows from the bandwidths, although no
  throughput of gets was used.
- **Response times** are means at the clients, compared where the number of clients is the same.
  Where clients do not think, as in all studies but Su's, the response time is N / X and adds little
  to the throughput X; it counts as fitted where the throughput was fitted. Where a study does not
  print N, N is the load next to X R, and the response time follows from the throughput.
- **{rebuilt} of the {both} numbers** are cells rebuilt from effects that the study prints. Where a
  study prints single runs, a number is their mean.
- **Not compared** are standard deviations, percentiles, CPU utilizations, plateaus that a text
  rounds, times and queues inside the middlewares (except Schmid's queueing time of multi-gets),
  latencies of pings (they set the lab's delay), and Cetin's effects on response times, whose mean
  he does not print.

Numbers are *reproduced* if all of a row are within 10 % of ours and the lab was not fitted to them;
ratios are ours over the study's. A difference is *explained* only if a claim predicts its direction
and size, could have come out otherwise, and is supported. The one claim that could explain them,
that machines fitted to some cells reach the sets to which they were not fitted, is {prediction}.
What limits our lab stands beside other differences and explains none. Numbers that a study derives
from others *follow* if each is within 10 %, or within the rounding of its printed digits, of what
the printed inputs give; numbers that agree by construction are left out. Tables 10-agreement and
10-disagreements are in chapter 10.

{kinds}
"""
_MEASURED = (
    *("place", "shows", "counterpart", "numbers of", "campaign"),
    *("within 10 %", "ours / theirs", "verdict"),
)
_DERIVED = ("place", "counterpart", "numbers", "within 10 %", "within rounding", "verdict")
_DIFFERENCES = (
    *("study", "place", "cell", "numbers of", "campaign"),
    *("printed", "ours", "ours / theirs", "fitted"),
)
_COUNTS = ("can be compared", "within 10 %", "not fitted", "not fitted, within 10 %")
_OTHERS = (Counterpart.ELSEWHERE, Counterpart.NOT_COMPARED)


def page(judged: pd.DataFrame, numbers: pd.DataFrame, plain: pd.DataFrame, prediction: str) -> str:
    """Write verdicts and numbers as Markdown.

    Parameters
    ----------
    judged
        From `verdicts.judge_counterparts`.
    numbers
        From `numbers.comparable_numbers`, of the same campaign.
    plain
        From `numbers.sets_without_emulation`, of the same campaign.
    prediction
        Verdict of the claim that the lab reaches sets to which the machines were not fitted.
    """
    times = is_time(numbers)
    count = counts(numbers[~times])
    parts = [
        _HEAD.format(
            every=count.every,
            near=count.near,
            free=count.free,
            near_and_free=count.near_and_free,
            times=counts(numbers[times]),
            summary=_summary(numbers),
            plain_near=counts(plain).near,
            plain_every=len(plain),
            plain_low=plain["ratio"].min(),
            plain_high=plain["ratio"].max(),
            rebuilt=int(numbers["rebuilt"].sum()),
            both=len(numbers),
            prediction=prediction,
            kinds=_kinds(judged),
        ),
        f"\n## Numbers that differ\n\n{_differences(numbers)}\n",
    ]
    for study, rows in judged.groupby("study", sort=False):
        parts += [f"\n## {study_name(str(study))}\n", *_of_study(rows)]
    return "".join(parts)


def _summary(numbers: pd.DataFrame) -> str:
    """Count study by study; the last row is what the page begins with."""
    times = is_time(numbers)
    groups = [(study_name(str(s)), numbers["study"] == s) for s in numbers["study"].unique()]
    groups.append(("all", pd.Series(True, numbers.index)))
    rows = [
        [name, *_four(counts(numbers[own & ~times])), *_four(counts(numbers[own & times]))]
        for name, own in groups
    ]
    return table(("study", *_COUNTS, *(f"times: {name}" for name in _COUNTS)), rows)


def _four(count: Counts) -> list[str]:
    return [str(n) for n in (count.every, count.near, count.free, count.near_and_free)]


def _kinds(judged: pd.DataFrame) -> str:
    results = judged[~judged["reason"].isin(NO_RESULTS)]
    verdict = results["verdict"]
    differ = verdict.isin(MEASURED) & (results["near"] < results["numbers"])
    measured = results[verdict.isin(MEASURED)]
    explained = int((verdict == Counterpart.EXPLAINED).sum())
    return (
        f"Of the {len(measured)} rows of measured numbers below, {int(differ.sum())} have numbers"
        f" that differ.\nClaims explain the differences of {explained} rows. Diagrams and "
        "configurations are no results and are\nleft out."
    )


def _differences(numbers: pd.DataFrame) -> str:
    rows = []
    differ = numbers[~numbers["near"]]
    for row in differ.to_dict("records"):
        unit = UNITS[row["quantity"]]
        rows.append(
            [
                study_name(row["study"]),
                escape_cell(table_name(row["study"], row["table"])),
                escape_cell(row["cell"]),
                _numbers_of(row),
                row["campaign"],
                *(f"{digits(row[name])} {unit}" for name in ("printed", "measured")),
                f"{row['ratio']:.2f}",
                "yes" if row["fitted"] else "no",
            ]
        )
    return table(_DIFFERENCES, rows)


def _of_study(rows: pd.DataFrame) -> Iterator[str]:
    measured = rows[rows["verdict"].isin(MEASURED)].to_dict("records")
    derived = rows[rows["verdict"].isin(DERIVED)].to_dict("records")
    others = rows[rows["verdict"].isin(_OTHERS) & ~rows["reason"].isin(NO_RESULTS)]
    if measured:
        yield f"\n### Measured\n\n{table(_MEASURED, map(_measured_cells, measured))}\n"
    if derived:
        yield f"\n### Derived by the study\n\n{table(_DERIVED, map(_derived_cells, derived))}\n"
    if len(others):
        cells = [
            [
                escape_cell(str(row["place"])),
                escape_cell(str(row["shows"])),
                _link(str(row["see"])),
                escape_cell(verdict_words(row["verdict"], str(row["reason"]))),
            ]
            for row in others.to_dict("records")
        ]
        headings = ("place", "shows", "counterpart", "why")
        yield f"\n### Counted elsewhere or not compared\n\n{table(headings, cells)}\n"


def _measured_cells(row: dict[Hashable, Any]) -> list[str]:
    return [
        escape_cell(str(row["place"])),
        escape_cell(str(row["shows"])),
        _link(str(row["see"])),
        _numbers_of(row),
        str(row["campaign"]),
        f"{row['near']} of {row['numbers']}",
        _range(row["ratio_from"], row["ratio_to"]),
        escape_cell(verdict_words(row["verdict"], str(row["reason"]))),
    ]


def _derived_cells(row: dict[Hashable, Any]) -> list[str]:
    return [
        escape_cell(str(row["place"])),
        _link(str(row["see"])),
        *(str(row[name]) for name in ("numbers", "near", "in_digits")),
        escape_cell(verdict_words(row["verdict"], str(row["reason"]))),
    ]


def _numbers_of(row: dict[Hashable, Any]) -> str:
    workload = str(row["workload"])
    return f"{row['quantity']}{f', {workload}s' if workload in ('get', 'set') else ''}"


def _link(see: str) -> str:
    return f"[{see}](../notebooks/{notebook_of(see)})"


def _range(low: float, high: float) -> str:
    if pd.isna(low):
        return MISSING
    ends = f"{low:.2f}", f"{high:.2f}"
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def reference_page() -> str:
    """Write the page of the reference campaign."""
    return page(
        judge_counterparts(REFERENCE),
        comparable_numbers(REFERENCE),
        sets_without_emulation(REFERENCE),
        prediction_verdict(),
    )


if __name__ == "__main__":
    sys.stdout.write(reference_page())
