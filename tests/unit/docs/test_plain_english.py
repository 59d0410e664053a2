"""Expressions that readers have to decode are not used; each has what to write instead."""

import ast
import json
import re
import subprocess

import pytest

from analysis.chapters.claims import CHAPTERS
from records.paths import PROJECT

INSTEAD = {
    r"\bcut(ting)? up\b": "sharded",
    r"\blone set\b": "a set at the smallest load",
    r"\bfrom near\b": "in detail",
    r"\bworkers that do not wait\b": "pipelined workers",
    r"\bsays? of\b": "states about",
    r"\btold (its )?demands\b": "demands were fitted to",
    r"\bas (it|they) (was|were) told\b": "as configured",
    r"\bbrings? (gets|sets|no sets|no gets)\b": "raises read (write) throughput",
    r"\b(give|do) the (gets|sets)\b": "reach the read (write) throughput",
}
LEFT = ("CHANGELOG.md", "docs/decisions/")  # what was written then


def _files(pattern):
    listed = subprocess.run(
        ["git", "ls-files", pattern], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    return [PROJECT / name for name in listed.stdout.split() if not name.startswith(LEFT)]


def _docstrings(path):
    tree = ast.parse(path.read_text())
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    return "\n".join(filter(None, map(ast.get_docstring, nodes)))


def _prose(path):
    cells = json.loads(path.read_text())["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


TEXTS = {
    "Markdown": lambda: {path: path.read_text() for path in _files("*.md")},
    "notebooks": lambda: {path: _prose(path) for path in _files("notebooks/*.ipynb")},
    "docstrings": lambda: {
        path: _docstrings(path)
        for path in _files("*.py")
        if path.relative_to(PROJECT).parts[0] != "tests"
    },
    "claims": lambda: {
        claim.id: claim.statement for chapter in CHAPTERS.values() for claim in chapter.claims
    },
}


@pytest.mark.parametrize("kind", TEXTS)
def test_nothing_has_to_be_decoded(kind):
    found = [
        f"{where}: {match[0]!r}; write: {instead}"
        for where, text in TEXTS[kind]().items()
        for pattern, instead in INSTEAD.items()
        for match in re.finditer(pattern, re.sub(r"\s+", " ", text), re.IGNORECASE)
    ]
    assert found == []


def test_good_english_is_accepted():
    text = (
        "Sharding lowers the response time by 30 %. The middleware states its capacity. A worker "
        "waits for a reply; a tenth of a second passes. Cut the wire."
    )
    assert [pattern for pattern in INSTEAD if re.search(pattern, text, re.IGNORECASE)] == []
