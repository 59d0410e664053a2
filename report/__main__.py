"""`python -m report`, which is also `lab export`: a measured campaign becomes the report."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import click

from analysis.figures.drawing import DrawingError
from analysis.paths import FIGURES
from analysis.results import ParseError
from analysis.work import SCHEDULER
from remote.commands.say import say
from remote.errors import ConfigError
from report.contents.notebook import ReportError
from report.export import FORMATS, HTML, PDF
from report.make import make_report

INTERRUPTED = 130


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--campaign", required=True, help="Name of a measured campaign, a folder of data/.")
@click.option("--pdf", "only", flag_value=PDF, help="Write only report.pdf.")
@click.option("--html", "only", flag_value=HTML, help="Write only the HTML pages, report/.")
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
def main(
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


if __name__ == "__main__":
    main()
