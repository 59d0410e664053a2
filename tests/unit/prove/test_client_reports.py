"""What test runners of several languages print, and what is made of it."""

import pytest
from client_suites.reports import (
    parse_cargo,
    parse_go,
    parse_memccapable,
    parse_pytest,
    parse_tap,
)

TAP = """\
TAP version 13
1..4
ok 1 Memcached CAS When no value is set cas works
not ok 2 Memcached parser chunked response
  Error: ok is not what this line begins with
# a comment
ok a value of 1 MiB - 512 bytes
not ok flush_all
ok 5 - skipped # SKIP no server
# tests 5
"""
PYTEST = """\
tests/test_client.py ...F.
==================================== PASSES ====================================
=========================== short test summary info ============================
PASSED tests/test_client.py::test_get[socket-Client-prefix - 1]
PASSED tests/test_client.py::test_set
SKIPPED [3] tests/test_client.py:7: no such server
FAILED tests/test_client.py::test_cas - AssertionError: assert 1 == 2
ERROR tests/test_client.py::test_touch - OSError: refused
"""
GO = """\
=== RUN   TestLocalhost
    --- FAIL: TestLocalhost/cas (0.00s)
--- PASS: TestLocalhost (3.05s)
--- SKIP: TestTLS (0.01s)
PASS
"""
CARGO = """\

running 2 tests
test test_cas ... ok
test tests::touch ... FAILED

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out

running 1 test
test test_cas ... FAILED
"""
MEMCCAPABLE = """\
ascii version                           [pass]
ascii set noreply                       [FAIL]
All tests passed
"""


@pytest.mark.parametrize(
    ("parse", "output", "tests"),
    [
        (
            parse_tap,
            TAP,
            {
                "Memcached CAS When no value is set cas works": True,
                "Memcached parser chunked response": False,
                "a value of 1 MiB - 512 bytes": True,
                "flush_all": False,
                "skipped": False,
            },
        ),
        (
            parse_pytest,
            PYTEST,
            {
                "tests/test_client.py::test_get[socket-Client-prefix - 1]": True,
                "tests/test_client.py::test_set": True,
                "tests/test_client.py::test_cas": False,
                "tests/test_client.py::test_touch": False,
            },
        ),
        (parse_go, GO, {"TestLocalhost": True, "TestLocalhost/cas": False, "TestTLS": False}),
        (parse_cargo, CARGO, {"1/test_cas": True, "1/tests::touch": False, "2/test_cas": False}),
        (parse_memccapable, MEMCCAPABLE, {"ascii version": True, "ascii set noreply": False}),
    ],
)
def test_reports_tell_which_tests_passed(parse, output, tests):
    assert parse(output) == tests


@pytest.mark.parametrize("parse", [parse_tap, parse_pytest, parse_go, parse_cargo])
def test_a_runner_that_broke_off_has_no_tests(parse):
    assert parse("Traceback (most recent call last):\n  ...\n") == {}


@pytest.mark.parametrize("output", ["ok get\nnot ok get\n", "not ok get\nok get\n"])
def test_of_two_tests_of_one_name_both_have_to_pass(output):
    assert parse_tap(output) == {"get": False}
