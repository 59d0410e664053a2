"""What a section file may hold: its tables and keys, and every setting of a run."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any, get_type_hints

from manual.docstrings import attributes_of, field_docstrings, summary_of
from manual.markdown import page, quoted, table
from records import section as document
from records.documents import Document, rule_of
from records.settings import OF_QUEUES, RULES, SETTINGS, Settings

HEADINGS = ["key", "must be", "default", "meaning"]
TABLES: dict[str, type[Document]] = {
    "The file": document.LoadFile,
    "A profile": document.LoadProfile,
    "`[precision]`": document.PrecisionTable,
    "A pause": document.PauseTable,
    "A network's file": document.NetworkFile,
    "A network's profile": document.NetworkProfile,
}
_OF_SETTINGS = (
    "Each is given once: as a factor, a list of levels in `[factors]` (or in a part); as a "
    "constant in the table named here; or by what follows from another factor. In `[hosts]` the "
    "constants are `middlewares`, `servers` and `databases`, without `num_`. Those that are no "
    "factor are constants only. Factors are columns of all tidy tables, under these names. The "
    "option is that of the program after which the table is named, with `{}` for the level."
)


def write() -> str:
    """Write the page."""
    parts: list[str] = ["How they are used: [writing a section](../sections.md)."]
    for title, kind in TABLES.items():
        parts += [f"## {title}", summary_of(kind), table(HEADINGS, _keys(kind))]
    caches = [name for name in SETTINGS if name not in OF_QUEUES]
    queues = [name for name in SETTINGS if name in OF_QUEUES]
    parts += ["## Settings", _OF_SETTINGS, _settings(caches)]
    parts += ["## Settings of message queues", _settings(queues)]
    return page("Section files", *parts)


def _keys(kind: type[Document]) -> Iterable[tuple[str, ...]]:
    hints, words = get_type_hints(kind, include_extras=True), attributes_of(kind)
    for name, field in kind.model_fields.items():
        default = "needed" if field.is_required() else quoted(_text(field.default))
        yield quoted(name), rule_of(hints[name]), default, words[name]


def _settings(names: Iterable[str]) -> str:
    words = field_docstrings(Settings)
    defaults = {field.name: field.default for field in dataclasses.fields(Settings)}
    rows = [
        (
            quoted(name),
            quoted(SETTINGS[name].table),
            "yes" if SETTINGS[name].varies else "",
            rule_of(RULES[name]),
            quoted(_text(defaults[name])),
            quoted(SETTINGS[name].option),
            words[name],
        )
        for name in names
    ]
    return table(["setting", "constant in", "factor", *HEADINGS[1:3], "option", "meaning"], rows)


def _text(default: Any) -> str:
    """Write a default as TOML has it; nothing where there is none."""
    without = default is None or default is dataclasses.MISSING or default in ({}, [])
    return "" if without else json.dumps(default)
