"""The report of a campaign under way: pages that are written anew when a section is measured."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from analysis.lab.measured_study import find_studies
from analysis.tables.loading import find_sections
from analysis.tables.provenance import each_manifest, summarise
from records.paths import DATA
from records.text.words import counted
from remote.campaign import Campaign
from report.contents.abstract import LETTER, PATH
from report.contents.measured import measured_sections
from report.contents.notebook import Prose, Section
from report.execute import execute
from report.export import HTML, export
from report.kernels import import_first
from report.make import (
    EXECUTED,
    inputs,
    job_of,
    numbered_notebooks,
    parameters_of,
    read_drawn,
    read_notebook,
)


class LiveReport:
    """The HTML pages of what a campaign holds so far.

    A chapter is executed once, when the last of its sections has been measured. What tells of the
    whole campaign (findings, appendix, chapters that measure nothing) comes with the whole report.

    Parameters
    ----------
    campaign : Campaign
        What is being measured.
    sections : collection of str
        Those that are to be measured.
    folder : Path
        Where figures and pages go.
    """

    def __init__(self, campaign: Campaign, sections: Collection[str], folder: Path) -> None:
        self._campaign = campaign
        self._name = campaign.path.relative_to(DATA).as_posix()
        self._folder = folder
        self._to_come = set(sections)
        self._chapters: dict[Path, Section] = {}
        books = {path: read_notebook(path) for path in numbered_notebooks()}
        self._needs = {path: set(measured_sections(book)) for path, book in books.items()}
        import_first(books.values())

    def add(self, section: str) -> Path | None:
        """Write the pages with what a section that was measured now has completed.

        Returns
        -------
        The first page; None while there is no chapter.

        Raises
        ------
        ReportError, DrawingError, ParseError, OSError
            As `report.make.make_report`; the pages are as they were.
        """
        self._to_come.discard(section)
        path = self._campaign.path
        held = find_sections(path).keys() | find_studies(path).keys()
        ready = [
            notebook
            for notebook, needs in self._needs.items()
            if notebook not in self._chapters and needs & held and not needs & self._to_come
        ]
        if not ready:
            return None
        executed = execute(
            [job_of(notebook, self._name, held) for notebook in ready],
            parameters_of(self._name, self._campaign.profile),
            EXECUTED / self._name,
            lambda _: None,
            inputs(path),
        )
        self._chapters |= zip(ready, map(read_drawn, executed), strict=True)
        parts = [self._notice(), *(self._chapters[one] for one in sorted(self._chapters))]
        return export(parts, summarise(list(each_manifest(path))), self._folder, [HTML]).html

    def _notice(self) -> Section:
        text = (
            f"# {LETTER} So far\n\nCampaign {self._name} is being measured; "
            f"{counted(len(self._to_come), 'section')} to come. These pages are written anew after "
            "each section: reload them to see more. Findings and appendix come with the whole "
            "report."
        )
        return Section(PATH, LETTER, (Prose(1, text),))
