"""Numbers and link targets, taken from the notebooks so that they never drift."""

from __future__ import annotations

import re
from collections.abc import Sequence

from report.contents.notebook import Prose, ReportError, Section


def number_parts(sections: Sequence[Section]) -> dict[str, str]:
    """Assign numbers to figures and tables, counted within their section.

    Returns
    -------
    dict
        Name to number: the third figure of notebook 02 is "Figure 2.3", whichever other
        notebooks are exported with it.

    Raises
    ------
    ReportError
        A name is used twice.
    """
    numbers: dict[str, str] = {}
    for section in sections:
        counts = {"Figure": 0, "Table": 0}
        for part in section.parts:
            if isinstance(part, Prose):
                continue
            if part.name in numbers:
                raise ReportError(
                    section.path, part.cell, f"the name {part.name} is used twice: rename one"
                )
            kind = type(part).__name__
            counts[kind] += 1
            numbers[part.name] = f"{kind} {section.number}.{counts[kind]}"
    return numbers


def kinds_of_parts(sections: Sequence[Section]) -> dict[str, str]:
    """Return by the name of each figure and table of sections what it is, as links call it."""
    return {
        part.name: type(part).__name__
        for section in sections
        for part in section.parts
        if not isinstance(part, Prose)
    }


def heading_label(notebook: str, anchor: str) -> str:
    """Label a heading by its notebook's file name and its text, or its anchor in JupyterLab.

    JupyterLab's anchor is the text with hyphens for spaces. The empty anchor is the notebook's
    title.
    """
    slug = re.sub(r"[^\w.]+", "-", anchor).strip("-").lower()
    stem = notebook.removesuffix(".ipynb")
    return f"{stem}:{slug}" if slug else f"{stem}:title"
