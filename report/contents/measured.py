"""What of a notebook can be shown: the sections it measures against what a campaign holds.

Where the campaign holds no run of a section, a note takes the place of the cell that measures it
(`measured.measure("2.1")`), and cells that use what such a cell makes are left out, too. Text
stays: where it points to a figure that is not there it says so. Single runs that are missing are
named by the cell that measures. So it is with studies of elasticities (`measure_study(...)`), which
are campaigns of their own below the campaign.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set
from typing import Any

from nbformat.v4 import new_markdown_cell

from report.contents.absent import Absent, not_measured, sections_of
from report.contents.notebook import LEFT_OUT, NOTE

SHOWN = re.compile(r'name="(\d\d(?:-[a-z0-9]+)+)"')
LINK = re.compile(r"\[(Figure|Table)\]\(#([a-z0-9-]+)\)")


def measured_sections(notebook: Any) -> list[str]:
    """Return all sections that a notebook measures, in their order."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return list(dict.fromkeys(name for source in sources for name in sections_of(source)))


def showable(notebook: Any, campaign: str, held: Collection[str]) -> Any:
    """Return the notebook with notes in place of what the campaign does not hold.

    Parameters
    ----------
    notebook : NotebookNode
        Left as it is.
    campaign : str
        Name of the campaign, for the notes.
    held : collection of str
        The sections that the campaign holds accepted runs of.
    """
    shown = type(notebook)(notebook)
    shown.cells = list(_cells(notebook.cells, campaign, held))
    return shown


def _cells(cells: Sequence[Any], campaign: str, held: Collection[str]) -> Iterator[Any]:
    need = Absent()
    gone: list[str] = []  # figures and tables of cells that are left out
    kept: list[Any] = []
    for cell in cells:
        absent = need.of(cell.source, set(held)) if cell.cell_type == "code" else []
        if not absent:
            kept.append(cell)
            continue
        gone += SHOWN.findall(cell.source)
        if sections_of(cell.source):
            kept.append(_note(absent, campaign))
    yield from (_without_links(cell, set(gone)) for cell in kept)


def _without_links(cell: Any, gone: Set[str]) -> Any:
    """Return prose that marks figures and tables that are not there."""
    if cell.cell_type != "markdown":
        return cell
    shown = type(cell)(cell)
    shown.source = LINK.sub(
        lambda match: f"*{match[1].lower()} (not measured)*" if match[2] in gone else match[0],
        cell.source,
    )
    return shown


def _note(absent: Sequence[str], campaign: str) -> Any:
    metadata = {"tags": [NOTE], LEFT_OUT: list(absent)}
    return new_markdown_cell(  # type: ignore[no-untyped-call]
        not_measured(absent, campaign), metadata=metadata
    )
