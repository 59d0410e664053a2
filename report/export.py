"""Executed notebooks -> figures/<name>.svg and .csv, figures/report.pdf, figures/report/ (HTML)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import pandas as pd
import typst

from analysis.figures.drawing import draw_svg
from analysis.figures.present import static_size
from analysis.tables.provenance import Provenance
from analysis.text.spreadsheet import csv_text
from records.files.atomic import write_json, write_whole
from report.contents.abstract import PATH as ABSTRACT
from report.contents.drawn_data import drawn_data
from report.contents.notebook import Figure, Part, Section
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
        The facts below the contents.
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
    drawn = with_drawings(sections)
    made: dict[str, bytes] = {}
    for figure in (figure for section in drawn for figure in section.figures()):
        made |= _figure_files(figure)
    figures = [name for name in made if name.endswith(".svg")]
    lists = {name: csv_text(table).encode() for name, table in (tables or {}).items()}
    with ThreadPoolExecutor(1) as beside:  # pandoc and typst are programs of their own
        paper = [one for one in drawn if not one.web_only]
        pdf = beside.submit(compile_pdf, paper, provenance) if PDF in formats else None
        if HTML in formats:
            beside_pages = f"../{REPORT}" if pdf else None
            made |= _html(html_files(drawn, provenance, TITLE, SUBTITLE, beside_pages), made)
        if pdf is not None:
            made[REPORT] = pdf.result()
    made |= {f"{PAGES}/{name}": content for name, content in lists.items()}
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
    facts = '#contents(json("facts.json"))'
    written.insert(1 if sections[0].path == ABSTRACT else 0, facts)
    body = "\n\n".join(written)
    head = '#import "report.typ": *\n#show: report.with(..json("report.json"))\n\n'
    settings = {
        "title": TITLE,
        "subtitle": SUBTITLE,
        "authors": AUTHORS,
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
        "facts.json": json.dumps(provenance.facts()).encode(),
        **drawings,
    }


def with_drawings(sections: Sequence[Section]) -> list[Section]:
    """Draw the figures that have data and no drawing.

    Raises
    ------
    DrawingError
        Without chromium, or where it fails.
    """
    return [
        replace(section, parts=tuple(_with_drawing(part) for part in section.parts))
        for section in sections
    ]


def _with_drawing(part: Part) -> Part:
    if not isinstance(part, Figure) or part.svg is not None or part.spec is None:
        return part
    return replace(part, svg=draw_svg(part.spec, *static_size(part.spec)))


def _figure_files(figure: Figure) -> dict[str, bytes]:
    """Return a figure's drawing and, if plotly drew it, its data, by file name."""
    made = {f"{figure.name}.svg": (figure.svg or "").encode()}
    if figure.spec is not None:
        made[f"{figure.name}.csv"] = csv_text(drawn_data(figure.spec)).encode()
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
    for name in made:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda name: write_whole(folder / name, made[name]), made))
    record.parent.mkdir(exist_ok=True)
    write_json(record, sorted(made))
