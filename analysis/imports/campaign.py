"""An import from end to end: files of a folder to manifests and tidy tables of a campaign.

The campaign has the form of one whose archives of raw files are elsewhere
(`analysis.tables.packed`): its tables are complete, and cannot be made from files again.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from analysis.imports.checks import contradictions
from analysis.imports.describing import Source, factors_of, manifest_of, settings_of
from analysis.imports.lacking import lacking
from analysis.imports.reading import read_contents
from analysis.imports.sorting import PlanError, RunFiles, sort_files
from analysis.imports.tables import as_run, tables_of
from analysis.results.manifests import PACKED_MANIFESTS, packed_bytes
from analysis.tables.frames import NAMES, REJECTED_COLUMNS, stack, tables_path, write_section
from analysis.tables.tidying import origin_of
from records.files.atomic import write_whole
from records.manifest import Manifest
from records.manifest_entries import Imported as Origin
from records.names import is_plain
from records.verdict import ACCEPTED

PLAN = "plan.toml"  # the plan of an import, in the campaign's folder


@dataclass(kw_only=True)
class Imported:
    """The outcome of an import: files, runs and contradictions.

    Attributes
    ----------
    read : kind of file to the number of files that were read.
    skipped : file to the reason why it was not read, or its run has not got it.
    ignored : number of files that the plan leaves out.
    runs : status to number of runs, by section.
    found : check to the runs that did not pass it, each with the detail.
    lacks : what runs lack, and how many.
    """

    read: Counter[str] = field(default_factory=Counter)
    skipped: dict[Path, str] = field(default_factory=dict)
    ignored: int = 0
    runs: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    found: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    lacks: Counter[str] = field(default_factory=Counter)

    @property
    def num_runs(self) -> int:
        """Number of runs of all sections."""
        return sum(sum(counts.values()) for counts in self.runs.values())


def import_campaign(
    source: Source, folder: Path, campaign_dir: Path, progress: Callable[[str], None]
) -> Imported:
    """Read the files of a folder, and write the manifests and tables of a campaign.

    A campaign that an import wrote before is replaced.

    Raises
    ------
    PlanError
        The plan does not fit the files.
    FileExistsError
        The campaign is there, and no import wrote it.
    """
    if campaign_dir.exists() and not (campaign_dir / PLAN).is_file():
        raise FileExistsError(f"{campaign_dir} is no imported campaign: choose another name")
    found = sort_files(source.plan, folder)
    if not found.runs:
        raise PlanError("sections: no file of the folder belongs to a section")
    result = Imported(skipped=dict(found.skipped), ignored=found.ignored)
    by_section: dict[str, list[RunFiles]] = defaultdict(list)
    for run in found.runs:
        by_section[run.section].append(run)
    done = {
        section: _section(source, section, runs, result, progress)
        for section, runs in sorted(by_section.items())
    }
    if campaign_dir.exists():
        shutil.rmtree(campaign_dir)
    for section, (manifests, tables) in done.items():
        told = {name: one.document() for name, one in manifests.items()}
        write_whole(campaign_dir / section / PACKED_MANIFESTS, packed_bytes(told))
        path = tables_path(campaign_dir, section)
        write_section(path, tables, origin_of(campaign_dir, section))
    return result


def _section(
    source: Source,
    section: str,
    runs: list[RunFiles],
    result: Imported,
    progress: Callable[[str], None],
) -> tuple[dict[str, Manifest], dict[str, pd.DataFrame]]:
    """Read the runs of a section; return their manifests by folder, and the section's tables."""
    progress(f"section {section}: {len(runs)} runs")
    factors = factors_of(source.plan, section, runs)
    manifests: dict[str, Manifest] = {}
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in NAMES}
    for files in runs:
        manifest, tables = _run(source, files, factors, result)
        name = f"{_slug(manifest)}/rep-{manifest.repetition}"
        if name in manifests:
            raise PlanError(
                f"section {section} has {name} twice: add the group of the path that differs "
                "between its runs"
            )
        manifests[name] = manifest
        result.runs[section][manifest.status] += 1
        for check in manifest.checks:
            if not check.passed:
                result.found[check.name][f"{section}/{name}"] = check.detail
        if manifest.status == ACCEPTED:
            for table, frame in tables.items():
                parts[table].append(frame)
        else:
            failed = ", ".join(c.name for c in manifest.checks if not c.passed)
            row = dict(zip(REJECTED_COLUMNS, (section, name, manifest.status, failed), strict=True))
            parts["rejected"].append(pd.DataFrame([row]))
    return manifests, {name: stack(frames) for name, frames in parts.items()}


def _run(
    source: Source, files: RunFiles, factors: list[str], result: Imported
) -> tuple[Manifest, dict[str, pd.DataFrame]]:
    contents = read_contents(source.plan, files)
    result.skipped |= contents.unreadable
    result.read.update(f.kind for f in files.files if f.path not in contents.unreadable)
    settings = settings_of(contents)
    manifest = manifest_of(source, contents, settings, factors)
    if manifest.status != ACCEPTED:
        return manifest, {}
    tables = tables_of(contents, as_run(contents, manifest), factors)
    lacks = lacking(tables, has_middlewares=settings.num_middlewares > 0)
    result.lacks.update(lacks)
    checks = [*manifest.checks, *contradictions(contents, settings, tables)]
    origin = Origin(title=source.plan.title, files=len(files.files), lacks=lacks)
    return manifest.model_copy(update={"checks": checks, "imported": origin}), tables


def _slug(manifest: Manifest) -> str:
    """Name a configuration as the campaigns that we measure do."""
    levels = {name: str(level).lower() if isinstance(level, bool) else level
              for name, level in manifest.config.items()}  # fmt: skip
    name = "_".join(f"{name}={level}" for name, level in levels.items()) or "only"
    return name if is_plain(name.replace("=", "")) else name.replace("/", "-").replace(":", "-")
