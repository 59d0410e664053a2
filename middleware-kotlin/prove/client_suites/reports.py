"""What the test runners of several languages print, read as test names and whether they passed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

Parser = Callable[[str], dict[str, bool]]  # tests by name: did it pass?

# `ok 3 - name`, `ok 3 name` and `ok name`; a test that is skipped or still to do has not passed.
_TAP = re.compile(
    r"^(?P<failed>not )?ok\b(?: \d+)?(?: -)? *(?P<name>.+?)(?P<left_out> # (?:SKIP|TODO).*)?$"
)
# Parameters in a name may have blanks; of what has failed, the reason follows.
_PYTEST = re.compile(
    r"^(?:PASSED (?P<passed>\S+::.+)|(?:FAILED|ERROR) (?P<failed>\S+::.+?)(?: - .*)?)$"
)
_GO = re.compile(r"^ *--- (?P<verdict>PASS|FAIL|SKIP): (?P<name>\S+) \(")
_CARGO = re.compile(r"^test (?P<name>\S+) \.\.\. (?P<verdict>ok|FAILED)$")
_CARGO_BINARY = re.compile(r"^running \d+ tests?$")
_MEMCCAPABLE = re.compile(r"^(?P<name>(?:ascii|binary) .+?) *\[(?P<verdict>pass|FAIL|SKIP)\]$")


def parse_tap(output: str) -> dict[str, bool]:
    """Read the Test Anything Protocol, of mocha and of the programs in `clients`."""
    return _all_passed(
        (match["name"], not match["failed"] and not match["left_out"])
        for match in _matches(_TAP, output)
    )


def parse_pytest(output: str) -> dict[str, bool]:
    """Read the summary that pytest prints with `-rA`."""
    return _all_passed(
        (match["passed"] or match["failed"], bool(match["passed"]))
        for match in _matches(_PYTEST, output)
    )


def parse_go(output: str) -> dict[str, bool]:
    """Read what `go test -v` prints; a skipped test has not passed."""
    return _verdicts(_GO, output, "PASS")


def parse_memccapable(output: str) -> dict[str, bool]:
    """Read the table of libmemcached's memccapable."""
    return _verdicts(_MEMCCAPABLE, output, "pass")


def parse_cargo(output: str) -> dict[str, bool]:
    """Read what `cargo test` prints; binaries are numbered, as two may have tests of one name."""
    tests: dict[str, bool] = {}
    binary = 0
    for line in output.splitlines():
        binary += bool(_CARGO_BINARY.match(line))
        if match := _CARGO.match(line):
            tests[f"{binary}/{match['name']}"] = match["verdict"] == "ok"
    return tests


def _verdicts(pattern: re.Pattern[str], output: str, passed: str) -> dict[str, bool]:
    return _all_passed(
        (match["name"], match["verdict"] == passed) for match in _matches(pattern, output)
    )


def _matches(pattern: re.Pattern[str], output: str) -> Iterator[re.Match[str]]:
    return filter(None, map(pattern.match, output.splitlines()))


def _all_passed(tests: Iterable[tuple[str, bool]]) -> dict[str, bool]:
    """Take tests of one name for one, which has passed if all have."""
    passed: dict[str, bool] = {}
    for name, has_passed in tests:
        passed[name] = passed.get(name, True) and has_passed
    return passed
