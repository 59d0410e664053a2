"""Executed notebook -> the parts of it that belong in a report. Pure: no pandoc, no typst.

Prose (markdown cells and markdown outputs), figures and tables are kept, in their order. Code,
printed text, standard error and widgets are not. What would leave a hole in the report (a cell
that did not run, an error, a figure without a caption) is an `ReportError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from analysis.figures.present import METADATA_KEY, PLOTLY_MIME

# A cell with this tag speaks to the notebook's user only, for instance on how to run it.
NOTEBOOK_ONLY = "notebook-only"
# A cell with this tag was put in by the report, to say what is not measured.
NOTE = "report-note"
# The metadata of a note in whose place something is left out.
LEFT_OUT = "mwlab_left_out"
# Cells that were put in; the author's cells are counted without them.
ADDED = {"injected-parameters", "papermill-error-cell-tag", NOTE}


class ReportError(Exception):
    """A notebook cannot become part of the report: which one, at which cell (from 1), and why."""

    def __init__(self, path: Path, cell: int | None, message: str) -> None:
        where = f"{path}, cell {cell}" if cell else str(path)
        super().__init__(f"{where}: {message}")
        self.path = path
        self.cell = cell


@dataclass(frozen=True)
class Prose:
    """Markdown, with the number of the cell it comes from; a program made what is `of_data`."""

    cell: int
    markdown: str
    of_data: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure: its plotly JSON, its drawing (if the notebook holds one), or both.

    The footnote says what it was made from.
    """

    cell: int
    name: str
    caption: str
    spec: dict[str, Any] | None
    svg: str | None
    footnote: str = ""


@dataclass(frozen=True)
class Table:
    """A table as a markdown pipe table; the rows `printed`, from 0, are meant for paper."""

    cell: int
    name: str
    caption: str
    markdown: str
    printed: tuple[int, ...] | None = None


Part = Prose | Figure | Table


@dataclass(frozen=True)
class Section:
    """One notebook: section `number` of the report, the leading number of its file name.

    The appendix is a section numbered by a letter. `complete` is False where something is left
    out because it was not measured. What is `web_only` has a page in the HTML version alone.
    """

    path: Path
    number: int | str
    parts: tuple[Part, ...]
    complete: bool = True
    web_only: bool = False

    @property
    def page(self) -> str:
        """Name of the section's page in the HTML version."""
        return f"{self.path.stem}.html"

    def figures(self) -> list[Figure]:
        """Return the section's figures in their order."""
        return [part for part in self.parts if isinstance(part, Figure)]


def read_section(path: Path) -> Section:
    """Read an executed notebook.

    Raises
    ------
    ReportError
        The file is not named like `02-title.ipynb`, was not executed to its end, holds an error,
        or shows a figure or table that has no name and caption.
    """
    match = re.match(r"(\d\d)-", path.name)
    if match is None:
        raise ReportError(path, None, "a report notebook is named like 02-title.ipynb")
    try:
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except (OSError, nbformat.reader.NotJSONError) as exc:
        raise ReportError(path, None, f"not a readable notebook: {exc}") from exc
    parts: list[Part] = []
    for number, cell in numbered_cells(notebook):
        parts.extend(_parts(path, number, cell))
    complete = not any(LEFT_OUT in cell.metadata for cell in notebook.cells)
    return Section(path, int(match[1]), tuple(parts), complete)


def numbered_cells(notebook: Any) -> Iterator[tuple[int, Any]]:
    """Yield the cells with the numbers they have in the author's notebook, from 1."""
    number = 0
    for cell in notebook.cells:
        number += not ADDED.intersection(cell.metadata.get("tags", []))
        yield number, cell


def _parts(path: Path, number: int, cell: Any) -> Iterator[Part]:
    tags = cell.metadata.get("tags", [])
    if cell.cell_type == "code" and cell.source.strip():
        _check_executed(path, number, cell)
    if NOTEBOOK_ONLY in tags:
        return
    if cell.cell_type == "markdown" and cell.source.strip():
        yield Prose(number, cell.source)
    if cell.cell_type == "code":
        for output in cell.outputs:
            if output.output_type in ("display_data", "execute_result"):
                yield from _shown(path, number, output)


def _check_executed(path: Path, number: int, cell: Any) -> None:
    for output in cell.outputs:
        if output.output_type == "error":
            raise ReportError(path, number, f"ended with {output.ename}: {output.evalue}")
    if cell.execution_count is None:
        raise ReportError(path, number, "was not executed: run the notebook to its end first")


def _shown(path: Path, number: int, output: Any) -> Iterator[Part]:
    data = output.data
    tag = output.metadata.get(METADATA_KEY, {})
    match tag.get("kind"):
        case "figure":
            yield Figure(
                number,
                tag["name"],
                tag["caption"],
                data.get(PLOTLY_MIME),
                data.get("image/svg+xml"),
                tag.get("footnote", ""),
            )
        case "table":
            printed = tuple(tag["printed"]) if "printed" in tag else None
            yield Table(number, tag["name"], tag["caption"], data["text/markdown"], printed)
        case "caption":
            return
        case _ if PLOTLY_MIME in data or any(mime.startswith("image/") for mime in data):
            raise ReportError(
                path, number, "shows a figure without a caption: show it by present.figure"
            )
        case _ if "<table" in data.get("text/html", ""):
            raise ReportError(
                path, number, "shows a table without a caption: show it by present.table"
            )
        case _ if "text/markdown" in data:
            yield Prose(number, data["text/markdown"], of_data=True)
        case _ if "text/latex" in data:
            yield Prose(number, data["text/latex"])
