"""`lab run --report`: the report's pages while a campaign is being measured."""

from __future__ import annotations

from collections.abc import Collection

from tqdm.auto import tqdm

from analysis.figures.drawing import DrawingError
from analysis.results import ParseError
from records.paths import FIGURES
from remote.campaign import Campaign
from report.contents.notebook import ReportError
from report.live import LiveReport


class PagesSoFar:
    """Writes the pages after each section; tells once where they are, or why they are not.

    What keeps them from being written does not keep the campaign from being measured.
    """

    def __init__(self, campaign: Campaign, sections: Collection[str]) -> None:
        self._report = LiveReport(campaign, sections, FIGURES)
        self._is_told = self._is_broken = False

    def write(self, section: str) -> None:
        """Write them with a section that has been measured."""
        if self._is_broken:
            return
        try:
            first = self._report.add(section)
        except (ReportError, DrawingError, ParseError, OSError) as exc:
            self._is_broken = True
            tqdm.write(f"report: {exc}; measuring goes on without its pages")
            return
        if first is not None and not self._is_told:
            self._is_told = True
            tqdm.write(f"The report so far: {first.as_uri()} (reload it after each section)")
