"""Re-derivations in short: how many values of each table agree, and why the others do not."""

import pandas as pd

from analysis.published.names import readable
from analysis.published.printed import study_name, table_name


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
        how many; and where N was inferred), `within` (the tolerance in words), `basis`.
    """
    groups = derived.groupby(["study", "table"], sort=False)
    counts = groups.agg(
        values=("agrees", "size"),
        agree=("agrees", "sum"),
        inferred=("inferred", "any"),
        within=("within", _joined),
        basis=("basis", _joined),
    ).reset_index()
    differ = counts["values"] - counts["agree"]
    verdict = ("differs in " + differ.astype(str)).mask(differ == 0, "agrees")
    verdict = verdict.mask(counts["agree"] == 0, "differs")
    counts.insert(4, "verdict", verdict.mask(counts.pop("inferred"), verdict + ", N inferred"))
    return counts


def _joined(texts: pd.Series) -> str:
    return "; ".join(texts.unique())


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Name studies, tables and quantities of a table of this module as a reader knows them."""
    study = table["study"]
    names = [table_name(*key) for key in zip(study, table["table"], strict=True)]
    named = table.assign(study=study.map(study_name), table=names)
    quantities = [name for name in ("quantity", "first") if name in table]
    return named.assign(**{name: table[name].map(readable) for name in quantities})


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
        `table`, `quantity` (both in words), `published`, `rederived`, `tolerance` (largest
        difference with which a value agrees), `relative_error` ((re-derived - published) /
        published), `agrees` (yes, no, or ``N inferred``: by construction).

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
    agrees = rows["agrees"].map({True: "yes", False: "no"})
    return pd.DataFrame(
        {
            "table": rows["table"].map({table: table_name(study, table) for table in tables}),
            "quantity": rows["quantity"].map(readable),
            "published": rows["published"],
            "rederived": rows["rederived"],
            "tolerance": rows["tolerance"],
            "relative_error": rows["rederived"] / published - 1,
            "agrees": agrees.mask(rows["agrees"] & rows["inferred"], "N inferred"),
        }
    ).reset_index(drop=True)


def two_digits(value: float) -> str:
    """Format a tolerance: two digits, no exponent."""
    return digits(float(f"{value:.2g}"))


def digits(value: float) -> str:
    """Format one value of tables whose rows have different units: five digits, no exponent."""
    if pd.isna(value):
        return "\N{EN DASH}"
    text = f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.5g}"
    if "e" in text:
        text = f"{value:.10f}".rstrip("0")
    return text.replace(",", "\N{NO-BREAK SPACE}").replace("-", "\N{MINUS SIGN}")
