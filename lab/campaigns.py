"""The commands of `lab` about what was measured: its states, its soundness, its reproduction."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import sys
from pathlib import Path

import click
from tabulate import tabulate

from analysis.results.manifests import MANIFEST, PACKED_MANIFESTS, measured_sections
from analysis.tables.packed.archives import RAW
from lab.say import say
from lab.shared_options import fleet_option, public_option
from records.paths import DATA
from records.text.words import counted
from remote.campaign import NO_FLEET, Campaign
from remote.campaign.plain_files import require_plain_files
from remote.campaign.record import RECORD
from remote.campaign.reproduce import changed_conditions, compare, plan_of
from remote.campaign.view.precision import known_text
from remote.campaign.view.report import campaign_report
from remote.errors import ConfigError
from remote.experiment.manifest import read_manifest, require_whole_manifests
from remote.experiment.section import Section
from remote.experiment.section_file import KEPT
from remote.services.middleware_file import SUFFIX, kept_folder

NOT_SOUND = 1
NOT_COMPLETE = 3


@click.argument("name")
def campaign(name: str) -> None:
    """Show the state of every section of campaign NAME, and what was refused and why.

    Also how much of the time was not spent measuring, and the requests of all runs as generators,
    middlewares and servers counted them when the runs were checked. Exit status 3 if runs are
    missing.
    """
    opened = Campaign.open(name, fleet=NO_FLEET)
    known = {
        name: opened.opened(name).plan_and_states(None) for name in measured_sections(opened.path)
    }
    report = campaign_report(opened.path, {name: states for name, (_, states) in known.items()})
    plans = [plan for plan, _ in known.values()]
    say("\n\n".join(filter(None, [report.text(), known_text(plans)])))
    sys.exit(0 if report.is_complete else NOT_COMPLETE)


@click.argument("name")
def verify(name: str) -> None:
    """Go over campaign NAME: checksums of all files, checks of all runs, tidy tables.

    NAME is a folder of data/, or the path of a campaign elsewhere. Sections without raw files in
    this copy are named. Exit status 1 if anything that is there is not as it was when it was
    measured.
    """
    from lab.verify import verify_campaign  # readers of results are slow to import

    path = campaign_dir(name)
    found = verify_campaign(path)
    for finding in found.findings:
        say(str(finding))
    if found.short:
        say(
            f"{len(found.short)} configurations have runs that would not count now, shorter than "
            "100 response times or with a warm-up of fewer than 10:"
        )
        for configuration in found.short:
            say(f"  {configuration}")
    verdict = f"{len(found.findings)} findings" if found.findings else "all as it was measured"
    tables = f"tables of {counted(found.tables, 'section')}"
    say(f"{path}: {found.runs} runs, {found.files} files, {tables}: {verdict}")
    if found.unchecked:
        names = ", ".join(found.unchecked)
        say(f"not checked, for this copy has no raw files of them: sections {names}")
    sys.exit(NOT_SOUND if found.findings else 0)


@click.argument("manifest", metavar="RUN|MANIFEST", type=click.Path(path_type=Path))
@click.option("--campaign", "name", help="Folder below data/.  [default: named after the run]")
@fleet_option
@public_option
@click.option("--repetitions", type=click.IntRange(min=1), default=3, show_default=True)
def reproduce(
    manifest: Path, name: str | None, fleet: str, allow_public: bool, repetitions: int
) -> None:
    """Measure a run again, from its manifest alone, and compare the numbers.

    RUN is the folder of the run, such as data/reference/3.1/workload=get.../rep-1, also where the
    campaign is packed and the folder is not there; MANIFEST is the file of a manifest.

    The conditions that are not what they were are named, such as another topology or commit.
    Exit status 3 if repetitions were given up after three attempts.
    """
    is_file = manifest.is_file() or manifest.name == MANIFEST
    original_dir = campaign_of(manifest.parent if is_file else manifest)
    original = read_manifest(manifest)
    plan = plan_of(original, manifest, repetitions=repetitions)
    name = name or f"again-{plan.name}-{_digest(plan)}"
    opened = Campaign.open(name, profile=plan.profile, fleet=fleet, allow_public=allow_public)
    opened = dataclasses.replace(opened, plans={plan.name: plan})
    if original_dir is not None:
        _take_middlewares(plan, original_dir, opened.path)
    left = opened.measure(plan.name)
    again = [read_manifest(run.folder) for run in opened.runs(plan.name) if run.is_done()]
    if not again:
        raise ConfigError(opened.path, "no repetition was accepted: nothing to compare")
    rows = [
        (c.name, f"{c.original:.4g}", ", ".join(f"{x:.4g}" for x in c.again), f"{c.ratio:.3f}")
        for c in compare(original, again)
    ]
    say(tabulate(rows, headers=["undilated", "manifest", "again", "ratio"]))
    for name_, was, now in changed_conditions(original, again[0]):
        say(f"not as it was: {name_}: {was}, now {now}")
    sys.exit(NOT_COMPLETE if left else 0)


def _take_middlewares(plan: Section, original_dir: Path, campaign_dir: Path) -> None:
    """Copy the files that a plan's middlewares name from one campaign into another."""
    for name, middleware in plan.middlewares.items():
        kept, copy = (kept_folder(one / KEPT, name) for one in (original_dir, campaign_dir))
        for file in (f"{name}{SUFFIX}", *middleware.files):
            if (kept / file).is_file():
                copy.mkdir(parents=True, exist_ok=True)
                shutil.copy2(kept / file, copy / file)


def campaign_dir(name: str) -> Path:
    """Return the folder of a campaign, below data/ or of a path; ConfigError if it is unusable."""
    path = Path(name) if Path(name).is_dir() else DATA / name
    if not path.is_dir():
        raise ConfigError(path, "no such campaign")
    require_plain_files(path)
    return path


def campaign_of(run_dir: Path) -> Path | None:
    """Return the folder of a run's campaign, of plain files alone; None if the run stands alone.

    Raises
    ------
    ConfigError
        As `require_plain_files`.
    """
    above = run_dir.resolve().parents
    if len(above) < 3:
        return None
    signs = *(above[2] / name for name in (RECORD, RAW, KEPT)), above[1] / PACKED_MANIFESTS
    if not any(path.exists() for path in signs):
        return None
    require_plain_files(above[2])
    return above[2]


def whole_campaign(name: str) -> Path:
    """Return the folder of a campaign as `campaign_dir`, with a whole manifest of every run."""
    path = campaign_dir(name)
    require_whole_manifests(path)
    return path


def _digest(plan: Section) -> str:
    """Return a name for a plan: the same plan goes on, another one has a campaign of its own."""
    text = json.dumps(dataclasses.asdict(plan), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
