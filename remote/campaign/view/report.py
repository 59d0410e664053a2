"""What became of a campaign: states, rejections and failures, overhead, and where requests went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from analysis.results.manifests import measured_sections, run_folders
from records.verdict import ACCEPTED, ADVISORY, PILOT
from remote.campaign.states import RunState, State, reason_of
from remote.experiment.checks.stations import StationCount, counts_text, station_counts
from remote.experiment.manifest import read_manifest
from remote.phases import PHASES, overhead, total_phases

LARGEST_OVERHEAD = 0.25  # of a campaign whose runs are not much shorter than those of `quick`


@dataclass(frozen=True, kw_only=True)
class CampaignReport:
    """The tables of a campaign's report, each a list of rows.

    Attributes
    ----------
    states : section to the number of its runs in each state.
    refused : run, status and reason of every attempt that does not count.
    advice : run and detail of every advisory check that was not passed.
    phases_s : seconds of each phase, all attempts together.
    counts : requests as generators, middlewares and servers counted them, of the accepted runs.
    """

    states: Mapping[str, Mapping[State, int]]
    refused: Sequence[tuple[str, str, str]]
    advice: Sequence[tuple[str, str]]
    phases_s: Mapping[str, float]
    counts: list[StationCount]

    @property
    def is_complete(self) -> bool:
        """Whether every run of every section that was begun is done."""
        return all(set(counts) <= {State.DONE} for counts in self.states.values())

    def text(self) -> str:
        """Return the report for a terminal."""
        rows = [
            [section, *(counts.get(state, 0) for state in State), sum(counts.values())]
            for section, counts in self.states.items()
        ]
        parts = [
            tabulate(rows, headers=["section", *State, "runs"]),
            "Attempts that do not count:\n" + (_table(self.refused, "run", "status", "reason")),
            "Advice:\n" + (_table(self.advice, "run", "check")),
            "Time by phase:\n" + phases_text(self.phases_s),
            "Requests by who counted them:\n" + counts_text(self.counts),
        ]
        return "\n\n".join(parts)


def phases_text(phases_s: Mapping[str, float]) -> str:
    """Return the time of each phase, their sum, and whether too much of it was not measuring."""
    total_s = sum(phases_s.values())
    parts = {**{name: phases_s.get(name, 0.0) for name in PHASES}, "all": total_s}
    rows = [
        (name, f"{seconds:.1f}", f"{seconds / total_s:.1%}" if total_s else "")
        for name, seconds in parts.items()
    ]
    share = overhead(phases_s)
    verdict = "at most" if share <= LARGEST_OVERHEAD else "more than"
    table = tabulate(
        rows,
        headers=["phase", "s", "of all"],
        colalign=("left", "right", "right"),
        disable_numparse=True,
    )
    return f"{table}\n{share:.1%} was not spent measuring, {verdict} {LARGEST_OVERHEAD:.0%}."


def campaign_report(campaign_dir: Path, states: Mapping[str, Iterable[RunState]]) -> CampaignReport:
    """Read all manifests of a campaign and sum them up.

    Parameters
    ----------
    states : section to the states of its runs.
    """
    manifests = {
        folder: read_manifest(folder)
        for section in measured_sections(campaign_dir)
        for folder in run_folders(campaign_dir / section)
    }
    of_sections = {section: list(of_section) for section, of_section in states.items()}
    accepted = {f: m for f, m in manifests.items() if m.status == ACCEPTED}
    return CampaignReport(
        states={name: Counter(s.state for s in runs) for name, runs in of_sections.items()},
        refused=[
            (_label(folder), manifest.status, reason_of(manifest))
            for folder, manifest in manifests.items()
            if manifest.status not in (ACCEPTED, PILOT)
        ],
        advice=[
            (_label(folder), text)
            for folder, manifest in accepted.items()
            for text in manifest.failed_checks(ADVISORY)
        ],
        phases_s=total_phases(manifests.values()),
        counts=station_counts(one for one in accepted.values() if one.settings),
    )


def _label(folder: Path) -> str:
    return "/".join(folder.parts[-3:])


def _table(rows: Sequence[Sequence[str]], *headers: str) -> str:
    return tabulate(rows, headers=headers) if rows else "none"
