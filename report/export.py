"""Executed notebooks -> figures/<name>.svg and .csv, figures/report.pdf, figures/report/ (HTML)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import pandas as pd
import typst

from analysis.figures.drawing import draw_svg
from analysis.figures.present import static_size
from analysis.tables.provenance import Provenance
from report.contents.drawn_data import drawn_data
from report.contents.notebook import Figure, Section
from report.contents.summary import PATH as SUMMARY
from report.formats.pages import INDEX, html_files
from report.formats.to_html import DRAWINGS
from report.formats.to_typst import TypstTranslation
from report.formats.translation import texts, translate_with

REPORT = "report.pdf"
PAGES = "report"
WRITTEN = "written.json"  # what the last export wrote, so that the next can remove what is stale
PDF, HTML = "pdf", "html"
FORMATS = (PDF, HTML)
TITLE = "Middleware Lab"
SUBTITLE = "Measuring and modelling a memcached middleware"
AUTHORS = ("The Middleware Lab authors",)


@dataclass(frozen=True)
class Exported:
    """What an export wrote: the figures' drawings, the PDF and the first HTML page, if wanted."""

    figures: tuple[Path, ...]
    pdf: Path | None
    html: Path | None


def export(
    sections: Sequence[Section],
    provenance: Provenance,
    folder: Path,
    formats: Collection[str] = FORMATS,
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> Exported:
    """Write the figures of sections, and all sections as one PDF and as HTML pages.

    Parameters
    ----------
    sections : sequence of Section
        In the order of the report.
    provenance : Provenance
        The facts of the title page.
    folder : Path
        Where to write. Files of earlier exports are replaced or, where they are of no use any
        more, removed; other files are left alone.
    formats : collection of str
        ``pdf``, ``html`` or both.
    tables : mapping, optional
        Further tables by file name, for the folder of the HTML pages.

    Raises
    ------
    ReportError
        A section shows what the report cannot hold. Nothing is written then.
    """
    drawn = [_drawn(section) for section in sections]
    made: dict[str, bytes] = {}
    for figure in (figure for section in drawn for figure in section.figures()):
        made |= _figure_files(figure)
    figures = [name for name in made if name.endswith(".svg")]
    lists = {name: table.to_csv(index=False).encode() for name, table in (tables or {}).items()}
    if HTML in formats:
        pdf = f"../{REPORT}" if PDF in formats else None
        made |= _html(html_files(drawn, provenance, TITLE, SUBTITLE, pdf), made)
    made |= {f"{PAGES}/{name}": content for name, content in lists.items()}
    if PDF in formats:
        made[REPORT] = compile_pdf([one for one in drawn if not one.web_only], provenance)
    _write(made, folder)
    return Exported(
        figures=tuple(folder / name for name in figures),
        pdf=folder / REPORT if PDF in formats else None,
        html=folder / PAGES / INDEX if HTML in formats else None,
    )


def compile_pdf(sections: Sequence[Section], provenance: Provenance) -> bytes:
    """Typeset the sections with the template."""
    # The stubs do not know of a mapping from file names to contents.
    pdf: bytes = typst.compile(document(sections, provenance))  # type: ignore[call-overload]
    return pdf


def document(sections: Sequence[Section], provenance: Provenance) -> dict[str, bytes]:
    """Return the files that typst compiles, by name; `main.typ` is the one to begin with."""
    translations = translate_with(TypstTranslation, sections)
    written = texts(translations)
    written.insert(1 if sections[0].path == SUMMARY else 0, "#contents()")
    body = "\n\n".join(written)
    head = '#import "report.typ": *\n#show: report.with(..json("report.json"))\n\n'
    settings = {
        "title": TITLE,
        "subtitle": SUBTITLE,
        "authors": AUTHORS,
        "facts": provenance.facts(),
        "date": provenance.period[1].timetuple()[:3] if provenance.period else None,
        "footer": f"{TITLE}, campaign {provenance.campaign}",
    }
    template = files("report") / "template" / "report.typ"
    figures = [figure for section in sections for figure in section.figures()]
    drawings = {f"{figure.name}.svg": (figure.svg or "").encode() for figure in figures}
    return {
        "main.typ": (head + body).encode(),
        "report.typ": template.read_bytes(),
        "report.json": json.dumps(settings).encode(),
        **drawings,
    }


def _drawn(section: Section) -> Section:
    """Draw the figures whose notebook was executed where there was no chromium."""
    parts = tuple(
        replace(part, svg=draw_svg(part.spec, *static_size(part.spec)))
        if isinstance(part, Figure) and part.svg is None and part.spec is not None
        else part
        for part in section.parts
    )
    return replace(section, parts=parts)


def _figure_files(figure: Figure) -> dict[str, bytes]:
    """Return a figure's drawing and, if plotly drew it, its data, by file name."""
    made = {f"{figure.name}.svg": (figure.svg or "").encode()}
    if figure.spec is not None:
        made[f"{figure.name}.csv"] = drawn_data(figure.spec).to_csv(index=False).encode()
    return made


def _html(pages: dict[str, bytes], drawings: dict[str, bytes]) -> dict[str, bytes]:
    """Put drawings and data beside the pages, so that their folder is complete."""
    beside = {f"{DRAWINGS}/{name}": content for name, content in drawings.items()}
    return {f"{PAGES}/{name}": content for name, content in (pages | beside).items()}


def _write(made: dict[str, bytes], folder: Path) -> None:
    """Write files and remove what an earlier export wrote and this one did not."""
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / PAGES / WRITTEN
    try:
        earlier = set(json.loads(record.read_text()))
    except (OSError, ValueError):
        earlier = set()
    for name in earlier - set(made):
        path = folder / name
        if path.resolve().is_relative_to(folder.resolve()):
            path.unlink(missing_ok=True)
    for name, content in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    record.parent.mkdir(exist_ok=True)
    record.write_text(json.dumps(sorted(made), indent=0))
