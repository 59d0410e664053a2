"""What the studies show, and what here stands beside it, as ``data/published`` has it."""

from __future__ import annotations

import pandas as pd

from analysis.paths import PROJECT, PUBLISHED
from analysis.published.printed import published_index

COUNTERPARTS = "counterparts.csv"
COLUMNS = ["study", "table", "place", "shows", "see", "compare", "where", "because"]


def listed_counterparts() -> pd.DataFrame:
    """List all tables and figures of the studies with their counterparts.

    Returns
    -------
    pandas.DataFrame
        One row for each, in the studies' order; texts, empty where there is nothing to say.
        `study`; `table`, its name in `analysis.published.printed.published_index` (empty for
        figures); `place` in the study and what it `shows`; `see`, the name of the figure or table
        here; `compare`, one of `analysis.claims.counterparts.compared.COMPARISONS` (empty: it has
        no numbers to compare); `where`, which rows of that are meant, ``section=3.1 workload=get``;
        `because`, why it cannot be compared, or, if it can, the claim that tells why numbers
        differ, ``4.1: Three servers take fewer sets than one.``

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
    return rows.assign(
        place=rows["place"].mask(of_table, known["place"].map(_short, na_action="ignore")),
        shows=rows["shows"].mask(of_table, known["content"]),
    )


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


def _short(place: str) -> str:
    """Write where a table stands without what the index adds, ``table 3``."""
    return place[:1].lower() + place[1:].split(" (")[0].removesuffix(" with its notes")
