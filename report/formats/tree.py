"""The few operations on pandoc's JSON document tree that the report needs."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Collection, Iterator
from typing import Any

Node = dict[str, Any]


def walk(tree: Any) -> Iterator[Node]:
    """Yield every node ({"t": type, "c": content}) of a tree, parents first."""
    if isinstance(tree, list):
        for child in tree:
            yield from walk(child)
    elif isinstance(tree, dict):
        if "t" in tree:
            yield tree
        yield from walk(list(tree.values()))


def stringify(tree: Any) -> str:
    """Return the plain text of a tree."""
    return "".join(_text(node) for node in walk(tree))


def _text(node: Node) -> str:
    match node["t"]:
        case "Str":
            text: str = node["c"]
            return text
        case "Code" | "Math":
            code: str = node["c"][1]
            return code
        case "Space" | "SoftBreak" | "LineBreak":
            return " "
        case _:
            return ""


def rows(table: Node) -> list[list[str]]:
    """Return the text of each cell of a table, headings first."""
    _, _, _, (_, head), bodies, _ = table["c"]
    lines = [*head, *(line for body in bodies for line in body[3])]
    return [[stringify(cell[4]) for cell in cells] for _, cells in lines]


def keep_rows(table: Node, kept: Collection[int]) -> None:
    """Leave out the rows of a table's body whose numbers, from 0, are not among those kept."""
    numbers = itertools.count()
    for body in table["c"][4]:
        body[3] = [line for line in body[3] if next(numbers) in kept]


def fold(table: Node) -> None:
    """Put the second half of a table's rows beside the first, under the same headings."""
    _, _, columns, (_, head), bodies, _ = table["c"]
    for line in head:
        line[1] += copy.deepcopy(line[1])
    columns += copy.deepcopy(columns)
    for body in bodies:
        half = -(-len(body[3]) // 2)
        for left, right in itertools.zip_longest(body[3][:half], body[3][half:]):
            empty = [[["", [], []], {"t": "AlignDefault"}, 1, 1, []] for _ in left[1]]
            left[1] += right[1] if right else empty
        del body[3][half:]


def break_words(tree: Any, longest: int) -> None:
    """Let words that are longer than so many characters go on in the next line."""
    for node in walk(tree):
        if node["t"] == "Str":
            node["c"] = re.sub(rf"(.{{{longest}}})(?=.)", "\\1\u200b", node["c"])


def set_columns(table: Node, shares: tuple[float, ...]) -> None:
    """Give each column of a table its share of the text width (if any), and an alignment."""
    columns = table["c"][2]
    for column in columns:
        if column[0]["t"] == "AlignDefault":
            column[0] = {"t": "AlignLeft"}
    if shares:
        for column, share in zip(columns, shares, strict=True):
            column[1] = {"t": "ColWidth", "c": share}


def raw_block(text: str, language: str = "typst") -> Node:
    """Make a block of typst or HTML that pandoc passes through."""
    return {"t": "RawBlock", "c": [language, text]}


def raw_inline(text: str, language: str = "typst") -> Node:
    """Make inline typst or HTML that pandoc passes through."""
    return {"t": "RawInline", "c": [language, text]}


def inlines(blocks: list[Node]) -> list[Node]:
    """Return the content of paragraphs as one run of text."""
    joined: list[Node] = []
    for block in blocks:
        if joined:
            joined.append({"t": "Space"})
        joined += block["c"]
    return joined
