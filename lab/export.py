"""`lab export`: a measured campaign becomes the report."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import click

from analysis.results import ParseError
from analysis.work import SCHEDULER
from lab.say import say
from records.paths import FIGURES
from remote.errors import ConfigError

INTERRUPTED = 130


@click.option("--campaign", required=True, help="Name of a measured campaign, a folder of data/.")
@click.option("--pdf", "only", flag_value="pdf", help="Write only report.pdf.")
@click.option("--html", "only", flag_value="html", help="Write only the HTML pages, report/.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=FIGURES,
    help="Folder for figures and report  [default: figures/]",
)
@click.option(
    "--scheduler",
    envvar=SCHEDULER,
    help="Address of a Dask scheduler, whose workers simulate (docs/workers.md).",
)
@click.argument("notebooks", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def export(
    campaign: str,
    only: str | None,
    output: Path,
    scheduler: str | None,
    notebooks: tuple[Path, ...],
) -> None:
    """Execute NOTEBOOKS (all numbered ones by default) on a campaign and write the report.

    Nothing is measured, and no host is needed. Written are every figure as SVG with its data as
    CSV, report.pdf, and report/index.html with interactive figures.
    """
    from analysis.figures.drawing import DrawingError  # analysis and plots are slow to load
    from report.contents.notebook import ReportError
    from report.export import FORMATS
    from report.make import make_report

    started_s = time.monotonic()
    if scheduler:
        os.environ[SCHEDULER] = scheduler  # of the notebooks' kernels, too
    formats = (only,) if only else FORMATS
    try:
        exported = make_report(campaign, output, notebooks=notebooks, formats=formats, progress=say)
    except (ReportError, DrawingError, ParseError, ConfigError, OSError) as exc:
        say(f"report: {exc}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        say("report: interrupted", err=True)
        sys.exit(INTERRUPTED)
    say(f"{len(exported.figures)} figures (SVG and CSV) in {output}")
    for path in filter(None, (exported.pdf, exported.html)):
        say(f"report: {path} ({time.monotonic() - started_s:.0f} s)")
