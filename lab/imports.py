"""`lab import`: other people's raw files become a campaign."""

from __future__ import annotations

from pathlib import Path

import click

from analysis.imports import Imported, PlanError, import_campaign
from analysis.imports.campaign import PLAN
from analysis.imports.describing import Source
from analysis.imports.section_files import section_text
from analysis.results.manifests import measured_sections
from analysis.tables.provenance import each_manifest
from lab.say import say
from records.documents import parse
from records.files.atomic import write_whole
from records.import_plan import ImportPlan
from records.names import NAME_RULE, is_plain
from records.paths import DATA, PROJECT
from records.text.words import counted
from remote.errors import ConfigError
from remote.experiment.manifest import git_state
from remote.experiment.section_file import KEPT, SUFFIX, read_section
from remote.toml_files import read_toml

_MOST_SKIPPED = 10
_PATH = click.Path(path_type=Path)


@click.argument("plan", type=_PATH)
@click.argument("folder", type=_PATH)
@click.option("--campaign", required=True, help="Name of the new campaign, a folder of data/.")
def import_(plan: Path, folder: Path, campaign: str) -> None:
    """Turn the raw files in FOLDER, which PLAN describes, into a campaign.

    Notebooks, claims and models read it as they read campaigns that were measured here. PLAN is a
    file of TOML that states which file belongs to which configuration and what is in it
    (docs/import.md); a mistake in it is shown with the first path that does not fit.

    Afterwards a report lists files read and skipped, contradictions between files, and what
    nobody recorded. A campaign that was imported before is replaced. The files themselves are not
    copied.
    """
    if not is_plain(campaign):
        raise ConfigError("--campaign", f"must be {NAME_RULE}, got {campaign!r}")
    try:
        parsed = parse(ImportPlan, read_toml(plan))
        source = Source(plan=parsed, campaign=campaign, git=git_state(PROJECT))
        text = plan.read_bytes()
        done = import_campaign(source, folder, DATA / campaign, say)
    except PlanError as exc:
        raise ConfigError(plan, str(exc)) from exc
    except FileExistsError as exc:
        raise ConfigError("--campaign", str(exc)) from exc
    except ValueError as exc:
        raise ConfigError(plan, str(exc)) from exc
    write_whole(DATA / campaign / PLAN, text)
    _write_section_files(DATA / campaign)
    for line in report(done, folder):
        say(line)
    say(f"open it with `lab claims {campaign}` or `lab export --campaign {campaign}`")


def _write_section_files(campaign_dir: Path) -> None:
    """Write the section file of each section, for configuration tables of what was measured."""
    for section in measured_sections(campaign_dir):
        path = campaign_dir / KEPT / f"{section}{SUFFIX}"
        manifests = list(each_manifest(campaign_dir, [section]))
        write_whole(path, section_text(manifests).encode())
        try:
            read_section(section, "paper", folder=path.parent)
        except ConfigError as exc:
            path.unlink()
            say(f"section {section}: configuration tables show the shipped section: {exc}")


def report(done: Imported, folder: Path) -> list[str]:
    """Return the lines of the import report."""
    read = ", ".join(f"{number} {kind}" for kind, number in sorted(done.read.items()))
    lines = [f"{counted(done.num_runs, 'run')} in {counted(len(done.runs), 'section')}"]
    for section, statuses in done.runs.items():
        told = ", ".join(f"{number} {status}" for status, number in sorted(statuses.items()))
        lines.append(f"  {section}: {told}")
    lines.append(f"files read: {read or 'none'}; left out by path.ignore: {done.ignored}")
    lines.append(f"files skipped: {len(done.skipped)}")
    shown = list(done.skipped.items())[:_MOST_SKIPPED]
    lines += [f"  {path.relative_to(folder)}: {reason}" for path, reason in shown]
    if len(done.skipped) > len(shown):
        lines.append(f"  and {len(done.skipped) - len(shown)} more")
    lines.append("contradictions and defects (each is a check in the manifests):")
    for name, runs in done.found.items():
        run, detail = next(iter(runs.items()))
        lines.append(f"  {name}: {counted(len(runs), 'run')}, first {run}: {detail}")
    if not done.found:
        lines.append("  none")
    lines.append("not recorded:")
    lines += [f"  {words}: {counted(number, 'run')}" for words, number in done.lacks.most_common()]
    return lines
