"""What of a notebook can be shown: the sections it measures against what a campaign holds.

A section is shown from the cell that measures it (`measured.measure("2.1")`) to the next such
cell. Where the campaign holds no run of it, a note takes the place of those cells, and of what is
made from them further down. Single runs that are missing are named by the cell that measures.
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
    absent: list[str] = []
    lost: dict[str, list[str]] = {}  # name that a cell left out would have set, to what is absent
    for cell in cells:
        is_code = cell.cell_type == "code"
        used, made = _names(cell.source) if is_code else (set(), set())
        needed = [section for name in used & lost.keys() for section in lost[name]]
        sections = sections_of(cell.source) if is_code else []
        if sections:
            unheld = [name for name in sections if name not in held]
            absent = list(dict.fromkeys([*unheld, *needed]))
            if absent:
                yield _note(absent, campaign)
        if absent or needed:
            lost |= dict.fromkeys(made, absent or needed)
        else:
            lost = {name: why for name, why in lost.items() if name not in made}
            yield cell


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the names that a cell uses, and those that it sets."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a magic command
        return set(), set()
    used: set[str] = set()
    made: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else made).add(node.id)
        elif isinstance(node, ast.alias):
            made.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
    return used, made


def _note(sections: Sequence[str], campaign: str) -> Any:
    markdown = (
        f"> **Not measured.** Campaign {campaign} holds no accepted run of section "
        f"{' and '.join(sections)}: what is made from it is left out here. "
        f"`lab run {' '.join(sections)} --campaign {campaign}` measures it."
    )
    metadata = {"tags": [NOTE], LEFT_OUT: list(sections)}
    return new_markdown_cell(markdown, metadata=metadata)  # type: ignore[no-untyped-call]
