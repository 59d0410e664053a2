"""The tidy tables: what each is, and the columns that those of the reference campaign have."""

from __future__ import annotations

from dataclasses import fields

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.tables.frames import REJECTED_COLUMNS, SETTINGS, Tables, table_contents
from manual.docstrings import attributes_of, summary_of
from manual.markdown import page, quoted, table
from records.paths import REFERENCE

KEY = (
    *("section", "workload", "clients_per_thread", *SETTINGS, "repetition", "num_clients"),
    *("time_dilation", "observer", "is_second"),
)
_KINDS = {"double": "number", "int64": "whole number", "bool": "true or false", "null": ""}
_TEXT = "text"
_ALONE = (
    "`data/<campaign>/tidy/<section>.zip` holds them as Parquet files; a table without rows has "
    "none. Without this project's code pandas reads one so: "
    '`pandas.read_parquet(zipfile.ZipFile("data/reference/tidy/2.1.zip").open("runs.parquet"))`.'
)


def columns(name: str) -> dict[str, str]:
    """Return the columns of a table, but for the key, and what they hold; those of all sections."""
    if name == "rejected":
        return dict.fromkeys(
            (c for c in REJECTED_COLUMNS if c not in KEY), _TEXT
        )  # the reference has no such run
    kinds: dict[str, set[str]] = {}
    for path in sorted(REFERENCE.glob("**/tidy/*.zip")):
        content = table_contents(path).get(name)
        for field in pq.read_schema(pa.BufferReader(content)) if content else ():
            if field.name not in KEY and not field.name.startswith("__"):
                kinds.setdefault(field.name, set()).add(_KINDS.get(str(field.type), _TEXT))
    return {column: _widest(found) for column, found in kinds.items()}


def write() -> str:
    """Write the page."""
    words = attributes_of(Tables)
    parts = [
        summary_of(Tables),
        _ALONE,
        "The factors are in [section files](section-files.md#settings).",
    ]
    for field in fields(Tables):
        rows = [(quoted(column), kind) for column, kind in columns(field.name).items()]
        parts += [f"## {field.name}", words[field.name], table(["column", "holds"], rows)]
    return page("Tidy tables", *parts)


def _widest(kinds: set[str]) -> str:
    """Return the kind that holds all: whole numbers are numbers where some are missing."""
    return next((kind for kind in (_TEXT, *_KINDS.values()) if kind in kinds), "")
