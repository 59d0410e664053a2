"""What a docstring says of each attribute, as numpydoc and this project write it."""

from __future__ import annotations

import inspect
import re

_ATTRIBUTES = re.compile(
    r"^(?:Parameters|Attributes)\n-+\n(?P<items>.+?)(?=\n\n\w+\n-+\n|\Z)", re.MULTILINE | re.DOTALL
)


def summary_of(documented: type) -> str:
    """Return what stands above the attributes, in Markdown."""
    text = inspect.cleandoc(documented.__doc__ or "")
    return _markdown(_ATTRIBUTES.split(text)[0])


def attributes_of(documented: type) -> dict[str, str]:
    """Return the words on each attribute, those of its bases first.

    An item begins with ``name : words`` or ``name, other : words``, or has its words below its
    name; what is indented goes on.
    """
    told: dict[str, str] = {}
    for base in reversed(documented.__mro__):
        found = _ATTRIBUTES.search(inspect.cleandoc(base.__doc__ or ""))
        for item in re.split(r"\n(?=\S)", found["items"]) if found else ():
            first, _, more = item.partition("\n")
            names, _, words = first.partition(" : ")
            told |= dict.fromkeys(names.split(", "), _markdown(f"{words}\n{more}"))
    return told


def _markdown(text: str) -> str:
    """Write a docstring's words in one line of Markdown a paragraph."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(p.split()) for p in paragraphs).replace("``", "`")
