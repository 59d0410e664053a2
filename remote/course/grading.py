"""What submissions are marked by: measured once for an assignment, whoever is marked by it.

All that students may state is measured the first time that a submission of an assignment is
graded, in turns (`remote.campaign.changes.study`), and kept in a campaign of the course. Whoever
is graded later is marked by the same numbers, and nothing is measured for them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from records.paths import DATA
from records.sensitivity import THROUGHPUT
from remote.campaign.changes.study import Measure, Study, measure_in_turns, measure_on_reshaped_lab
from remote.course.assignment import Assignment, plan_changes
from remote.course.marking import Measured
from remote.errors import ConfigError
from remote.experiment.section_file import section_of
from remote.providers.local_lab import LocalLab

PROFILE = "smoke"
COURSE_DIR = DATA / "course" / "graded"  # beside the sections of a campaign of that name
_NEVER = "nothing of it was measured that counts: `lab grade` measures it, on the local lab"


def grading_study(assignment: Assignment, folder: Path = COURSE_DIR) -> Study:
    """Return the study by which an assignment is marked, in the `folder` of all assignments."""
    path = folder / f"{assignment.name}.toml"
    section = section_of(path, assignment.document, PROFILE)
    return Study(
        cases=plan_changes(section, assignment.topology), campaign_dir=folder, profile=PROFILE
    )


def is_missing(study: Study) -> bool:
    """Whether anything of a study is still to be measured."""
    return any(map(study.is_missing, study.cases))


def measure_missing(
    study: Study, report: Callable[[str], None], measure: Measure | None = None
) -> None:
    """Measure what is missing of a study; a lab is brought up for it, and put back as it was.

    Parameters
    ----------
    report : called with a line of text at each run.
    measure : measures what is planned of a case, by default on the local lab.
    """
    if not is_missing(study):
        return
    if measure is not None:
        measure_in_turns(study, measure)
        return
    lab = LocalLab(study.cases[0].topology)
    was_up = lab.is_running()
    with contextlib.ExitStack() as after:
        if not was_up:
            after.callback(lab.down)
        lab.up()
        measure_in_turns(study, after.enter_context(measure_on_reshaped_lab(report)))


def read_measured(study: Study) -> Measured:
    """Return what was measured of an assignment."""
    runs = study.throughputs()
    found = {str(name): list(rows) for name, rows in runs.groupby("parameter")[THROUGHPUT]}
    lacking = [case.name for case in study.cases if case.parameter not in found]
    if lacking:
        raise ConfigError(study.folder, f"{', '.join(lacking)}: {_NEVER}")
    return Measured(throughputs=found)
