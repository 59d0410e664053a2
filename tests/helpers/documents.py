"""Documents in Markdown: their blocks of code, commands, links and headings."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from records.paths import PROJECT

_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+).+?\1")
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#+ (?P<text>.+)$", re.MULTILINE)
_FOLDERS = ("docs", "examples", "middleware-kotlin/bench", "data")


def pages() -> list[Path]:
    """Every document of the project."""
    below = [path for folder in _FOLDERS for path in (PROJECT / folder).glob("**/*.md")]
    return sorted([*PROJECT.glob("*.md"), *(PROJECT / "middleware-kotlin").glob("*.md"), *below])


def guides() -> list[Path]:
    """Documents whose commands are those of now; decisions tell of their day."""
    docs = PROJECT / "docs"
    rest = [path for path in docs.glob("**/*.md") if path.parent != docs / "decisions"]
    return sorted([PROJECT / "README.md", *rest])


def notebooks() -> list[Path]:
    return sorted((PROJECT / "notebooks").glob("*.ipynb"))


def text_of(path: Path) -> str:
    """A document, or what a notebook says beside its code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return _cells(text, "markdown")


def code_of(notebook: Path) -> str:
    return _cells(notebook.read_text(encoding="utf-8"), "code")


def blocks(text: str, *languages: str) -> list[str]:
    return [found["text"] for found in _BLOCK.finditer(text) if found["language"] in languages]


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command in blocks of `sh` and, behind a `$`, of `console`."""
    typed = [
        line.removeprefix("$ ")
        for block in blocks(text, "console")
        for line in block.splitlines()
        if line.startswith("$ ")
    ]
    lines = "\n".join([*blocks(text, "sh"), *typed]).replace("\\\n", " ").splitlines()
    for words in (shlex.split(line, comments=True) for line in lines):
        if words:
            yield [words[0].removeprefix(".venv/bin/"), *words[1:]]


def spans(text: str, first: str) -> list[list[str]]:
    """The words of what stands in sentences as code and begins with a word."""
    return [span.split() for span in re.findall(rf"`({first} [^`]+)`", _BLOCK.sub("", text))]


def links(text: str) -> list[str]:
    """Where links and images lead, but for those into the Internet."""
    found = _LINK.finditer(_CODE.sub("", _BLOCK.sub("", text)))
    return [link["target"] for link in found if not re.match(r"\w+:", link["target"])]


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to headings."""
    headings = [found["text"] for found in _HEADING.finditer(_BLOCK.sub("", text))]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _cells(notebook: str, kind: str) -> str:
    cells = [cell for cell in json.loads(notebook)["cells"] if cell["cell_type"] == kind]
    return "\n\n".join("".join(cell["source"]) for cell in cells)
