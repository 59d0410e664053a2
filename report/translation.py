"""Sections -> one typst document.

Pandoc translates prose and formulas. On its document tree the numbers of figures and tables, the
links between notebooks and the widths of tables are settled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

import pypandoc

from report.notebook import Figure, Part, Prose, ReportError, Section, Table
from report.numbering import heading_label, number_parts
from report.tree import Node, raw_block, raw_inline, rows, set_columns, stringify, walk
from report.widths import PORTRAIT_PT, fit

# GitHub's markdown, as JupyterLab reads it, and the divs that tell where each part begins.
MARKDOWN = "gfm+fenced_divs+tex_math_dollars+smart-superscript-subscript-yaml_metadata_block-emoji"
SECTION_NUMBER = re.compile(r"\d+(\.\d+)*")
FENCE = ":" * 12
PT_PER_PX = 0.75
# A longer table may begin on one page and end on the next.
MAX_WHOLE_ROWS = 24


def translate(sections: Sequence[Section]) -> str:
    """Translate sections, whose figures are drawn, to typst for the template.

    Raises
    ------
    ReportError
        A part would be lost or damaged: HTML, a formula pandoc cannot read, a heading outside its
        notebook's number, a link to nothing.
    """
    numbers = number_parts(sections)
    notebooks = {section.path.name for section in sections}
    translations = [_Translation(section, numbers, notebooks) for section in sections]
    text = "\n\n".join(translation.typst() for translation in translations)
    labels = set(numbers).union(*(translation.labels for translation in translations))
    for translation in translations:
        translation.check_links(labels)
    return text


def to_markdown(section: Section) -> str:
    """One markdown document of all parts, each in a div that carries its cell's number."""
    return "\n\n".join(_fenced(part) for part in section.parts)


def _fenced(part: Part) -> str:
    match part:
        case Prose(cell=cell, markdown=markdown):
            head, body = f".prose cell={cell}", markdown
        case Figure(cell=cell, name=name, caption=caption):
            head, body = f"#{name} .figure cell={cell}", caption
        case Table(cell=cell, name=name, caption=caption, markdown=markdown):
            head, body = f"#{name} .table cell={cell}", f"{caption}\n\n{markdown}"
    return f"{FENCE} {{{head}}}\n{body}\n\n{FENCE}"


class _Translation:
    """The translation of one section; `cell` is where it has got to, for error messages."""

    def __init__(self, section: Section, numbers: dict[str, str], notebooks: set[str]) -> None:
        self.section = section
        self.numbers = numbers
        self.notebooks = notebooks
        self.widths_pt = {figure.name: svg_width_pt(figure.svg) for figure in section.figures()}
        self.cell: int | None = None
        self.labels: set[str] = set()
        self.links: list[tuple[int | None, str]] = []

    def typst(self) -> str:
        document = json.loads(pypandoc.convert_text(to_markdown(self.section), "json", MARKDOWN))
        parts = [(self._part(div), self.cell) for div in document["blocks"]]
        self.cell = None
        if heading_label(self.section.path.name, "") not in self.labels:
            raise self._fail(f"has no title: begin with '# {self.section.number} ...'")
        try:
            return _write(
                {**document, "blocks": [block for blocks, _ in parts for block in blocks]}
            )
        except RuntimeError:
            for blocks, self.cell in parts:
                self._write_part({**document, "blocks": blocks})
            raise

    def _write_part(self, document: Node) -> None:
        try:
            _write(document)
        except RuntimeError as exc:
            raise self._fail(f"cannot be typeset: {exc}") from exc

    def check_links(self, labels: set[str]) -> None:
        """Check that all links of this section point to one of the report's labels."""
        for cell, label in self.links:
            if label not in labels:
                self.cell = cell
                raise self._fail(f"links to {label.split(':')[-1]}, which is not in the report")

    def _fail(self, message: str) -> ReportError:
        return ReportError(self.section.path, self.cell, message)

    def _part(self, div: Node) -> list[Node]:
        (name, classes, attributes), blocks = div["c"]
        self.cell = int(dict(attributes)["cell"])
        self._check(blocks)
        for node in walk(blocks):
            if node["t"] == "Link":
                self._link(node)
        match classes:
            case ["figure"]:
                return self._figure(name, blocks)
            case ["table"]:
                return self._table(name, blocks)
            case _:
                return [new for block in blocks for new in self._prose(block)]

    def _check(self, blocks: list[Node]) -> None:
        """Refuse what would be left out of the report without a word."""
        for node in walk(blocks):
            if node["t"] in ("RawBlock", "RawInline") and not node["c"][1].startswith("<!--"):
                raise self._fail(f"holds HTML, write it as markdown: {node['c'][1].strip()[:60]}")
            if node["t"] == "Str" and node["c"].startswith("\\begin{"):
                raise self._fail(f"put the formula between $$ and $$: {node['c']}")
            if node["t"] == "Image":
                raise self._fail("holds an image without a number: show it by present.drawing")

    def _link(self, node: Node) -> None:
        """Point a link at where its figure, table, heading or notebook is in the report."""
        attributes, text, (url, title) = node["c"]
        path, _, anchor = unquote(url).partition("#")
        notebook = PurePosixPath(path).name or self.section.path.name
        if "://" in url or url.startswith("mailto:"):
            return
        if anchor in self.numbers:
            number = self.numbers[anchor]
            if stringify(text) == number.split()[0]:
                text = [{"t": "Str", "c": number.replace(" ", "\N{NO-BREAK SPACE}")}]
            label = anchor
        elif notebook in self.notebooks:
            label = heading_label(notebook, anchor)
        else:  # to a file that is not in the report
            node.update(t="Span", c=[attributes, text])
            return
        self.links.append((self.cell, label))
        node["c"] = [attributes, text, [f"#{label}", title]]

    def _prose(self, block: Node) -> list[Node]:
        if block["t"] == "Header":
            return [self._header(block)]
        if block["t"] == "Table":
            size, landscape = self._fit(block)
            return _turned([raw_block(f"#text({size})["), block, raw_block("]")], landscape)
        return [block]

    def _header(self, block: Node) -> Node:
        level, (_, classes, attributes), text = block["c"]
        words = stringify(text)
        number = text[0]["c"].rstrip(".") if text and text[0]["t"] == "Str" else ""
        own = str(self.section.number)
        label = heading_label(self.section.path.name, "" if level == 1 else words)
        if level == 1 and (number != own or label in self.labels):
            raise self._fail(f"the one title of this notebook is '# {own} ...', got '# {words}'")
        if SECTION_NUMBER.fullmatch(number):
            if number != own and not number.startswith(f"{own}."):
                raise self._fail(f"heading '{words}' is not numbered within section {own}")
            text = [{"t": "Str", "c": number}, raw_inline("#h(0.7em)"), *text[2:]]
        self.labels.add(label)
        return {"t": "Header", "c": [level, [label, classes, attributes], text]}

    def _figure(self, name: str, caption: list[Node]) -> list[Node]:
        size = f"{self.widths_pt[name]:.1f}pt"
        spoken = json.dumps(stringify(caption), ensure_ascii=False)
        call = f'#lab-figure("{name}.svg", "{self.numbers[name]}", {size}, {spoken})['
        return [raw_block(call), *caption, raw_block(f"] <{name}>")]

    def _table(self, name: str, blocks: list[Node]) -> list[Node]:
        *caption, table = blocks
        if table["t"] != "Table":
            raise self._fail(f"table {name} is not a markdown table")
        size, landscape = self._fit(table)
        breakable = "true" if len(rows(table)) > MAX_WHOLE_ROWS else "false"
        call = f'#lab-table("{self.numbers[name]}", {size}, breakable: {breakable})['
        body = [raw_block(call), *caption, raw_block("]["), table, raw_block(f"] <{name}>")]
        return _turned(body, landscape)

    def _fit(self, table: Node) -> tuple[str, bool]:
        layout = fit(rows(table))
        if layout is None:
            raise self._fail("holds a table too wide for a page: show fewer columns, or two tables")
        set_columns(table, layout.shares)
        return f"size: {layout.size_pt}pt", layout.landscape


def _write(document: Node) -> str:
    typst: str = pypandoc.convert_text(
        json.dumps(document), "typst", "json", extra_args=["--fail-if-warnings"]
    )
    return typst


def _turned(blocks: list[Node], landscape: bool) -> list[Node]:
    return [raw_block("#lab-landscape["), *blocks, raw_block("]")] if landscape else blocks


def svg_width_pt(svg: str | None) -> float:
    """Return the width of a drawing at its natural size (96 CSS pixels to the inch)."""
    match = re.search(r'<svg\b[^>]*?\bwidth="([\d.]+)(?:px)?"', svg or "")
    return PT_PER_PX * float(match[1]) if match else PORTRAIT_PT
