"""Every question that `lab try` asks, put to whole middlewares: correct ones and faulty ones."""

import shutil
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from records.paths import PROJECT
from remote.conformance.questionnaire import GROUPS
from remote.conformance.questions import lifetimes
from remote.conformance.trial import Verdict
from tests.helpers import faulty_middleware
from tests.helpers.trying import FOUND_BY, SENTENCES, findings_of, wrong

JAVA = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # starts sooner
EXAMPLE = PROJECT / "examples" / "threads-and-sockets" / "Mine.java"
pytestmark = pytest.mark.skipif(shutil.which("memcached") is None, reason="needs memcached")


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


def test_a_correct_middleware_has_no_fault():
    findings = findings_of(sys.executable, faulty_middleware.__file__)
    assert wrong(findings) == {}
    answers = {(f.group.title, f.question): f.answer.text for f in findings}
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
