"""The questions of `lab try`: each finds the fault that it is about; how findings are written."""

import shutil
import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest

from remote.conformance.questionnaire import (
    GROUPS,
    Group,
    findings_table,
    try_middleware,
    write_program,
)
from remote.conformance.questions import lifetimes
from remote.conformance.running_bench import Place
from remote.conformance.trial import Answer, CannotTell, Question, Trial, Verdict
from remote.conformance.wire import OutOfTime, WrongReply, difference
from tests.helpers import faulty_middleware
from tests.helpers.loopback_bench import course_command, on_loopback
from tests.helpers.ports import ADDRESS
from tests.helpers.trying import FOUND_BY, PATIENCE_S, SENTENCES, findings_of, group_of, shown

pytestmark = pytest.mark.skipif(shutil.which("memcached") is None, reason="needs memcached")


@pytest.mark.slow
@pytest.mark.parametrize("fault", faulty_middleware.FAULTS)
def test_a_fault_is_found_by_the_question_about_it_and_shown_by_its_program(
    monkeypatch, tmp_path, fault
):
    monkeypatch.setattr(lifetimes, "REQUESTS", 1000)  # as many bytes
    monkeypatch.setattr(lifetimes, "VALUE_BYTES", 10 * lifetimes.VALUE_BYTES)
    command = (sys.executable, faulty_middleware.__file__)
    options = ("--fault", fault)
    group = group_of(FOUND_BY[fault])
    (finding,) = findings_of(*command, options=options, groups=[group])
    assert finding.verdict == Verdict.FAULT
    assert SENTENCES.get(fault, "") in finding.answer.sentence
    place = Place(address=ADDRESS, port=1, files=["faulty_middleware.py"])
    path = write_program(finding, place, tmp_path, PATIENCE_S)
    open_bench = on_loopback(course_command(*command, options=options))
    with open_bench(group.num_servers, sharded=group.sharded) as bench:
        done = shown(path, bench.middleware.port)  # its command line names the servers
    assert done.returncode == 1, done.stdout + done.stderr
    assert finding.question in done.stdout


@contextmanager
def no_bench(num_servers, *, sharded=False, workers=8):
    opened.append(num_servers)
    yield object()


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
    group = Group(name="some", title="Some", num_servers=2, questions=questions)
    findings = list(try_middleware(no_bench, groups=[group]))
    assert [f.verdict for f in findings] == [
        *(Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.DOES_NOT, Verdict.WORKS)
    ]
    assert opened == [2, 2, 2]
    table = findings_table(findings)
    assert table.index("- broken: KeyError: 'a'") < table.index("- without: it lacks x")
    assert table.endswith("4 questions, 0 faults")


def test_the_first_wrong_byte_and_how_to_see_it_are_in_the_table():
    wrong_reply = WrongReply("replied to 'get a' with a value", difference(b"END", b"EMD"))
    questions = [
        Question(text="wrong", ask=raises(wrong_reply)),
        Question(text="slow", ask=raises(OutOfTime()), time_s=5),
    ]
    group = Group(name="some", title="Some", num_servers=1, questions=questions)
    first, second = try_middleware(no_bench, groups=[group])
    assert first.verdict == Verdict.FAULT
    assert second.verdict == Verdict.UNKNOWN
    assert second.answer.sentence == "the question was not done within 15 s"
    table = findings_table([replace(first, how_to_see=["show it: python3 x.py"]), second])
    assert (
        """Fault:

- wrong: replied to 'get a' with a value
      first difference at byte 1 (3 bytes expected, 3 received):
        expected END
        received EMD
                  ^
      show it: python3 x.py
"""
        in table
    )
    assert table.endswith("2 questions, 1 fault")


def test_a_fault_that_needs_the_questions_before_it_is_shown_with_them():
    asked = []

    def second(trial):
        if asked[-1:] == ["first"]:
            raise WrongReply("it remembers")
        return Answer("fine")

    def first(trial):
        asked.append("first")
        return Answer("fine")

    def third(trial):
        asked.append("third")
        raise WrongReply("it never works")

    questions = [Question(text=one.__name__, ask=one) for one in (first, second, third)]
    group = Group(name="some", title="Some", num_servers=1, questions=questions)
    original = try_middleware(forgetting(asked), groups=[group])
    fine, remembers, never = original
    assert fine.asked == ()
    assert [question.text for question in remembers.asked] == ["first", "second"]
    assert remembers.times > 1
    assert [question.text for question in never.asked] == ["third"]
    assert never.times == 1


def forgetting(asked):
    @contextmanager
    def open_bench(num_servers, *, sharded=False):
        asked.clear()
        yield object()

    return open_bench


def test_a_middleware_that_does_not_start_is_one_finding_for_each_group():
    program = (sys.executable, "-c", "raise SystemExit('no such option: -l')")
    findings = findings_of(*program)
    assert [f.group for f in findings] == list(GROUPS)
    assert all(f.verdict == Verdict.FAULT for f in findings)
    assert all("no such option: -l" in f.answer.sentence for f in findings)
