"""What the studies show, and what here stands beside it, as ``data/published`` has it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pandas as pd

from analysis.studies.printed import published_index
from records.paths import PROJECT, PUBLISHED

COUNTERPARTS = "counterparts.csv"
COLUMNS = ["study", "table", "place", "shows", "see", "same_as", "because", "note"]
NO_RESULTS = ("it is a diagram", "it holds conditions and no results")
"""Reasons of what is listed but no result."""


def read_counterparts() -> pd.DataFrame:
    """List all tables and figures of the studies with their counterparts.

    Returns
    -------
    pandas.DataFrame
        One row for each, in the studies' order; texts, empty where there is nothing to say.
        `study`; `table`, its name in `analysis.studies.printed.published_index` (empty for
        figures); `place` in the study and what it `shows`; `see`, the name of the figure or table
        here; `same_as`, the places of the tables that print its numbers, too, where these are
        counted; `because`, why nothing of it is compared, or the id of the claim about what limits
        the reference campaign where numbers differ; `note`, what a reader must know of a
        comparison.

    Raises
    ------
    ValueError
        A table that the index lacks; names it.
    """
    rows = pd.read_csv(PUBLISHED / COUNTERPARTS, dtype=str, keep_default_na=False)[COLUMNS]
    of_table = rows["table"] != ""
    known = rows[["study", "table"]].merge(published_index(), how="left")
    for row in known[of_table & known["content"].isna()].itertuples():
        raise ValueError(f"{COUNTERPARTS}: no table {row.table!r} of {row.study!r} in the index")
    rows = rows.assign(
        place=rows["place"].mask(of_table, known["place"].map(_short, na_action="ignore")),
        shows=rows["shows"].mask(of_table, known["content"]),
    )
    places = rows[of_table].set_index(["study", "table"])["place"].to_dict()
    named = [
        " and ".join(_place(places, study, table) for table in tables.split())
        for study, tables in zip(rows["study"], rows["same_as"], strict=True)
    ]
    return rows.assign(same_as=named)


def notebook_of(see: str) -> str:
    """Return the file name of the notebook that shows a figure or table, by its number.

    Raises
    ------
    ValueError
        There is no such notebook.
    """
    found = sorted((PROJECT / "notebooks").glob(f"{see[:2]}-*.ipynb"))
    if not found:
        raise ValueError(f"no notebook {see[:2]} for the counterpart {see!r}")
    return found[0].name


def _place(places: Mapping[Hashable, str], study: str, table: str) -> str:
    if (study, table) not in places:
        raise ValueError(f"{COUNTERPARTS}: no table {table!r} of {study!r} in the index")
    return places[study, table]


def _short(place: str) -> str:
    """Write where a table stands without what the index adds, ``table 3``."""
    return place[:1].lower() + place[1:].split(" (")[0].removesuffix(" with its notes")
