"""Tables and blocks of code, as all pages have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from records.text.markdown import escape_cell
from records.text.markdown import table as table_of_cells

NOTE = "<!-- Made from the code by `make manual`: what it says is changed there. -->"


def page(title: str, *parts: str) -> str:
    """Put a page together, of parts of Markdown."""
    return "\n\n".join([f"# {title}", NOTE, *parts]) + "\n"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; cells are Markdown but for what would end them."""
    return table_of_cells(headings, ([escape_cell(cell) for cell in row] for row in rows))


def code(text: str) -> str:
    """Write what a program prints."""
    return f"```text\n{text.strip()}\n```"


def quoted(text: str) -> str:
    """Write a name or a value; nothing where there is none."""
    return f"`{text}`" if text else ""
