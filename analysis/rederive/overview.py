"""Re-derivations in short: how many values of each table agree, and why the others do not."""

import pandas as pd


def agreement(derived: pd.DataFrame) -> pd.DataFrame:
    """Count, table by table, how many published values were found again.

    Parameters
    ----------
    derived
        From `rederive_all` or `read_only_cells`.

    Returns
    -------
    pandas.DataFrame
        `study`, `table`, `values`, `agree`, `verdict` (``agrees``, ``differs``, or ``differs in``
        how many).
    """
    groups = derived.groupby(["study", "table"], sort=False)["agrees"]
    counts = groups.agg(values="size", agree="sum").reset_index()
    differ = counts["values"] - counts["agree"]
    verdict = ("differs in " + differ.astype(str)).mask(differ == 0, "agrees")
    return counts.assign(verdict=verdict.mask(counts["agree"] == 0, "differs"))


def disagreements(derived: pd.DataFrame) -> pd.DataFrame:
    """List what was not found again, values with the same reason in one row.

    Returns
    -------
    pandas.DataFrame
        `study`, `table`, `values` (number), `first` (the first of them), its `published` and
        `rederived` value, `reason`.
    """
    rows = derived[~derived["agrees"].astype(bool)]
    groups = rows.groupby(["study", "table", "remark"], sort=False)
    table = groups.agg(
        values=("quantity", "size"),
        first=("quantity", "first"),
        published=("published", "first"),
        rederived=("rederived", "first"),
    ).reset_index()
    reason = table.pop("remark")
    return table.assign(reason=reason)


def side_by_side(derived: pd.DataFrame, study: str, *tables: str) -> pd.DataFrame:
    """Show the published and re-derived values of some tables of a study.

    Returns
    -------
    pandas.DataFrame
        `table`, `quantity`, `published`, `rederived`, `relative_error`
        ((re-derived - published) / published), `agrees` (yes, no).

    Raises
    ------
    ValueError
        One of the tables has no re-derivation.
    """
    rows = derived[(derived["study"] == study) & derived["table"].isin(tables)]
    absent = set(tables) - set(rows["table"])
    if absent:
        raise ValueError(f"nothing of {sorted(absent)} of {study} was derived again")
    published = rows["published"].where(rows["published"] != 0)
    return pd.DataFrame(
        {
            "table": rows["table"],
            "quantity": rows["quantity"],
            "published": rows["published"],
            "rederived": rows["rederived"],
            "relative_error": rows["rederived"] / published - 1,
            "agrees": rows["agrees"].map({True: "yes", False: "no"}),
        }
    ).reset_index(drop=True)


def digits(value: float) -> str:
    """Format one value of tables whose rows have different units: five digits, no exponent."""
    if pd.isna(value):
        return "\N{EN DASH}"
    text = f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.5g}"
    return text.replace(",", "\N{NO-BREAK SPACE}").replace("-", "\N{MINUS SIGN}")
