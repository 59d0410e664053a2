"""Executed notebook -> the parts of it that belong in a report. Pure: no pandoc, no typst.

Prose (markdown cells and markdown outputs), figures and tables are kept, in their order. Code,
printed text, standard error and widgets are not. What would leave a hole in the report (a cell
that did not run, an error, a figure without a caption) is an `ExportError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from analysis.present import METADATA_KEY, PLOTLY_MIME

# A cell with this tag speaks to the notebook's user only, for instance on how to run it.
NOTEBOOK_ONLY = "notebook-only"


class ExportError(Exception):
    """A notebook cannot be exported; names the notebook, the cell (from 1) and the remedy."""

    def __init__(self, path: Path, cell: int | None, message: str) -> None:
        where = f"{path}, cell {cell}" if cell else str(path)
        super().__init__(f"{where}: {message}")
        self.path = path
        self.cell = cell


@dataclass(frozen=True)
class Prose:
    """Markdown, with the number of the cell it comes from."""

    cell: int
    markdown: str


@dataclass(frozen=True)
class Figure:
    """A figure: its plotly JSON, its drawing (if the notebook holds one), or both."""

    cell: int
    name: str
    caption: str
    spec: dict[str, Any] | None
    svg: str | None


@dataclass(frozen=True)
class Table:
    """A table as a markdown pipe table."""

    cell: int
    name: str
    caption: str
    markdown: str


Part = Prose | Figure | Table


@dataclass(frozen=True)
class Section:
    """One notebook: section `number` of the report, the leading number of its file name."""

    path: Path
    number: int
    parts: tuple[Part, ...]

    def figures(self) -> list[Figure]:
        """Return the section's figures in their order."""
        return [part for part in self.parts if isinstance(part, Figure)]


def read_section(path: Path) -> Section:
    """Read an executed notebook.

    Raises
    ------
    ExportError
        The file is not named like `02-title.ipynb`, was not executed to its end, holds an error,
        or shows a figure or table that has no name and caption.
    """
    match = re.match(r"(\d\d)-", path.name)
    if match is None:
        raise ExportError(path, None, "a report notebook is named like 02-title.ipynb")
    try:
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except (OSError, nbformat.reader.NotJSONError, nbformat.ValidationError) as exc:
        raise ExportError(path, None, f"not a readable notebook: {exc}") from exc
    parts: list[Part] = []
    for index, cell in enumerate(notebook.cells, start=1):
        parts.extend(_parts(path, index, cell))
    return Section(path, int(match[1]), tuple(parts))


def _parts(path: Path, index: int, cell: Any) -> Iterator[Part]:
    if cell.cell_type == "code" and cell.source.strip():
        _check_executed(path, index, cell)
    if NOTEBOOK_ONLY in cell.metadata.get("tags", []):
        return
    if cell.cell_type == "markdown" and cell.source.strip():
        yield Prose(index, cell.source)
    if cell.cell_type == "code":
        for output in cell.outputs:
            if output.output_type in ("display_data", "execute_result"):
                yield from _shown(path, index, output)


def _check_executed(path: Path, index: int, cell: Any) -> None:
    for output in cell.outputs:
        if output.output_type == "error":
            raise ExportError(path, index, f"ended with {output.ename}: {output.evalue}")
    if cell.execution_count is None:
        raise ExportError(path, index, "was not executed: run the notebook to its end first")


def _shown(path: Path, index: int, output: Any) -> Iterator[Part]:
    data = output.data
    tag = output.metadata.get(METADATA_KEY, {})
    match tag.get("kind"):
        case "figure":
            yield Figure(
                index, tag["name"], tag["caption"], data.get(PLOTLY_MIME), data.get("image/svg+xml")
            )
        case "table":
            yield Table(index, tag["name"], tag["caption"], data["text/markdown"])
        case "caption":
            return
        case _ if PLOTLY_MIME in data or any(mime.startswith("image/") for mime in data):
            raise ExportError(
                path, index, "shows a figure without a caption: show it by present.figure"
            )
        case _ if "<table" in data.get("text/html", ""):
            raise ExportError(
                path, index, "shows a table without a caption: show it by present.table"
            )
        case _ if "text/markdown" in data:
            yield Prose(index, data["text/markdown"])
        case _ if "text/latex" in data:
            yield Prose(index, data["text/latex"])
