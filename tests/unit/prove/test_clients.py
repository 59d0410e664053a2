"""What counts as a difference between memcached and the middleware."""

import pytest
from client_suites.attempts import run_again
from client_suites.suite import Suite
from clients import Outcome, table


def outcome(directly, **others):
    suite = Suite(client="client", language="C", version="1.0", command=["true"])
    systems = {"memcached": directly, "sequential": {}, "pipelined": {}, "3 servers": {}}
    return Outcome(suite=suite, tests={**systems, **others})


def test_what_memcached_itself_does_not_pass_is_not_asked_of_us():
    tests = {"get": True, "watch": False}
    same = outcome(tests, sequential=tests, pipelined=tests, **{"3 servers": tests})
    assert same.failures() == []
    assert same.expected() == ["get"]


def test_a_failed_and_an_unreported_test_are_failures():
    tests = {"get": True, "set": True}
    failed = {"get": True, "set": False}
    differs = outcome(tests, sequential=tests, pipelined=failed, **{"3 servers": {"get": True}})
    assert differs.failures() == [
        "client: set: passes on memcached, not through us (pipelined)",
        "client: set: passes on memcached, not through us (3 servers)",
    ]


def test_a_suite_that_passes_nothing_on_memcached_is_a_failure():
    assert outcome({"get": False}).failures() == ["client: no test passes on memcached itself"]


def test_the_table_counts_what_passes_on_memcached_and_through_us():
    tests = {"get": True, "set": True, "watch": False}
    row = outcome(tests, sequential=tests, pipelined={"get": True}, **{"3 servers": tests})
    header, line = table([row])
    assert header.split()[-5:] == ["memcached", "sequential", "pipelined", "3", "servers"]
    assert line.split() == ["client", "C", "1.0", "a", "program", "3", "2", "2", "1", "2"]


@pytest.mark.parametrize(
    ("second", "late"), [("ok get\nok set", ["set"]), ("ok get\nnot ok set", []), ("", [])]
)
def test_what_has_failed_is_tried_once_more(tmp_path, second, late):
    (tmp_path / "second").write_text(second, encoding="utf-8")
    (tmp_path / "first").write_text("ok get\nnot ok set", encoding="utf-8")
    suite = Suite(
        client="client",
        language="C",
        version="1.0",
        command=["sh", "-c", "cat first; mv second first"],
        directory=tmp_path,
    )
    found, repeated = run_again(suite, tmp_path / "log.txt", ["get", "set"])
    assert repeated == late
    assert found == {"get": True, "set": bool(late)}
