"""`python -m report`: execute the notebooks on a campaign and write figures and report."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from analysis.drawing import DrawingError
from analysis.parsing import ParseError
from analysis.paths import FIGURES, PROJECT, campaign_dir
from report.execute import execute
from report.export import Exported, export
from report.notebook import ReportError
from report.provenance import read_provenance

NOTEBOOKS = PROJECT / "notebooks"
EXECUTED = PROJECT / "build" / "notebooks"
INTERRUPTED = 130


def make_report(
    campaign: str, profile: str, fleet: str, notebooks: list[Path], folder: Path
) -> Exported:
    """Execute notebooks on a measured campaign and export them, telling the user how far it is.

    Raises
    ------
    ReportError, DrawingError, ParseError, FileNotFoundError
        A notebook failed or cannot be exported, a figure cannot be drawn, a manifest is damaged,
        nothing is measured.
    """
    provenance = read_provenance(campaign_dir(campaign))
    parameters = {"fleet": fleet, "profile": profile, "campaign": campaign}
    executed = execute(notebooks, parameters, EXECUTED, progress=click.echo)
    return export(executed, provenance, folder)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--campaign", required=True, help="Name of a measured campaign, a folder of data/.")
@click.option("--profile", default="smoke", show_default=True, help="Profile it was measured in.")
@click.option("--fleet", default="local", show_default=True, help="Fleet it was measured on.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=FIGURES,
    help="Folder for figures and report  [default: figures/]",
)
@click.argument("notebooks", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def main(
    campaign: str, profile: str, fleet: str, output: Path, notebooks: tuple[Path, ...]
) -> None:
    """Execute NOTEBOOKS (all numbered ones by default) and write figures and report.pdf."""
    started_s = time.monotonic()
    chosen = list(notebooks) or sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))
    try:
        exported = make_report(campaign, profile, fleet, chosen, output)
    except (ReportError, DrawingError, ParseError, FileNotFoundError) as exc:
        click.echo(f"report: {exc}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        click.echo("report: interrupted", err=True)
        sys.exit(INTERRUPTED)
    click.echo(f"{len(exported.figures)} figures (SVG and CSV) in {output}")
    click.echo(f"report: {exported.report} ({time.monotonic() - started_s:.0f} s)")


if __name__ == "__main__":
    main()
