"""What of a notebook can be shown: the sections it measures against what a campaign holds.

A section is shown from the cell that measures it (`measured.measure("2.1")`) to the next such
cell. Where the campaign holds no run of it, a note takes the place of those cells. Single runs that
are missing are named by the cell that measures.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from nbformat.v4 import new_markdown_cell

from report.contents.notebook import LEFT_OUT, NOTE


def sections_of(source: str) -> list[str]:
    """Return the sections that a cell measures: the texts given to `.measure(...)`."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a magic command
        return []
    return [
        argument.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "measure"
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


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
    leaving_out = False
    for cell in cells:
        sections = sections_of(cell.source) if cell.cell_type == "code" else []
        if sections:
            absent = [name for name in sections if name not in held]
            leaving_out = bool(absent)
            if absent:
                yield _note(absent, campaign)
        if not leaving_out:
            yield cell


def _note(sections: Sequence[str], campaign: str) -> Any:
    markdown = (
        f"> **Not measured.** Campaign {campaign} holds no accepted run of section "
        f"{' and '.join(sections)}: what is made from it is left out here. "
        f"`lab run {' '.join(sections)} --campaign {campaign}` measures it."
    )
    metadata = {"tags": [NOTE], LEFT_OUT: list(sections)}
    return new_markdown_cell(markdown, metadata=metadata)  # type: ignore[no-untyped-call]
