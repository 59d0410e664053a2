"""Assignments measured as a student does, then graded: what was planted is right, others wrong.

Of the part `planted`; each takes as long as eight configurations of a section.
"""

import pytest

from remote.campaign import Campaign
from remote.campaign.search_file import as_toml
from remote.course.assignment import (
    MIDDLEWARE_LINK,
    SERVER_LINKS,
    SINGLE_LINKS,
    WORKERS,
    draw,
)
from remote.course.grading import grading_study, is_missing, measure_missing, read_measured
from remote.course.marking import Verdict, mark
from remote.course.submission import write_submission
from remote.providers.local_lab import LocalLab

pytestmark = pytest.mark.usefixtures("lab_is_free")

STATED = 0.05  # half width of what is said of the capacity
LIMITS = {"middleware": [MIDDLEWARE_LINK], "servers": [SERVER_LINKS], "one server": SINGLE_LINKS}


def first_of(limits):
    return next(one for one in map(draw, range(1000)) if one.limit in limits)


def capacity_of(assignment, folder):
    """What a student measures at the largest load, in op/s."""
    path = folder / f"{assignment.name}.toml"
    path.write_text(as_toml(assignment.document))
    with LocalLab(assignment.topology):
        campaign = Campaign.open("student", data_dir=folder)
        assert campaign.measure(str(path), progress=False) == []
    cell = max(
        campaign.planned(assignment.name).cells, key=lambda cell: cell.config["clients_per_thread"]
    )
    means = [one.results["client_throughput_ops_per_s"] for one in cell.repetitions]
    return sum(means) / len(means)


@pytest.mark.parametrize("limits", [*LIMITS.values(), [WORKERS]], ids=[*LIMITS, "workers"])
def test_what_was_planted_is_told_from_what_was_not(limits, tmp_path):
    assignment = first_of(limits)
    capacity = capacity_of(assignment, tmp_path)
    study = grading_study(assignment, tmp_path / "course")
    measure_missing(study, print)
    measured = read_measured(study)

    def verdicts(resource, gain, capacity, change, change_gain):
        submission = write_submission(
            tmp_path / "submission.toml",
            assignment=assignment.seed,
            bottleneck=resource,
            bottleneck_gain=gain,
            capacity_ops_per_s=(capacity * (1 - STATED), capacity * (1 + STATED)),
            change=change,
            change_gain=change_gain,
        )
        marks = mark(submission, measured)
        print(*marks, sep="\n")
        return [one.verdict for one in marks]

    other = next(one for one in (MIDDLEWARE_LINK, "s1 link") if one not in limits)
    gain = (1.25, 1.55)
    right = verdicts(assignment.limit, gain, capacity, other, (0.95, 1.05))
    assert right == [Verdict.RIGHT] * 4
    wrong = verdicts(other, gain, 1.3 * capacity, assignment.limit, (0.95, 1.05))
    assert wrong == [Verdict.WRONG] * 4
    assert not is_missing(study)
