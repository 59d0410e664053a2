"""The cases of `lab sensitivity` that are still to be measured, told without touching any host."""

from __future__ import annotations

from datetime import timedelta

from tabulate import tabulate

from remote.campaign.changes.in_turns import Study
from remote.campaign.planning.plan import left_s
from remote.campaign.view.dry_run import overhead

HEADERS = ("case", "to do", "done", "time")
TURN_S = 10.0  # what a run takes beside its own time, as its servers are started and filled anew


def cases_table(study: Study) -> str:
    """Return a table of the cases, what is missing of each and how long that takes, about."""
    overhead_s, measured = overhead(study.folder / study.cases[0].name)
    overhead_s = overhead_s if measured else TURN_S
    rows: list[tuple[str, int, int, timedelta]] = []
    for case in study.cases_at_k:
        own, name = study.campaign(case), case.section.name
        plan, done = own.planned(name), len(study.cell(case).repetitions)
        links = [run for run in own.missing(name) if run.section.kind == "links"]
        seconds = sum(run.lengths.total_s + overhead_s for run in links)
        left = plan.standings[0].repetitions_left if study.is_missing(case) else 0
        seconds += left_s(plan, overhead_s) if left else 0.0
        rows.append((case.name, left, done, timedelta(seconds=round(seconds))))
    _, to_do, done_, times = zip(*rows, strict=True)
    total = sum(times, timedelta())
    source = "as measured so far" if measured else "assumed"
    return "\n".join(
        [
            tabulate(
                [*rows, (f"all {len(rows)} cases", sum(to_do), sum(done_), total)],
                headers=HEADERS,
                disable_numparse=True,
            ),
            "",
            f"About {sum(to_do)} runs to measure, about {total}; "
            f"{overhead_s:.1f} s between two runs, {source}.",
        ]
    )
