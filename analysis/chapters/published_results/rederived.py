"""Derived numbers of the published tables, computed again: how many agree, why others do not."""

import re
from collections.abc import Iterable
from functools import cache

import pandas as pd

from analysis.studies.message_queue import su_numbers
from analysis.studies.names import readable
from analysis.studies.one_link import read_only_cells
from analysis.studies.printed import published_index, study_name, table_name
from analysis.studies.rederived_designs import (
    cells_keep_the_interactive_law,
    schmid_allocation,
    schmid_cells,
    yenicelik_effects,
    yenicelik_means,
)
from analysis.studies.rederived_laws import (
    bandwidths,
    derived_throughput,
    interactive_law,
    khalil_overhead,
    queue_lengths,
)
from analysis.studies.rederived_stations import yenicelik_many_servers, yenicelik_single_queue
from analysis.studies.rederived_texts import schmid_numbers, schmid_utilizations, yenicelik_ratios
from analysis.studies.rederived_variation import cetin_design
from analysis.studies.rows import INPUTS, KINDS
from records.text.words import joined

__all__ = [
    "agreement",
    "disagreements",
    "read_only_cells",
    "rederive_all",
    "side_by_side",
]
_CONDITIONS = ("config", "factors", "vm", "prose")  # tables that hold no results


def rederive_all() -> pd.DataFrame:
    """Compute every derived number again; `read_only_cells`, a simulation, stands apart.

    Returns
    -------
    pandas.DataFrame
        `study`, `kind` (what sort of number), `table`, `quantity`, `published`, `rederived`,
        `tolerance` (largest difference with which a value agrees), `within` (what it is, in words:
        ``rounding`` of the printed digits, or more), `agrees`, `inferred` (an input was read from
        the value itself), `basis` (formula and inputs), `remark` (why a value does not agree).
    """
    return _rederived().copy(deep=False)


@cache
def _rederived() -> pd.DataFrame:
    parts = [
        yenicelik_means(),
        yenicelik_effects(),
        yenicelik_single_queue(),
        yenicelik_many_servers(),
        schmid_allocation(),
        schmid_cells(),
        cells_keep_the_interactive_law(),
        cetin_design(),
        interactive_law(),
        derived_throughput(),
        queue_lengths(),
        schmid_numbers(),
        schmid_utilizations(),
        yenicelik_ratios(),
        bandwidths(),
        khalil_overhead(),
        su_numbers(),
    ]
    return pd.concat(parts, ignore_index=True)


def agreement(derived: pd.DataFrame) -> pd.DataFrame:
    """Count, study by study and kind by kind, how many published values were found again.

    Parameters
    ----------
    derived
        From `rederive_all` or `read_only_cells`.

    Returns
    -------
    pandas.DataFrame
        `study`, `kind`, `places` (tables or sections), `values`, `agree`, `by_construction` (those
        of `agree` whose input was read from the value itself), `within` (the tolerances). Tables
        of results from which nothing is derived stand in a row of their own, without numbers; the
        last row is the sum.
    """
    of_kind = derived.assign(agree_too=derived["agrees"] & derived["inferred"])
    counts = (
        of_kind.groupby(["study", "kind"], sort=False)
        .agg(
            tables=("table", "unique"),
            values=("agrees", "size"),
            agree=("agrees", "sum"),
            by_construction=("agree_too", "sum"),
            within=("within", _tolerances),
        )
        .reset_index()
    )
    counts = pd.concat([counts, _inputs_only(derived)], ignore_index=True)
    places = [places_of(*key) for key in zip(counts["study"], counts.pop("tables"), strict=True)]
    counts.insert(2, "places", places)
    order = {kind: place for place, kind in enumerate([*KINDS, INPUTS])}
    studies = {study: place for place, study in enumerate(derived["study"].unique())}
    counts = counts.sort_values(
        ["study", "kind"], key=lambda column: column.map(studies | order), ignore_index=True
    )
    numbers = ["values", "agree", "by_construction"]
    named = counts.assign(study=counts["study"].map(study_name))
    every = pd.DataFrame([{"study": "all", "kind": "", "places": "", "within": ""}])
    total = every.assign(**{name: counts[name].sum() for name in numbers})
    return pd.concat([named, total], ignore_index=True).astype(dict.fromkeys(numbers, "Int64"))


def _tolerances(texts: pd.Series) -> str:
    return "; ".join(dict.fromkeys(part for text in texts for part in text.split(", ")))


def _inputs_only(derived: pd.DataFrame) -> pd.DataFrame:
    index = published_index()
    results = index[~index["table"].str.contains("|".join(_CONDITIONS))]
    used = set(zip(derived["study"], derived["table"], strict=True))
    rest = [key not in used for key in zip(results["study"], results["table"], strict=True)]
    tables = results[rest].groupby("study", sort=False)["table"].unique()
    return tables.rename("tables").reset_index().assign(kind=INPUTS)


def places_of(study: str, tables: Iterable[str]) -> str:
    """Name tables together, ``tables 1 to 4, 9; section 4.2; text``."""
    names = {table_name(study, table) for table in tables}
    numbers = sorted(int(n) for name in names for n in re.findall(r"^table (\d+)$", name))
    sections = sorted(s for name in names for s in re.findall(r"^section ([\d.]+)$", name))
    parts = [_counted("table", _ranges(numbers)), _counted("section", sections)]
    return "; ".join([*filter(None, parts), *(["text"] if "running text" in names else [])])


def _ranges(numbers: list[int]) -> list[str]:
    """Write three or more numbers that follow each other as a range."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    written = [[f"{r[0]} to {r[-1]}"] if len(r) > 2 else [str(n) for n in r] for r in runs]
    return [text for texts in written for text in texts]


def _counted(noun: str, places: list[str]) -> str:
    if not places:
        return ""
    several = len(places) > 1 or " to " in places[0]
    return f"{noun}{'s' if several else ''} {', '.join(places)}"


def disagreements(derived: pd.DataFrame) -> pd.DataFrame:
    """List what was not found again, values with the same reason in one row.

    Returns
    -------
    pandas.DataFrame
        `study`, `places`, `values` (number), `first` (the first of them), its `printed` and
        `computed` value, `reason`.
    """
    rows = derived[~derived["agrees"].astype(bool)]
    studies = {study: place for place, study in enumerate(derived["study"].unique())}
    rows = rows.sort_values("study", key=lambda column: column.map(studies), kind="stable")
    groups = rows.groupby(["study", "remark"], sort=False)
    table = groups.agg(
        tables=("table", "unique"),
        values=("quantity", "size"),
        first=("quantity", "first"),
        printed=("published", "first"),
        computed=("rederived", "first"),
    ).reset_index()
    places = [places_of(*key) for key in zip(table["study"], table.pop("tables"), strict=True)]
    reason = table.pop("remark")
    table.insert(1, "places", places)
    return table.assign(
        study=table["study"].map(study_name), first=table["first"].map(readable), reason=reason
    )


def side_by_side(derived: pd.DataFrame, study: str, *kinds: str) -> pd.DataFrame:
    """Show published and re-derived values of some kinds of a study's numbers.

    Parameters
    ----------
    kinds
        Of `analysis.studies.rows`.

    Returns
    -------
    pandas.DataFrame
        `study`, `places`, `quantity` (all in words), `printed`, `computed`, `tolerance` (largest
        difference with which a value agrees), `agrees`.

    Raises
    ------
    ValueError
        No number of one of the kinds was computed again.
    """
    rows = derived[(derived["study"] == study) & derived["kind"].isin(kinds)]
    absent = set(kinds) - set(rows["kind"])
    if absent:
        raise ValueError(f"nothing of {joined(sorted(absent))} of {study} was computed again")
    return pd.DataFrame(
        {
            "study": study_name(study),
            "places": [places_of(study, [table]) for table in rows["table"]],
            "quantity": rows["quantity"].map(readable),
            "printed": rows["published"],
            "computed": rows["rederived"],
            "tolerance": rows["tolerance"],
            "agrees": rows["agrees"].astype(bool),
        }
    ).reset_index(drop=True)
