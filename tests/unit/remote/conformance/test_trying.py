"""The questions of `lab try`: each finds the fault that it is about; how findings are written."""

import shutil
import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest

from remote.conformance.finding import Answer, Verdict
from remote.conformance.questions import lifetimes
from remote.conformance.trial import CannotTell, Question, Trial
from remote.conformance.trying import GROUPS, Group, findings_table, try_middleware
from remote.conformance.wire import OutOfTime, WrongReply
from tests.helpers import faulty_middleware
from tests.helpers.trying import FOUND_BY, SENTENCES, findings_of

pytestmark = pytest.mark.skipif(shutil.which("memcached") is None, reason="needs memcached")


def group_of(text):
    """Return the group of a question, with that question alone."""
    (found,) = (
        replace(group, questions=[question])
        for group in GROUPS
        for question in group.questions
        if question.text == text
    )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("fault", faulty_middleware.FAULTS)
def test_a_fault_is_found_by_the_question_about_it(monkeypatch, fault):
    monkeypatch.setattr(lifetimes, "REQUESTS", 1000)  # as many bytes
    monkeypatch.setattr(lifetimes, "VALUE_BYTES", 10 * lifetimes.VALUE_BYTES)
    program = (sys.executable, faulty_middleware.__file__)
    group = group_of(FOUND_BY[fault])
    (finding,) = findings_of(*program, options=("--fault", fault), groups=[group])
    assert finding.verdict == Verdict.FAULT
    assert SENTENCES.get(fault, "") in finding.sentence
    assert "nc" in finding.command or finding.question == "SIGTERM ends it"


@contextmanager
def no_bench(num_servers, *, sharded=False, workers=8):
    class Bench:
        address, port = "127.0.0.1", 11212

    opened.append(num_servers)
    yield Bench()


opened: list[int] = []


def raises(error: Exception):
    def asked(trial: Trial) -> Answer:
        raise error

    return asked


def test_a_question_that_raises_is_a_finding_and_the_next_one_gets_a_new_bench():
    opened.clear()
    questions = [
        Question(text="broken", ask=raises(KeyError("a"))),
        Question(text="untold", ask=raises(CannotTell("no server"))),
        Question(text="without", ask=lambda trial: Answer("no", Verdict.DOES_NOT, "it lacks x")),
        Question(text="fine", ask=lambda trial: Answer("yes")),
    ]
    group = Group(title="Some", num_servers=2, questions=questions)
    findings = list(try_middleware(no_bench, groups=[group]))
    assert [f.verdict for f in findings] == [
        *(Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.DOES_NOT, Verdict.WORKS)
    ]
    assert opened == [2, 2, 2]
    table = findings_table(findings)
    assert table.index("- broken: KeyError: 'a'") < table.index("- without: it lacks x")
    assert table.endswith("4 questions, 0 faults")


def test_what_a_client_gets_and_how_to_see_it_is_in_the_finding():
    wrong_reply = WrongReply("replied to 'get a' with the value of key 'b'", [b"get a\r\n"])
    questions = [
        Question(text="its requests", ask=raises(wrong_reply)),
        Question(text="a command", ask=raises(wrong_reply), command="seq 9 | {nc}; ps PID"),
        Question(text="slow", ask=raises(OutOfTime()), time_s=5),
    ]
    group = Group(title="Some", num_servers=1, questions=questions)
    first, second, third = try_middleware(no_bench, groups=[group], prefix="in c1")
    assert first.verdict == second.verdict == Verdict.FAULT
    assert first.sentence == "replied to 'get a' with the value of key 'b'"
    assert first.command == r"printf 'get a\r\n' | in c1 nc -w 2 127.0.0.1 11212"
    assert second.command == "seq 9 | in c1 nc -w 2 127.0.0.1 11212; ps PID"
    assert third.verdict == Verdict.UNKNOWN
    assert third.sentence == "the question was not done within 15 s"
    table = findings_table([first, second, third])
    assert "Fault:\n\n- its requests: replied to 'get a' with the value of key 'b'\n" in table
    assert table.endswith("3 questions, 2 faults")


def test_a_middleware_that_does_not_start_is_one_finding_for_each_group():
    program = (sys.executable, "-c", "raise SystemExit('no such option: -l')")
    findings = findings_of(*program)
    assert [f.group for f in findings] == [group.title for group in GROUPS]
    assert all(f.verdict == Verdict.FAULT for f in findings)
    assert all("no such option: -l" in f.sentence for f in findings)
