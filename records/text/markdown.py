"""Text of others in Markdown: shown as it is, so that it begins neither HTML nor a link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from records.text.visible import visible

# As CommonMark pairs them: a run of backticks ends at the next run that is as long.
_CODE = r"(?<!`)(?P<run>`+)(?!`).+?(?<!`)(?P=run)(?!`)"
# HTML, a formula, the end of a cell, an image, a link that leads out, and what would escape these.
_OPENS = r"[\\$<|]|!(?=\[)|\](?=\((?!#))"
_CODE_OR_OPENS = re.compile(f"{_CODE}|{_OPENS}")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


def escape_cell(text: str) -> str:
    """Write the text of a table's cell, in which code and links within the report are meant so.

    It neither ends the cell nor begins HTML, a formula, an image or a link that leads out. Within
    code only bars are escaped: nothing else begins there, and a backslash would be shown.
    """
    return _CODE_OR_OPENS.sub(_escaped, _line(text))


def escape_all(text: str) -> str:
    """Write a text in which nothing is Markdown, such as an error's."""
    return _PUNCTUATION.sub(r"\\\g<0>", _line(text))


def code_block(text: str) -> str:
    """Write a text as a block of code, however many backticks it holds."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{visible(text)}\n{fence}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table of cells that are Markdown already, such as links and what `escape_cell` made.

    Parameters
    ----------
    rows : as many cells each as there are headings.
    """
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _line(text: str) -> str:
    return visible(text).replace("\n", " ")


def _escaped(found: re.Match[str]) -> str:
    text = found[0]
    if found["run"] is None:
        return f"\\{text}"
    if "\\" in text and "|" in text:  # which of the two a backslash belongs to is not agreed upon
        return re.sub(f"{_OPENS}|`", r"\\\g<0>", text)
    return text.replace("|", r"\|")
