"""All questions, one after another, and their findings as a table for a terminal."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tabulate import tabulate

from records.text.words import counted
from remote.conformance.bench import Bench, OpenBench
from remote.conformance.fault_program import program
from remote.conformance.questions import (
    framing,
    lifetimes,
    neighbours,
    outages,
    spreading,
    values,
    vocabulary,
)
from remote.conformance.running_bench import Place
from remote.conformance.trial import Answer, Question, Verdict, ask_on
from remote.conformance.wire import PATIENCE_S

TEXT_WIDTH = 100
_ANSWER_WIDTH = 44
_ATTEMPTS = 5


@dataclass(frozen=True, kw_only=True)
class Group:
    """Questions that are asked on benches of one kind; `lab try --keep` and files use the name."""

    name: str
    title: str
    num_servers: int
    questions: Sequence[Question]
    sharded: bool = False


GROUPS = (
    Group(
        name="one",
        title="One server",
        num_servers=1,
        questions=(
            *values.QUESTIONS,
            *framing.QUESTIONS,
            *neighbours.QUESTIONS,
            *vocabulary.QUESTIONS,
            *lifetimes.QUESTIONS,  # the last one ends the middleware
        ),
    ),
    Group(
        name="three",
        title="Three servers",
        num_servers=3,
        questions=(*spreading.QUESTIONS, *outages.QUESTIONS),
    ),
    Group(
        name="sharded",
        title="Three servers, multi-gets sharded",
        num_servers=3,
        questions=spreading.SHARDED_QUESTIONS,
        sharded=True,
    ),
)


STARTS = Question(text="It starts and accepts clients", ask=values.accepts)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A question and its answer.

    Parameters
    ----------
    question : as a statement that may hold.
    asked : of a fault, the questions that a program has to ask to show it; the last one finds it.
    times : how often the program asks them until the fault shows.
    how_to_see : lines that name the commands that show the fault.
    """

    group: Group
    question: str
    answer: Answer
    asked: Sequence[Question] = ()
    times: int = 1
    how_to_see: Sequence[str] = ()

    @property
    def verdict(self) -> Verdict:
        """Judgement of the answer."""
        return self.answer.verdict


def try_middleware(
    open_bench: OpenBench,
    *,
    patience_s: float = PATIENCE_S,
    groups: Sequence[Group] = GROUPS,
) -> Iterator[Finding]:
    """Ask all questions; each finding comes as soon as it is known.

    After a fault the next question is asked on a new bench, so that one fault is found once. The
    question that found the fault is asked on a new bench, too: if it finds none there, the fault
    needs the questions before it, or more than one attempt. What takes longer than `patience_s` is
    a fault.
    """
    for group in groups:
        open_one = partial(open_bench, group.num_servers, sharded=group.sharded)
        with ExitStack() as stack:
            bench: Bench | None = None
            before: list[Question] = []
            for question in group.questions:
                try:
                    bench = bench or stack.enter_context(open_one())
                except Exception as exc:  # whatever it is, the user must be told
                    answer = Answer("no", Verdict.FAULT, str(exc))
                    yield Finding(group=group, question=STARTS.text, answer=answer, asked=[STARTS])
                    break
                answer = ask(question, bench, patience_s)
                asked = [*before, question]
                before = asked
                if answer.verdict in (Verdict.FAULT, Verdict.UNKNOWN):
                    stack.close()
                    bench, before = None, []
                if answer.verdict is not Verdict.FAULT:
                    yield Finding(group=group, question=question.text, answer=answer)
                    continue
                is_alone = _is_fault_alone(question, open_one, patience_s)
                yield Finding(
                    group=group,
                    question=question.text,
                    answer=answer,
                    asked=[question] if is_alone else asked,
                    times=1 if is_alone else _ATTEMPTS,
                )


def ask(question: Question, bench: Bench, patience_s: float) -> Answer:
    """Ask one question; whatever goes wrong is in the answer."""
    return ask_on(question.ask, bench, patience_s=patience_s, time_s=question.time_s)


def _is_fault_alone(
    question: Question, open_one: Callable[[], AbstractContextManager[Bench]], patience_s: float
) -> bool:
    try:
        with open_one() as bench:
            return ask(question, bench, patience_s).verdict is Verdict.FAULT
    except Exception:  # the next question's bench tells why
        return False


def write_program(finding: Finding, place: Place, folder: Path, patience_s: float) -> Path:
    """Write the program that shows a fault; return its path."""
    path = folder / program_name(finding.group, finding.question)
    folder.mkdir(parents=True, exist_ok=True)
    title = (
        f"{finding.question} ({finding.group.title.lower()}).\n\n"
        f"To start servers and middleware: {place.how_to_start}\n"
        f"Usage: {path.name} [HOST [PORT [SERVER ...]]], each SERVER as ADDRESS:PORT.\n"
        "Exit status: 0 it passes, 1 it fails, 2 it cannot be told."
    )
    text = program(
        [(question.text, question.ask, question.time_s) for question in finding.asked],
        place,
        title=title,
        patience_s=patience_s,
        stops_servers=any(question.stops_servers for question in finding.asked),
        times=finding.times,
    )
    path.write_text(text, encoding="utf-8")
    return path


def remove_programs(folder: Path) -> None:
    """Delete the programs that an earlier trial may have written to a folder."""
    for group in GROUPS:
        for question in (STARTS, *group.questions):
            (folder / program_name(group, question.text)).unlink(missing_ok=True)


def program_name(group: Group, question: str) -> str:
    """Return the file name of the program about a question."""
    words = re.findall("[a-z0-9]+", question.lower())
    return f"{group.name}-{'-'.join(words)}.py"


def findings_table(findings: Iterable[Finding]) -> str:
    """Lay findings out under the headings of their groups; below, what is wrong and how to see it.

    Faults come first there, then what could not be told, then what the middleware lacks.
    """
    findings = list(findings)
    parts = []
    for title, group in itertools.groupby(findings, key=lambda finding: finding.group.title):
        rows = [
            (f.question, f.verdict.value, textwrap.fill(f.answer.text, _ANSWER_WIDTH))
            for f in group
        ]
        table = tabulate(rows, headers=["question", "verdict", "answer"], disable_numparse=True)
        parts.append(f"{title}\n{table}")
    for verdict in (Verdict.FAULT, Verdict.UNKNOWN, Verdict.DOES_NOT):
        told = [_told(finding) for finding in findings if finding.verdict == verdict]
        if told:
            parts += [f"{verdict.value.capitalize()}:", *told]
    faults = sum(finding.verdict == Verdict.FAULT for finding in findings)
    parts.append(f"{counted(len(findings), 'question')}, {counted(faults, 'fault')}")
    return "\n\n".join(parts)


def _told(finding: Finding) -> str:
    sentence = f"{finding.question}: {finding.answer.sentence}"
    text = textwrap.fill(sentence, TEXT_WIDTH, initial_indent="- ", subsequent_indent="  ")
    shown = [*finding.answer.difference.splitlines(), *finding.how_to_see]
    return "\n".join([text, *(f"      {line}" for line in shown)])
