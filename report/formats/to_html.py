"""Sections -> the bodies of HTML pages: formulas as MathML, figures drawn by plotly.js.

Each figure carries its plotly JSON in the page, so that nothing is fetched, and its drawing for
readers without JavaScript.
"""

from __future__ import annotations

import json
import re
from html import escape

import pypandoc

from analysis.figures.present import static_size
from report.contents.notebook import Figure
from report.formats.translation import Translation
from report.formats.tree import Node, inlines, raw_block, raw_inline, set_columns, stringify

DRAWINGS = "figures"  # folder of the drawings, beside the pages


class HtmlTranslation(Translation):
    """Writes accessible HTML; labels are the elements' ids."""

    def header(self, level: int, label: str, number: str, title: list[Node]) -> Node:
        """Give a heading its id."""
        if number:
            title = [_tagged('<span class="number">', number, "</span> "), *title]
        return {"t": "Header", "c": [level, [label, [], []], title]}

    def figure(self, figure: Figure, number: str, caption: list[Node]) -> list[Node]:
        """Draw a figure where JavaScript runs, show its drawing where it does not."""
        drawing = f"{DRAWINGS}/{figure.name}.svg"
        files = [("SVG", drawing)]
        spoken = escape(f"{number}. {stringify(caption)}")
        image = f'<img src="{drawing}" alt="{spoken}">'
        if figure.spec is None:
            shown = image
        else:
            files.append(("CSV", f"{DRAWINGS}/{figure.name}.csv"))
            height = static_size(figure.spec)[1]
            shown = (
                f'<div class="plot" role="img" aria-label="{spoken}" data-drawing="{drawing}" '
                f'style="height: {height}px"></div>'
                f'<script type="application/json" class="spec">{_in_script(figure.spec)}</script>'
                f"<noscript>{image}</noscript>"
            )
        links = " ".join(
            f'<a href="{path}" download aria-label="{number} as {kind}">{kind}</a>'
            for kind, path in files
        )
        note = f"{escape(figure.footnote)} " if figure.footnote else ""
        end = f'<small class="source">{note}{links}</small></figcaption></figure>'
        return [
            raw_block(f'<figure id="{figure.name}">{shown}<figcaption>', "html"),
            _captioned(number, caption),
            raw_block(end, "html"),
        ]

    def table(self, name: str, number: str, caption: list[Node], table: Node) -> list[Node]:
        """Give a table its caption; a wide one can be scrolled."""
        set_columns(table, ())
        link = f'<a href="{DRAWINGS}/{name}.csv" download aria-label="{number} as CSV">CSV</a>'
        captioned = _captioned(number, caption)
        captioned["c"] += [{"t": "Space"}, raw_inline(f"<small>{link}</small>", "html")]
        table["c"][1] = [None, [captioned]]
        table["c"][0] = [name, [], []]
        return self._scrolled(table, number)

    def plain_table(self, table: Node) -> list[Node]:
        """Let a table of the prose be scrolled."""
        set_columns(table, ())
        return self._scrolled(table, "Table")

    def target(self, label: str, page: str) -> str:
        """Return a link within the page or to another page."""
        return f"{'' if page == self.section.page else page}#{label}"

    def write(self, document: Node) -> str:
        """Have pandoc write HTML; the heads of columns say that they are."""
        text: str = pypandoc.convert_text(
            json.dumps(document),
            "html5",
            "json",
            extra_args=["--mathml", "--wrap=none", "--fail-if-warnings"],
        )
        return re.sub(r"<th(?=[ >])", '<th scope="col"', text)

    def _scrolled(self, table: Node, name: str) -> list[Node]:
        head = f'<div class="scroll" role="region" tabindex="0" aria-label="{name}">'
        return [raw_block(head, "html"), table, raw_block("</div>", "html")]


def _captioned(number: str, caption: list[Node]) -> Node:
    return {"t": "Plain", "c": [_tagged("<strong>", f"{number}.", "</strong> "), *inlines(caption)]}


def _tagged(start: str, text: str, end: str) -> Node:
    return raw_inline(f"{start}{escape(text)}{end}", "html")


def _in_script(spec: dict[str, object]) -> str:
    """Return JSON that cannot end the script element that it stands in."""
    return json.dumps(spec, separators=(",", ":")).replace("<", "\\u003c")
