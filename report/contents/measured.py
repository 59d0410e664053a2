"""What of a notebook can be shown: the sections it measures against what a campaign holds.

Where the campaign holds no run of a section, a note takes the place of the cell that measures it
(`measured.measure("2.1")`), and cells that use what such a cell makes are left out, too. Text
stays: where it points to a figure that is not there it says so. Single runs that are missing are
named by the cell that measures.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence, Set
from typing import Any

from nbformat.v4 import new_markdown_cell

from report.contents.notebook import LEFT_OUT, NOTE

SHOWN = re.compile(r'name="(\d\d(?:-[a-z0-9]+)+)"')
LINK = re.compile(r"\[(Figure|Table)\]\(#([a-z0-9-]+)\)")


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
    lost: dict[str, list[str]] = {}  # name that a cell left out would have set, to what is absent
    gone: list[str] = []  # figures and tables of such cells
    kept: list[Any] = []
    for cell in cells:
        if cell.cell_type != "code":
            kept.append(cell)
            continue
        used, made = _names(cell.source)
        sections = sections_of(cell.source)
        unheld = [name for name in sections if name not in held]
        absent = unheld + [section for name in sorted(used & lost.keys()) for section in lost[name]]
        absent = list(dict.fromkeys(absent))
        if absent:
            lost |= dict.fromkeys(made, absent)
            gone += SHOWN.findall(cell.source)
            if sections:
                kept.append(_note(absent, campaign))
        else:
            lost = {name: why for name, why in lost.items() if name not in made}
            kept.append(cell)
    yield from (_without_links(cell, set(gone)) for cell in kept)


def _without_links(cell: Any, gone: Set[str]) -> Any:
    """Return prose that says of a figure or table that it is not there."""
    if cell.cell_type != "markdown":
        return cell
    shown = type(cell)(cell)
    shown.source = LINK.sub(
        lambda match: f"*{match[1].lower()} (not measured)*" if match[2] in gone else match[0],
        cell.source,
    )
    return shown


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the names that a cell needs from cells before it, and those that it sets."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a magic command
        return set(), set()
    used: set[str] = set()
    made: set[str] = set()
    for statement in tree.body:
        loaded, stored = _names_of(statement)
        inner = {
            name
            for node in ast.walk(statement)
            if isinstance(node, ast.comprehension)
            for name in _names_of(node.target)[1]
        }
        used |= loaded - made - inner
        made |= stored - inner
    return used, made


def _names_of(tree: ast.AST) -> tuple[set[str], set[str]]:
    loaded: set[str] = set()
    stored: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else stored).add(node.id)
        elif isinstance(node, ast.alias):
            stored.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            stored.add(node.name)
    return loaded, stored


def _note(sections: Sequence[str], campaign: str) -> Any:
    markdown = (
        f"> **Not measured.** Campaign {campaign} holds no accepted run of section "
        f"{' and '.join(sections)}: what is made from it is left out here. "
        f"`lab run {' '.join(sections)} --campaign {campaign}` measures it."
    )
    metadata = {"tags": [NOTE], LEFT_OUT: list(sections)}
    return new_markdown_cell(markdown, metadata=metadata)  # type: ignore[no-untyped-call]
