"""All questions, one after another, and their findings as a table for a terminal."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from tabulate import tabulate

from analysis.text.lists import counted
from remote.conformance.bench import Bench, OpenBench
from remote.conformance.finding import Answer, Finding, Verdict, by_hand, nc
from remote.conformance.questions import (
    framing,
    lifetimes,
    neighbours,
    outages,
    spreading,
    values,
    vocabulary,
)
from remote.conformance.trial import CannotTell, Question, Trial
from remote.conformance.wire import PATIENCE_S, Misbehaviour, OutOfTime

TEXT_WIDTH = 100
_ANSWER_WIDTH = 44


@dataclass(frozen=True, kw_only=True)
class Group:
    """Questions that are asked on benches of one kind."""

    title: str
    num_servers: int
    questions: Sequence[Question]
    sharded: bool = False


GROUPS = (
    Group(
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
        title="Three servers",
        num_servers=3,
        questions=(*spreading.QUESTIONS, *outages.QUESTIONS),
    ),
    Group(
        title="Three servers, multi-gets sharded",
        num_servers=3,
        questions=spreading.SHARDED_QUESTIONS,
        sharded=True,
    ),
)


def try_middleware(
    open_bench: OpenBench,
    *,
    prefix: str = "",
    patience_s: float = PATIENCE_S,
    groups: Sequence[Group] = GROUPS,
) -> Iterator[Finding]:
    """Ask all questions; each finding comes as soon as it is known.

    After a fault the next question is asked on a new bench, so that one fault is found once.

    Parameters
    ----------
    open_bench : makes a bench for a number of servers.
    prefix : words before ``nc`` in commands, where the middleware is not reached from everywhere,
        such as ``ip netns exec c1``.
    patience_s : how long what must happen may take before it is a fault, in seconds.
    """
    for group in groups:
        open_one = partial(open_bench, group.num_servers, sharded=group.sharded)
        with ExitStack() as stack:
            bench: Bench | None = None
            for question in group.questions:
                try:
                    bench = bench or stack.enter_context(open_one())
                except Exception as exc:  # whatever it is, the user must be told
                    yield Finding(
                        group=group.title,
                        question="It starts and accepts clients",
                        answer="no",
                        verdict=Verdict.FAULT,
                        sentence=str(exc),
                    )
                    break
                finding = ask(question, bench, group.title, prefix, patience_s)
                yield finding
                if finding.verdict in (Verdict.FAULT, Verdict.UNKNOWN):
                    stack.close()
                    bench = None


def ask(question: Question, bench: Bench, group: str, prefix: str, patience_s: float) -> Finding:
    """Ask one question; whatever goes wrong is in the finding."""
    try:
        with Trial(bench, patience_s=patience_s, time_s=question.time_s) as trial:
            answer = question.ask(trial)
    except Misbehaviour as exc:
        answer = Answer("no", Verdict.FAULT, exc.sentence, exc.requests)
    except OutOfTime:
        sentence = f"the question was not done within {question.time_s + patience_s:g} s"
        answer = Answer("slow", Verdict.UNKNOWN, sentence)
    except CannotTell as exc:
        answer = Answer("", Verdict.UNKNOWN, str(exc))
    except Exception as exc:  # the bench, too, can fail
        answer = Answer("", Verdict.UNKNOWN, f"{type(exc).__name__}: {exc}")
    command = by_hand(answer.requests, bench.address, bench.port, prefix)
    if question.command and answer.sentence:
        command = question.command.replace("{nc}", nc(bench.address, bench.port, prefix))
    return Finding(
        group=group,
        question=question.text,
        answer=answer.text,
        verdict=answer.verdict,
        sentence=answer.sentence,
        command=command,
    )


def findings_table(findings: Iterable[Finding]) -> str:
    """Lay findings out under the headings of their groups; below, what is wrong and how to see it.

    Faults come first there, then what could not be told, then what the middleware does without.
    """
    findings = list(findings)
    parts = []
    for title, group in itertools.groupby(findings, key=lambda finding: finding.group):
        rows = [(f.question, f.verdict, textwrap.fill(f.answer, _ANSWER_WIDTH)) for f in group]
        table = tabulate(rows, headers=["question", "verdict", "answer"], disable_numparse=True)
        parts.append(f"{title}\n{table}")
    for verdict in (Verdict.FAULT, Verdict.UNKNOWN, Verdict.DOES_NOT):
        told = [_told(finding) for finding in findings if finding.verdict == verdict]
        if told:
            parts += [f"{verdict.capitalize()}:", *told]
    faults = sum(finding.verdict == Verdict.FAULT for finding in findings)
    parts.append(f"{counted(len(findings), 'question')}, {counted(faults, 'fault')}")
    return "\n\n".join(parts)


def _told(finding: Finding) -> str:
    sentence = f"{finding.question}: {finding.sentence}"
    text = textwrap.fill(sentence, TEXT_WIDTH, initial_indent="- ", subsequent_indent="  ")
    return f"{text}\n      {finding.command}" if finding.command else text
