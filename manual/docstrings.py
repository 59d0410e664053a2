"""The description of each attribute in a docstring, as numpydoc and this project write it."""

from __future__ import annotations

import ast
import inspect
import re
from itertools import pairwise

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


def field_docstrings(documented: type) -> dict[str, str]:
    """Return the words below each field of a class."""
    (definition,) = ast.parse(inspect.getsource(documented)).body
    assert isinstance(definition, ast.ClassDef)
    return {
        field.target.id: _markdown(words.value.value)
        for field, words in pairwise(definition.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(words, ast.Expr)
        and isinstance(words.value, ast.Constant)
        and isinstance(words.value.value, str)
    }


def _markdown(text: str) -> str:
    """Write a docstring's words in one line of Markdown a paragraph."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(p.split()) for p in paragraphs).replace("``", "`")
