"""The commands of `lab` for a course: a system with hidden limits, and marks of what was found."""

from __future__ import annotations

import dataclasses
import json
import sys
from functools import partial
from pathlib import Path

import click
from tabulate import tabulate

from lab.campaigns import NOT_COMPLETE
from lab.say import say
from records.files.atomic import write_whole
from remote.campaign.search_file import as_toml
from remote.errors import ConfigError
from remote.providers.local_lab import LocalLab

WRONG = 1


@click.option("--seed", type=click.IntRange(min=0), required=True, help="Which system it is.")
@click.option("--dry-run", is_flag=True, help="Only write the section file; needs no lab.")
def assign(seed: int, dry_run: bool) -> None:
    """Build a lab whose limits are hidden, and write the section file that measures it.

    The seed chooses the system: the same one is the same system. Measure it as any other, such as
    `lab run assignment-17.toml --campaign mine`, and write down what limits it, how much it
    sustains, and what one change gains (docs/course.md).
    """
    from remote.course.assignment import draw  # models load slowly

    assignment = draw(seed)
    path = Path(f"{assignment.name}.toml")
    text = as_toml(assignment.document).encode()
    if path.exists() and path.read_bytes() != text:
        raise ConfigError(path, "there is another file of this name: move it away")
    write_whole(path, text)
    if not dry_run:
        LocalLab(assignment.topology).up()  # what it reports tells its delay
        say(f"The lab of assignment {seed} is up; `lab down` takes it down.")
    say(f"section file: {path}")


@click.argument("file", type=click.Path(path_type=Path), metavar="SUBMISSION")
@click.option(
    "--seed", type=click.IntRange(min=0), required=True, help="The one that the student was given."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def grade(file: Path, seed: int, as_json: bool) -> None:
    """Mark the statements of SUBMISSION, a file of TOML, by what the system does when measured.

    A submission about the system of another seed is refused.

    The system and its changes are measured on the local lab the first time that a submission of an
    assignment is graded, and kept in data/course/graded: who is graded later, or again, is marked
    by the same numbers.

    Exit status 1 if a statement is wrong, 3 if none is wrong but one is undecided.
    """
    from remote.course.assignment import draw  # models load slowly
    from remote.course.grading import grading_study, measure_missing, read_measured
    from remote.course.marking import Verdict, mark
    from remote.course.submission import read_submission

    submission = read_submission(file)
    if submission.assignment != seed:
        raise ConfigError(
            file,
            f"is about assignment {submission.assignment}, and this student was given {seed} "
            "(--seed): nothing is marked; ask the student for a submission about that assignment",
        )
    study = grading_study(draw(seed))
    measure_missing(study, partial(say, err=True))
    marks = mark(submission, read_measured(study))
    rows = [dataclasses.asdict(one) for one in marks]
    if as_json:
        say(json.dumps({"assignment": seed, "marks": rows}, indent=1))
    else:
        table = [list(row.values()) for row in rows]
        headers = [field.name for field in dataclasses.fields(marks[0])]
        say(tabulate(table, headers=headers, maxcolwidths=[None, None, 40, None, 40]))
        right = sum(one.verdict is Verdict.RIGHT for one in marks)
        say(f"{right} of {len(marks)} statements are right")
    verdicts = {one.verdict for one in marks}
    untold = NOT_COMPLETE if Verdict.CANNOT_BE_TOLD in verdicts else 0
    sys.exit(WRONG if Verdict.WRONG in verdicts else untold)
