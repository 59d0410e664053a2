"""A measured campaign -> the report: what it holds, the notebooks executed on it, the export."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat

from analysis.chapters.claims import claims_of, measurements_of
from analysis.lab.measured_study import find_studies
from analysis.results.manifests import manifest_files
from analysis.tables.loading import find_sections
from analysis.tables.provenance import each_manifest, summarise
from records.files.atomic import write_json
from records.paths import DATA, PROJECT
from remote.campaign import NO_FLEET, Campaign
from remote.errors import ConfigError
from report.contents.abstract import abstract
from report.contents.appendix import appendix
from report.contents.configurations import configuration_files, configurations
from report.contents.measured import measured_sections, showable
from report.contents.notebook import ReportError, Section, read_section
from report.contents.register import register
from report.execute import Job, execute
from report.export import FORMATS, Exported, export, with_drawings

NOTEBOOKS = PROJECT / "notebooks"
CLAIMS = "claims.json"
EXECUTED = PROJECT / "build" / "notebooks"
CODE = (
    "records/**/*.py",
    "analysis/**/*.py",
    "remote/**/*.py",
    "remote/sections/*.toml",
    "data/published/*.csv",
)


def numbered_notebooks() -> list[Path]:
    """Return the notebooks of the report in their order."""
    return sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))


def make_report(
    campaign: str,
    folder: Path,
    *,
    notebooks: Sequence[Path] = (),
    formats: Collection[str] = FORMATS,
    progress: Callable[[str], None] = print,
    data: Path = DATA,
) -> Exported:
    """Execute notebooks on a measured campaign, measuring nothing, and export them.

    Profile and fleet are those of the campaign's record. A notebook of a section that the campaign
    does not hold says so; configurations that are missing are named.

    Parameters
    ----------
    campaign : str
        A folder of `data`.
    folder : Path
        Where figures and report go.
    notebooks : sequence of Path
        All numbered ones by default.
    formats : collection of str
        ``pdf``, ``html`` or both.
    progress : callable
        Takes lines of text.
    data : Path
        The folder of campaigns.

    Raises
    ------
    ReportError, ConfigError, DrawingError, ParseError
        There is no such campaign, a notebook failed or cannot be exported, a figure cannot be
        drawn, a manifest is damaged.
    """
    path = data / campaign
    opened = Campaign.open(campaign, fleet=NO_FLEET, data_dir=data)
    manifests = list(each_manifest(path))
    if not manifests:
        raise ConfigError(
            path, "holds no measured runs: measure first, for instance with `lab run`"
        )
    sections = sorted({manifest.section for manifest in manifests})
    held = find_sections(path).keys() | find_studies(path).keys()
    jobs = [job_of(notebook, campaign, held) for notebook in notebooks or numbered_notebooks()]
    drawings: dict[Path, Future[Section]] = {}
    beside = ThreadPoolExecutor(1)  # drawings of what is executed already
    try:
        executed = execute(
            jobs,
            parameters_of(campaign, manifests[0].profile or opened.profile),
            EXECUTED / campaign,
            progress,
            inputs(path),
            lambda notebook: drawings.update({notebook: beside.submit(read_drawn, notebook)}),
        )
        chapters = [drawings[notebook].result() for notebook in executed]
    finally:
        beside.shutdown(cancel_futures=True)
    outcomes = claims_of(path)  # most are kept by the notebooks that have shown them
    missing = {name: _missing(opened, name) for name in sections}
    provenance = summarise(manifests)
    parts = [*chapters, appendix(manifests, missing), configurations(manifests)]
    if not notebooks:
        first = abstract(measurements_of(path), outcomes, provenance, chapters)
        parts = [first, *chapters, parts[-2], register(outcomes, chapters), parts[-1]]
    progress("writing the report")
    lists = configuration_files(manifests)
    exported = export(parts, provenance, folder, formats, lists)
    write_json(folder / CLAIMS, [outcome.to_dict() for outcome in outcomes])
    return exported


def parameters_of(campaign: str, profile: str) -> dict[str, object]:
    """Return what notebooks are told, so that they show what a campaign holds."""
    return {"fleet": NO_FLEET, "profile": profile, "campaign": campaign}


def read_drawn(notebook: Path) -> Section:
    """Read an executed notebook and draw its figures; errors as `with_drawings`."""
    return with_drawings([read_section(notebook)])[0]


def _missing(campaign: Campaign, section: str) -> list[str]:
    try:
        return [run.label for run in campaign.missing(section, retry=True)]
    except ConfigError:  # the section's file is gone or has no such profile any more
        return []


def job_of(path: Path, campaign: str, held: Set[str]) -> Job:
    """Return what is to be executed of a notebook where a campaign holds these sections."""
    notebook = read_notebook(path)
    wanted = measured_sections(notebook)
    shown = showable(notebook, campaign, held)
    return Job(path=path, notebook=shown, runs=not wanted or not held.isdisjoint(wanted))


def read_notebook(path: Path) -> Any:
    """Read a notebook; ReportError if it is none."""
    try:
        return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except (OSError, nbformat.reader.NotJSONError) as exc:
        raise ReportError(path, None, f"not a readable notebook: {exc}") from exc


def inputs(campaign_dir: Path) -> list[Path]:
    """Return the files that the notebooks about a campaign are made from: code and manifests."""
    return list(_inputs(campaign_dir))


def _inputs(campaign_dir: Path) -> Iterator[Path]:
    for pattern in CODE:
        yield from PROJECT.glob(pattern)
    yield from manifest_files(campaign_dir)
    for study in find_studies(campaign_dir).values():
        for case in study.iterdir():
            yield from manifest_files(case)
