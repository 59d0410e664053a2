"""Executed notebooks -> figures/<name>.svg and .csv, and figures/report.pdf."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import typst

from analysis.drawing import draw_svg
from analysis.present import static_size
from report.drawn_data import drawn_data
from report.notebook import Figure, Section, read_section
from report.provenance import Provenance
from report.translation import translate

REPORT = "report.pdf"
TITLE = "Middleware Lab"
SUBTITLE = "Measuring and modelling a memcached middleware"
AUTHORS = ("The Middleware Lab authors",)


@dataclass(frozen=True)
class Exported:
    """What an export wrote."""

    report: Path
    figures: tuple[Path, ...]


def export(notebooks: Sequence[Path], provenance: Provenance, folder: Path) -> Exported:
    """Write the figures of executed notebooks, and all notebooks as one PDF.

    Parameters
    ----------
    notebooks : sequence of Path
        Executed notebooks, named like `02-title.ipynb`, in the order of the report.
    provenance : Provenance
        The facts of the title page.
    folder : Path
        Where to write; files of earlier exports are replaced.

    Raises
    ------
    ReportError
        A notebook is not executed, holds an error, or shows what the report cannot hold.
        Nothing is written then.
    """
    sections = [_drawn(read_section(path)) for path in notebooks]
    figures = [figure for section in sections for figure in section.figures()]
    pdf = compile_pdf(translate(sections), figures, provenance)
    folder.mkdir(parents=True, exist_ok=True)
    written = [_write_figure(figure, folder) for figure in figures]
    report = folder / REPORT
    report.write_bytes(pdf)
    return Exported(report, tuple(written))


def compile_pdf(body: str, figures: Sequence[Figure], provenance: Provenance) -> bytes:
    """Typeset the translated sections with the template."""
    # The stubs do not know of a mapping from file names to contents.
    pdf: bytes = typst.compile(document(body, figures, provenance))  # type: ignore[call-overload]
    return pdf


def document(body: str, figures: Sequence[Figure], provenance: Provenance) -> dict[str, bytes]:
    """Return the files that typst compiles, by name; `main.typ` is the one to begin with."""
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


def _write_figure(figure: Figure, folder: Path) -> Path:
    path = folder / f"{figure.name}.svg"
    path.write_text(figure.svg or "")
    if figure.spec is not None:
        drawn_data(figure.spec).to_csv(path.with_suffix(".csv"), index=False)
    return path
