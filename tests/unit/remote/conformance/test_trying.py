"""The kit against middlewares that run, correct ones and ones with a planted fault."""

import shutil
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from analysis.paths import PROJECT
from remote.conformance.finding import Answer, Finding, Verdict
from remote.conformance.questions import lifetimes
from remote.conformance.trial import CannotTell, Question, Trial
from remote.conformance.trying import GROUPS, Group, findings_table, try_middleware
from remote.conformance.wire import OutOfTime, WrongReply
from tests.helpers import faulty_middleware
from tests.helpers.loopback_bench import course_command, on_loopback

JAVA = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # starts sooner
PATIENCE_S = 5.0  # a busy machine is not a fault
EXAMPLE = PROJECT / "examples" / "threads-and-sockets" / "Mine.java"
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
    "truncated": "3 bytes 'one' instead of 13 bytes",
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
pytestmark = pytest.mark.skipif(shutil.which("memcached") is None, reason="needs memcached")


def findings_of(*program: str, options: tuple[str, ...] = ()) -> list[Finding]:
    open_bench = on_loopback(course_command(*program, options=options))
    return list(try_middleware(open_bench, patience_s=PATIENCE_S))


def wrong(findings: list[Finding]) -> dict[str, str]:
    bad = (Verdict.FAULT, Verdict.UNKNOWN)
    return {f.question: f.sentence for f in findings if f.verdict in bad}


@pytest.fixture(scope="module")
def with_faults():
    """Findings on the small middleware with each of its faults; most of the time is waiting."""
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(4) as pool:
        patch.setattr(lifetimes, "REQUESTS", 1000)  # as many bytes
        patch.setattr(lifetimes, "VALUE_BYTES", 10 * lifetimes.VALUE_BYTES)
        program = (sys.executable, faulty_middleware.__file__)
        trying = {
            fault: pool.submit(findings_of, *program, options=("--fault", fault))
            for fault in faulty_middleware.FAULTS
        }
        return {fault: one.result() for fault, one in trying.items()}


@pytest.mark.parametrize("fault", faulty_middleware.FAULTS)
def test_a_fault_is_found_and_nothing_else(with_faults, fault):
    found = wrong(with_faults[fault])
    assert list(found) == [FOUND_BY[fault]], found
    assert SENTENCES.get(fault, "") in found[FOUND_BY[fault]]
    (finding,) = (f for f in with_faults[fault] if f.verdict == Verdict.FAULT)
    assert "nc" in finding.command or finding.question == "SIGTERM ends it"


def test_a_correct_middleware_has_no_fault():
    findings = findings_of(sys.executable, faulty_middleware.__file__)
    assert wrong(findings) == {}
    answers = {(f.group, f.question): f.answer for f in findings}
    assert len(answers) == sum(len(group.questions) for group in GROUPS)
    assert answers["Three servers", "Where sets go"] == "to all 3 servers"
    cut = answers["Three servers, multi-gets sharded", "A multi-get is cut into parts"]
    assert cut == "8, 8, 8 of 24 keys"
    assert [f.question for f in findings if f.verdict == Verdict.DOES_NOT] == [
        "The commands of memcached beside get and set"
    ]


@pytest.mark.skipif(shutil.which("java") is None, reason="needs java")
def test_the_example_has_no_fault():
    findings = findings_of(*JAVA, str(EXAMPLE))
    assert wrong(findings) == {}
    assert Counter(f.verdict for f in findings)[Verdict.DOES_NOT] == 1  # commands


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
