"""Sections -> pandoc's document trees, with what both formats of the report share.

Pandoc parses prose and formulas. On its tree the numbers of figures and tables and the links
between notebooks are settled, and what would be lost is refused. How a part looks is up to the
format.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

import pypandoc

from report.contents.notebook import Figure, Part, Prose, ReportError, Section, Table
from report.contents.numbering import heading_label, number_parts
from report.formats.tree import Node, rows, stringify, walk

# GitHub's markdown, as JupyterLab reads it, and the divs that tell where each part begins.
MARKDOWN = "gfm+fenced_divs+tex_math_dollars+smart-superscript-subscript-yaml_metadata_block-emoji"
SECTION_NUMBER = re.compile(r"(\d+|[A-Z])(\.\d+)*")
COMMENT = re.compile(r"<!--(?:(?!-->).)*-->\s*", re.DOTALL)
FENCE = ":" * 12
LEADING_OUT = ("http://", "https://", "mailto:")  # no other link does anything


def to_markdown(section: Section) -> str:
    """One markdown document of all parts, each in a div that carries its cell's number."""
    return "\n\n".join(_fenced(part) for part in section.parts)


def _fenced(part: Part) -> str:
    match part:
        case Prose(cell=cell, markdown=markdown, of_data=of_data):
            head, body = f".prose cell={cell}{' data=1' * of_data}", markdown
        case Figure(cell=cell, name=name, caption=caption):
            head, body = f"#{name} .figure cell={cell}", caption
        case Table(cell=cell, name=name, caption=caption, markdown=markdown):
            head, body = f"#{name} .table cell={cell}", f"{caption}\n\n{markdown}"
    return f"{FENCE} {{{head}}}\n{body}\n\n{FENCE}"


class Translation(ABC):
    """The translation of one section; `cell` is where it has got to, for error messages.

    `headings` are the labels of its headings with level and text, `captions` the names of its
    figures and tables with their plain text, in their order; `cells` are the texts of each table.
    """

    def __init__(self, section: Section, numbers: Mapping[str, str]) -> None:
        self.section = section
        self.numbers = numbers
        self.cell: int | None = None
        self.figures = {figure.name: figure for figure in section.figures()}
        self.tables = {part.name: part for part in section.parts if isinstance(part, Table)}
        self.cells: dict[str, list[list[str]]] = {}
        self.headings: dict[str, tuple[int, str]] = {}
        self.captions: dict[str, str] = {}
        self.document: Node = json.loads(
            pypandoc.convert_text(to_markdown(section), "json", MARKDOWN)
        )
        for div in self._parts():
            (name, classes, _), blocks = div["c"]
            for block in blocks:
                if block["t"] == "Header":
                    self._enter(block)
            if classes != ["prose"]:
                self.captions[name] = stringify([b for b in blocks if b["t"] != "Table"])
            if classes == ["table"] and blocks[-1]["t"] == "Table":
                self.cells[name] = rows(blocks[-1])
        self.cell = None
        if heading_label(section.path.name, "") not in self.headings:
            raise self.fail(f"has no title: begin with '# {section.number} ...'")

    def text(self, pages: Mapping[str, str], notebooks: Mapping[str, Section]) -> str:
        """Translate.

        Parameters
        ----------
        pages : mapping
            Label of every heading, figure and table of the report to the page that holds it.
        notebooks : mapping
            File name to section, of the whole report.
        """
        translated = [(self._part(div, pages, notebooks), self.cell) for div in self._parts()]
        self.cell = None
        try:
            return self.write(
                {**self.document, "blocks": [block for blocks, _ in translated for block in blocks]}
            )
        except RuntimeError:
            for blocks, self.cell in translated:
                self._write_part({**self.document, "blocks": blocks})
            raise

    @abstractmethod
    def header(self, level: int, label: str, number: str, title: list[Node]) -> Node:
        """Return a heading; `number` is empty for one without."""

    @abstractmethod
    def figure(self, figure: Figure, number: str, caption: list[Node]) -> list[Node]:
        """Return a figure with its number and caption."""

    @abstractmethod
    def table(self, name: str, number: str, caption: list[Node], table: Node) -> list[Node]:
        """Return a table with its number and caption."""

    @abstractmethod
    def plain_table(self, table: Node) -> list[Node]:
        """Return a table of the prose."""

    @abstractmethod
    def target(self, label: str, page: str) -> str:
        """Return the address of a label that is on `page`."""

    @abstractmethod
    def write(self, document: Node) -> str:
        """Write pandoc's tree in the format."""

    def fail(self, message: str) -> ReportError:
        """Return an error that names notebook and cell."""
        return ReportError(self.section.path, self.cell, message)

    def _parts(self) -> Iterator[Node]:
        for div in self.document["blocks"]:
            self.cell = int(dict(div["c"][0][2])["cell"])
            yield div

    def _write_part(self, document: Node) -> None:
        try:
            self.write(document)
        except RuntimeError as exc:
            raise self.fail(f"cannot be typeset: {exc}") from exc

    def _part(
        self, div: Node, pages: Mapping[str, str], notebooks: Mapping[str, Section]
    ) -> list[Node]:
        (name, classes, attributes), blocks = div["c"]
        # What hosts may have written, and no author.
        of_data = classes == ["table"] or "data" in dict(attributes)
        self._check(blocks, of_data=of_data)
        for node in walk(blocks):
            if node["t"] == "Link":
                self._link(node, pages, notebooks, of_data=of_data)
        match classes:
            case ["figure"]:
                return self.figure(self.figures[name], self.numbers[name], blocks)
            case ["table"]:
                *caption, table = blocks
                if table["t"] != "Table":
                    raise self.fail(f"table {name} is not a markdown table")
                return self.table(name, self.numbers[name], caption, table)
            case _:
                return [new for block in blocks for new in self._prose(block)]

    def _check(self, blocks: list[Node], *, of_data: bool) -> None:
        """Refuse what would be left out of the report without a word."""
        for node in walk(blocks):
            if node["t"] in ("RawBlock", "RawInline") and not COMMENT.fullmatch(node["c"][1]):
                raise self.fail(f"holds HTML, write it as markdown: {node['c'][1].strip()[:60]}")
            formula = node["t"] == "Str" and node["c"].startswith("\\begin{")
            if formula and not of_data:
                raise self.fail(f"put the formula between $$ and $$: {node['c']}")
            if node["t"] == "Image":
                raise self.fail("holds an image without a number: show it by present.drawing")

    def _link(
        self,
        node: Node,
        pages: Mapping[str, str],
        notebooks: Mapping[str, Section],
        *,
        of_data: bool,
    ) -> None:
        """Point a link at where its figure, table, heading or notebook is in the report.

        One `of_data` may lead nowhere.
        """
        attributes, text, (url, title) = node["c"]
        path, _, anchor = unquote(url).partition("#")
        notebook = PurePosixPath(path).name or self.section.path.name
        if url.startswith(LEADING_OUT):
            return
        if anchor in self.numbers:
            number = self.numbers[anchor]
            if stringify(text) == number.split()[0]:
                text = [{"t": "Str", "c": number.replace(" ", "\N{NO-BREAK SPACE}")}]
            label = anchor
        elif notebook in notebooks:
            label = heading_label(notebook, anchor)
        else:  # to a file that is not in the report
            node.update(t="Span", c=[attributes, text])
            return
        if label in pages:
            node["c"] = [attributes, text, [self.target(label, pages[label]), title]]
        elif not of_data and all(section.complete for section in notebooks.values()):
            raise self.fail(f"links to {label.split(':')[-1]}, which is not in the report")
        else:  # to something that was not measured
            node.update(t="Span", c=[attributes, text])

    def _prose(self, block: Node) -> list[Node]:
        if block["t"] == "Header":
            return [self._header(block)]
        return self.plain_table(block) if block["t"] == "Table" else [block]

    def _label(self, block: Node) -> str:
        level, _, text = block["c"]
        return heading_label(self.section.path.name, "" if level == 1 else stringify(text))

    def _number(self, block: Node) -> str:
        """Return the number that a heading carries, if it is one of a section."""
        text = block["c"][2]
        number = text[0]["c"].rstrip(".") if text and text[0]["t"] == "Str" else ""
        lettered = number[:1].isalpha() and number[:1] != str(self.section.number)
        return number if SECTION_NUMBER.fullmatch(number) and not lettered else ""

    def _enter(self, block: Node) -> None:
        """Check a heading's number and keep its label."""
        level, words, own = block["c"][0], stringify(block["c"][2]), str(self.section.number)
        number, label = self._number(block), self._label(block)
        if level == 1 and (number != own or label in self.headings):
            raise self.fail(f"the one title of this notebook is '# {own} ...', got '# {words}'")
        if number and number != own and not number.startswith(f"{own}."):
            raise self.fail(f"heading '{words}' is not numbered within section {own}")
        self.headings[label] = (level, words)

    def _header(self, block: Node) -> Node:
        number, text = self._number(block), block["c"][2]
        return self.header(block["c"][0], self._label(block), number, text[2:] if number else text)


def translate_with(kind: type[Translation], sections: Sequence[Section]) -> list[Translation]:
    """Parse the sections, numbered together."""
    numbers = number_parts(sections)
    return [kind(section, numbers) for section in sections]


def texts(translations: Sequence[Translation]) -> list[str]:
    """Translate sections that were parsed together, one text each."""
    notebooks = {t.section.path.name: t.section for t in translations}
    pages = {label: t.section.page for t in translations for label in (*t.headings, *t.captions)}
    return [translation.text(pages, notebooks) for translation in translations]
