"""What is still to be measured and how long that takes, told without touching any host."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tabulate import tabulate

from analysis.results.manifests import measured_sections, run_folders
from remote.campaign.planning.plan import Plan, left_s
from remote.campaign.planning.search import runs_left
from remote.campaign.planning.standing import Verdict
from remote.campaign.states import RunState, State
from remote.campaign.view.progress import OVERHEAD_S
from remote.experiment.manifest import read_manifest
from remote.experiment.section import slug
from remote.phases import MEASURING

if TYPE_CHECKING:
    from remote.campaign.changes.study import Study  # models load slowly

HEADERS = ("section", "configuration", "to do", "done", "given up", "time")
CASE_HEADERS = ("case", "to do", "done", "time")
TURN_S = 10.0  # of a case, beside a run: its servers are started and filled anew


def missing_table(plans: Sequence[Plan], links: Sequence[RunState], campaign_dir: Path) -> str:
    """Return a table of what is missing by section and configuration, and what it takes.

    Where precision is asked for, the number of runs is what the runs so far lead to expect; of a
    configuration without any, the fewest. `links` are the states of the measurements of links.
    """
    overhead_s, measured = overhead(campaign_dir)
    rows: list[tuple[object, ...]] = []
    total_s, total = 0.0, 0
    for plan in plans:
        for one in plan.standings:
            if one.verdict == Verdict.OPEN or one.cell.given_up:
                left, done = one.repetitions_left, len(one.cell.repetitions)
                name, given_up = slug(one.cell.config), len(one.cell.given_up)
                rows.append((plan.section.name, name, left, done, given_up, ""))
        for search in plan.searches:
            runs = runs_left(plan.section, search)
            if runs:
                rows.append((plan.section.name, slug(search.config), runs, search.runs, "", ""))
        of_section = [s for s in links if s.run.section.name == plan.section.name]
        links_left = [s.run for s in of_section if s.state == State.TODO]
        seconds = left_s(plan, overhead_s)
        seconds += sum(run.lengths.total_s + overhead_s for run in links_left)
        left = sum(one.repetitions_left for one in plan.standings)
        left += sum(runs_left(plan.section, search) for search in plan.searches)
        done = sum(len(cell.repetitions) for cell in plan.cells)
        given_up = sum(len(cell.given_up) for cell in plan.cells)
        whole = f"all {plan.configurations} configurations"
        rows.append((plan.section.name, whole, left, done, given_up, _time(seconds)))
        total_s += seconds
        total += left + len(links_left)
    return _table(rows, HEADERS, total, total_s, overhead_s, measured)


def _table(
    rows: Sequence[tuple[object, ...]],
    headers: Sequence[str],
    total: int,
    total_s: float,
    overhead_s: float,
    measured: bool,
) -> str:
    source = "as measured so far" if measured else "assumed"
    return (
        f"{tabulate(rows, headers=headers, disable_numparse=True)}\n\n"
        f"About {total} runs to measure, about {_time(total_s)}; "
        f"{overhead_s:.1f} s between two runs, {source}."
    )


def _time(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def overhead(campaign_dir: Path) -> tuple[float, bool]:
    """Return the seconds between two runs under load, and whether the campaign has shown them."""
    shown = []
    sections = measured_sections(campaign_dir)
    for folder in [run for name in sections for run in run_folders(campaign_dir / name)]:
        manifest = read_manifest(folder)
        phases_s = manifest.phases_s
        if manifest.num_clients and phases_s.get(MEASURING):
            shown.append(sum(phases_s.values()) - phases_s[MEASURING])
    return (statistics.mean(shown), True) if shown else (OVERHEAD_S, False)


def cases_table(study: Study) -> str:
    """Return a table of the cases of `lab sensitivity`, as `missing_table`."""
    overhead_s, measured = overhead(study.folder / study.cases[0].name)
    overhead_s = overhead_s if measured else TURN_S
    rows: list[tuple[object, ...]] = []
    total, done, total_s = 0, 0, 0.0
    for case in study.cases_at_k:
        campaign, name = study.campaign(case), case.section.name
        plan, cell_done = campaign.planned(name), len(study.cell(case).repetitions)
        links = campaign.opened(name).missing_links(retry=False)
        seconds = sum(run.lengths.total_s + overhead_s for run in links)
        left = plan.standings[0].repetitions_left if study.is_missing(case) else 0
        seconds += left_s(plan, overhead_s) if left else 0.0
        rows.append((case.name, left, cell_done, _time(seconds)))
        total, done, total_s = total + left, done + cell_done, total_s + round(seconds)
    rows.append((f"all {len(rows)} cases", total, done, _time(total_s)))
    return _table(rows, CASE_HEADERS, total, total_s, overhead_s, measured)
