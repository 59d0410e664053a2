"""Sections -> one typst document."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pypandoc

from report.contents.notebook import Figure, Section
from report.formats.translation import Translation, texts, translate_with
from report.formats.tree import (
    Node,
    break_words,
    fold,
    keep_rows,
    raw_block,
    raw_inline,
    rows,
    set_columns,
    stringify,
)
from report.formats.widths import WIDTH_PT, fit

PT_PER_PX = 0.75
# A longer table may begin on one page and end on the next; the longest have their rows set closer.
MAX_WHOLE_ROWS = 16
MANY_ROWS = 40
MOST_ROWS = 12  # of a table in a chapter
MOST_UNFOLDED_ROWS = 8  # of a table of two columns, such as a configuration's
LONGEST_WORD = 12  # of tables that would be too wide


def translate(sections: Sequence[Section]) -> str:
    """Translate sections, whose figures are drawn, to typst for the template.

    Raises
    ------
    ReportError
        A part would be lost or damaged: HTML, a formula pandoc cannot read, a heading outside its
        notebook's number, a link to nothing, a table too wide for a page.
    """
    return "\n\n".join(texts(translate_with(TypstTranslation, sections)))


class TypstTranslation(Translation):
    """Calls the functions of `report.typ`; a label of typst is a label of ours."""

    def header(self, level: int, label: str, number: str, title: list[Node]) -> Node:
        """Give typst a labelled heading; the contents list those with a number."""
        if number:
            title = [{"t": "Str", "c": number}, raw_inline("#h(0.7em)"), *title]
            return {"t": "Header", "c": [level, [label, [], []], title]}
        begin = f"#heading(level: {level}, outlined: false, bookmarked: true)["
        end = f"] #label({json.dumps(label)})"
        return {"t": "Para", "c": [raw_inline(begin), *title, raw_inline(end)]}

    def figure(self, figure: Figure, number: str, caption: list[Node]) -> list[Node]:
        """Call `lab-figure`."""
        arguments = [f"{figure.name}.svg", number, stringify(caption), figure.footnote]
        path, label, spoken, footnote = (json.dumps(a, ensure_ascii=False) for a in arguments)
        width = f"{svg_width_pt(figure.svg):.1f}pt"
        call = f"#lab-figure({path}, {label}, {width}, {spoken}, footnote: {footnote})["
        return [raw_block(call), *caption, raw_block(f"] <{figure.name}>")]

    def table(self, name: str, number: str, caption: list[Node], table: Node) -> list[Node]:
        """Call `lab-table`."""
        if len(self.cells[name][0]) == 2 and len(self.cells[name]) > MOST_UNFOLDED_ROWS:
            fold(table)
        else:
            self._shorten(name, caption, table)
        length = len(rows(table))
        breakable, tight = (json.dumps(length > most) for most in (MAX_WHOLE_ROWS, MANY_ROWS))
        options = f"{self._fit(table)}, breakable: {breakable}, tight: {tight}"
        call = f'#lab-table("{number}", {options})['
        return [raw_block(call), *caption, raw_block("]["), table, raw_block(f"] <{name}>")]

    def _shorten(self, name: str, caption: list[Node], table: Node) -> None:
        """Keep the rows of a chapter's table that are meant for paper, and say so."""
        all_rows = len(self.cells[name]) - 1
        kept = (self.tables[name].printed or range(all_rows))[:MOST_ROWS]
        if isinstance(self.section.number, int) and any(row not in kept for row in range(all_rows)):
            keep_rows(table, kept)
            told = f" {len(rows(table)) - 1} of {all_rows} rows; the HTML report shows all."
            caption[-1]["c"].append({"t": "Str", "c": told})

    def plain_table(self, table: Node) -> list[Node]:
        """Set a table of the prose as large as it fits."""
        return [raw_block(f"#text({self._fit(table)})["), table, raw_block("]")]

    def target(self, label: str, page: str) -> str:
        """Return a link to a label, wherever it is."""
        return f"#{label}"

    def write(self, document: Node) -> str:
        """Have pandoc write typst."""
        typst: str = pypandoc.convert_text(
            json.dumps(document), "typst", "json", extra_args=["--fail-if-warnings"]
        )
        return typst

    def _fit(self, table: Node) -> str:
        layout = fit(rows(table))
        if layout is None:  # hosts may say words without end
            break_words(table, LONGEST_WORD)
            layout = fit(rows(table))
        if layout is None:
            raise self.fail("holds a table too wide for a page: show fewer columns, or two tables")
        set_columns(table, layout.shares)
        return f"size: {layout.size_pt}pt"


def svg_width_pt(svg: str | None) -> float:
    """Return the width of a drawing at its natural size (96 CSS pixels to the inch)."""
    match = re.search(r'<svg\b[^>]*?\bwidth="([\d.]+)(?:px)?"', svg or "")
    return PT_PER_PX * float(match[1]) if match else WIDTH_PT
