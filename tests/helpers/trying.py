"""Faults of `faulty_middleware`: by which question each is found, and in which words."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from remote.conformance.questionnaire import GROUPS, Finding, Group, try_middleware
from remote.conformance.trial import Verdict
from tests.helpers.loopback_bench import course_command, on_loopback
from tests.helpers.ports import ADDRESS

PATIENCE_S = 5.0  # a busy machine is not a fault
FOUND_BY = {
    "wrong client": "Many clients at once get their own replies",
    "lost key": "The parts together are complete",
    "leak": "Nothing leaks",
    "one blocks all": "A slow server delays only what needs it",
    "truncated": "A set is read back, whatever is in it",
    "hangs": "A server that is down",
    "no end": "SIGTERM ends it",
    "wrong order": "A packet may hold many requests (pipelining)",
    "dies of garbage": "Bad input harms nobody else",
    "two copies": "What one client sets, others get",
    "one reader blocks all": "A client that does not read delays no other",
    "hoards": "Nothing leaks",
    "slow server": "A request alone is answered without delay",
    "child stays": "SIGTERM ends it",
}
SENTENCES = {
    "lost key": "of a multi-get of 24 keys, while all servers have all keys",
    "leak": "open files grew from",
    "truncated": "3 bytes that are not the 13 bytes of its value",
    "hangs": f"had no reply within {PATIENCE_S:g} s after server 1 was killed",
    "no end": f"still ran {PATIENCE_S:g} s after SIGTERM, with one client connected",
    "wrong order": "with the value of key",
    "dies of garbage": "after binary garbage",
    "two copies": "of 36 gets of keys that another client had set missed",
    "one reader blocks all": "while another client did not read its reply: did not reply",
    "hoards": "MiB, steadily, while 312 MiB of values passed",
    "slow server": "of 24 gets took 20",
    "child stays": "something that it started still accepts clients",
}


def findings_of(
    *program: str, options: tuple[str, ...] = (), groups: Sequence[Group] = GROUPS
) -> list[Finding]:
    """Ask a middleware on the loopback interface all questions of some groups."""
    open_bench = on_loopback(course_command(*program, options=options))
    return list(try_middleware(open_bench, groups=groups, patience_s=PATIENCE_S))


def group_of(text: str) -> Group:
    """Return the group of a question, with that question alone."""
    (found,) = (
        replace(group, questions=[question])
        for group in GROUPS
        for question in group.questions
        if question.text == text
    )
    return found


def shown(program: Path, *ports: int) -> subprocess.CompletedProcess[str]:
    """Run a program that shows a fault: with the port of a middleware and those of servers."""
    port, *servers = ports
    words = [ADDRESS, str(port), *(f"{ADDRESS}:{server}" for server in servers)]
    command = [sys.executable, "-I", str(program), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def wrong(findings: list[Finding]) -> dict[str, str]:
    """Return the sentence of each question that found a fault, or could not be told."""
    bad = (Verdict.FAULT, Verdict.UNKNOWN)
    return {f.question: f.answer.sentence for f in findings if f.verdict in bad}
