"""The HTML version of the report: one page per section, contents, everything it needs beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from string import Template

import pandas as pd

from analysis.tables.provenance import Provenance
from analysis.text.spreadsheet import csv_text
from report.contents.notebook import Section
from report.formats.to_html import DRAWINGS, HtmlTranslation
from report.formats.translation import Translation, texts, translate_with

INDEX = "index.html"
ASSETS = "assets"
_SUMMARY = "<!-- summary -->"
# Only pages with figures read five megabytes of plotly.js.
SCRIPTS = "\n".join(
    f'<script defer src="{ASSETS}/{name}"></script>' for name in ("plotly.min.js", "figures.js")
)


def html_files(
    sections: Sequence[Section],
    provenance: Provenance,
    title: str,
    subtitle: str,
    pdf: str | None = None,
) -> dict[str, bytes]:
    """Return pages, scripts, styles and tables, by name relative to the folder of the report.

    Drawings and data of the figures belong beside them, in `report.formats.to_html.DRAWINGS`.

    Parameters
    ----------
    sections : sequence of Section
        The sections, whose figures are drawn.
    provenance : Provenance
        The facts of the first page.
    title, subtitle : str
        Of the report.
    pdf : str, optional
        Where the report's PDF is, seen from the pages, if there is one.

    Raises
    ------
    ReportError
        As `report.formats.to_typst.translate`.
    """
    translations = translate_with(HtmlTranslation, sections)
    names = [section.page for section in sections]
    titles = [_title(translation) for translation in translations]
    bodies = texts(translations)
    first = _first_page(translations, provenance, title, subtitle)
    if names[0] == INDEX:  # the summary, which stands on the first page
        bodies[0] = first.replace(_SUMMARY, bodies[0])
    else:
        names.insert(0, INDEX)
        titles.insert(0, "Contents")
        bodies.insert(0, first.replace(_SUMMARY, ""))
    template = Template(_asset("page.html").decode())
    pages: dict[str, bytes] = {}
    for index, (name, body) in enumerate(zip(names, bodies, strict=True)):
        pages[name] = template.substitute(
            title=escape(f"{titles[index]} - {title}"),
            report=escape(title),
            contents=_contents(translations, name),
            turning=_turning(names, titles, index),
            scripts=SCRIPTS if 'class="plot"' in body else "",
            pdf=f'<p><a href="{pdf}">As one PDF</a></p>' if pdf else "",
            body=body,
        ).encode()
    return pages | _assets() | {name: text for one in translations for name, text in _tables(one)}


def _tables(translation: Translation) -> Iterator[tuple[str, bytes]]:
    """Yield each table of a section as it is shown, as a file of comma-separated values."""
    for name, (headings, *lines) in translation.cells.items():
        table = pd.DataFrame(lines, columns=headings)
        yield f"{DRAWINGS}/{name}.csv", csv_text(table).encode()


def _assets() -> dict[str, bytes]:
    plotly = (files("plotly") / "package_data" / "plotly.min.js").read_bytes()
    return {
        f"{ASSETS}/plotly.min.js": plotly,
        f"{ASSETS}/figures.js": _asset("figures.js"),
        f"{ASSETS}/report.css": _asset("report.css"),
    }


def _asset(name: str) -> bytes:
    return (files("report") / "template" / name).read_bytes()


def _title(translation: Translation) -> str:
    return next(iter(translation.headings.values()))[1]


def _contents(translations: Sequence[Translation], current: str) -> str:
    """Return the list of the sections, with the headings of the page that is shown."""
    items = []
    for translation in translations:
        page = translation.section.page
        here = ' aria-current="page"' if page == current else ""
        item = f'<a href="{page}"{here}>{escape(_title(translation))}</a>'
        items.append(f"<li>{item}{_subheadings(translation) if here else ''}</li>")
    if translations[0].section.page != INDEX:
        here = ' aria-current="page"' if current == INDEX else ""
        items.insert(0, f'<li><a href="{INDEX}"{here}>Contents</a></li>')
    return f"<ul>{''.join(items)}</ul>"


def _subheadings(translation: Translation) -> str:
    page = translation.section.page
    items = [
        f'<li><a href="{page}#{escape(label)}">{escape(words)}</a></li>'
        for label, (level, words) in translation.headings.items()
        if level == 2
    ]
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _turning(names: Sequence[str], titles: Sequence[str], index: int) -> str:
    links = []
    if index > 0:
        links.append(f'<a rel="prev" href="{names[index - 1]}">← {escape(titles[index - 1])}</a>')
    if index + 1 < len(names):
        links.append(f'<a rel="next" href="{names[index + 1]}">{escape(titles[index + 1])} →</a>')
    return " ".join(links)


def _first_page(
    translations: Sequence[Translation], provenance: Provenance, title: str, subtitle: str
) -> str:
    facts = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in provenance.facts()
    )
    chapters = "".join(
        f'<li><a href="{t.section.page}">{escape(_title(t))}</a>{_subheadings(t)}</li>'
        for t in translations
    )
    return (
        f'<p class="title">{escape(title)}</p><p>{escape(subtitle)}</p>{_SUMMARY}'
        f'<h2>Contents</h2><ul class="plain">{chapters}</ul>'
        f"<h2>Provenance</h2><dl>{facts}</dl>"
    )
