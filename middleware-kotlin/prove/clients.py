"""Clients of other projects through the middleware: what passes on memcached passes here.

The test suites that the registries carry, and for other clients programs that use all of their
operations, are built once, and then run against memcached, and against the middleware in front of
memcached: sequential, pipelined, and with three servers that share the keys. Exit status 1 if a
test passes on memcached and not through the middleware, or if a client could not be built. What has
not passed is tried once more, and told if it passes then: some tests give a key two seconds to live
and touch it each second, which a busy machine can miss. About 5 minutes on 2 cores.

    python middleware-kotlin/prove/clients.py
    python middleware-kotlin/prove/clients.py --only Python Go
    python middleware-kotlin/prove/clients.py --allow-missing     # leave out what cannot be built
"""

from __future__ import annotations

import argparse
import random
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import stand
from client_suites.attempts import run_again
from client_suites.languages import LANGUAGES, Language
from client_suites.suite import HOST, BuildError, Suite
from processes import JAR, end_on_signals, memcached, require_programs, running

WORK = Path(__file__).parents[2] / "build" / "prove" / "clients"
LOGS = WORK / "logs"
NUM_PORTS = 3  # suites of multi-server clients use as many


@dataclass(frozen=True, kw_only=True)
class System:
    """What the clients connect to: memcached itself, or the middleware with some options."""

    name: str
    options: str = ""
    num_servers: int = 0  # behind the middleware; 0: there is none


MEMCACHED = System(name="memcached")
OURS = (
    System(name="sequential", options="--dispatch sequential -t 8", num_servers=1),
    System(name="pipelined", options="--dispatch pipelined", num_servers=1),
    System(name="3 servers", options="--routing consistent-hash", num_servers=3),
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Tests of one suite by system: names, and whether they passed; `repeated` passed at last."""

    suite: Suite
    tests: Mapping[str, Mapping[str, bool]]
    repeated: Sequence[str] = ()

    def passed(self, system: System) -> list[str]:
        """List the tests that both memcached and this system pass."""
        return [name for name in self.expected() if self.tests[system.name].get(name)]

    def expected(self) -> list[str]:
        """List the tests that memcached passes."""
        return [name for name, passed in self.tests[MEMCACHED.name].items() if passed]

    def failures(self) -> list[str]:
        """Say what differs, one line for each test and system."""
        failures = [
            f"{self.suite.client}: {name}: passes on memcached, not through us ({system.name})"
            for system in OURS
            for name in self.expected()
            if not self.tests[system.name].get(name)
        ]
        if not self.expected():
            failures.append(f"{self.suite.client}: no test passes on memcached itself")
        return failures


def main() -> None:
    """Build, run, compare; the table, then the line for `tests/parts.py`."""
    began = time.monotonic()
    arguments = _parse_arguments()
    require_programs("memcached", "java")
    if not arguments.jar.exists():
        sys.exit(f"{arguments.jar} is not there; build it with make jar")
    end_on_signals()
    ports = _free_fixed_ports(NUM_PORTS)
    suites, not_run = _build(arguments.only, ports)
    outcomes = _run_all(suites, ports, arguments.jar)
    failures = [failure for outcome in outcomes for failure in outcome.failures()]
    repeated = [line for outcome in outcomes for line in outcome.repeated]
    print(*table(outcomes), *repeated, *failures, *not_run, sep="\n")
    if not arguments.allow_missing:
        failures += not_run
    expected = sum(len(outcome.expected()) for outcome in outcomes)
    seconds = time.monotonic() - began
    stand.print_result("clients", expected, len(failures), seconds, _notes(outcomes, not_run))
    sys.exit(1 if failures or not outcomes else 0)


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """Lines of a table, one row for each suite."""
    systems = [system.name for system in (MEMCACHED, *OURS)]
    rows = [["client", "language", "version", "tests are", "tests", *systems]]
    for outcome in outcomes:
        suite = outcome.suite
        source = "its own" if suite.is_its_own else "a program"
        counts = [len(outcome.tests[MEMCACHED.name]), len(outcome.expected())]
        counts += [len(outcome.passed(system)) for system in OURS]
        rows.append([suite.client, suite.language, suite.version, source, *map(str, counts)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _notes(outcomes: Sequence[Outcome], not_run: Sequence[str]) -> str:
    clients = {outcome.suite.client for outcome in outcomes}
    languages = {outcome.suite.language for outcome in outcomes}
    systems = ", ".join(system.name for system in OURS)
    notes = f"{len(clients)} clients in {len(languages)} languages; each test through: {systems}"
    failing = sum(len(o.tests[MEMCACHED.name]) - len(o.expected()) for o in outcomes)
    if failing:
        notes += f"; {failing} tests left out that memcached itself does not pass"
    if repeated := sum(len(outcome.repeated) for outcome in outcomes):
        notes += f"; {repeated} passed only when repeated"
    if not_run:
        notes += f"; not run: {len(not_run)} languages"
    return notes


def _build(only: Sequence[str], ports: Sequence[int]) -> tuple[list[Suite], list[str]]:
    """Build languages, two at a time; suites, and a line for each language that is not run."""
    languages = [language for language in LANGUAGES if language.name in only]
    suites = []
    not_run = [
        f"{language.name} is not run; install {', '.join(language.missing())}"
        for language in languages
        if language.missing()
    ]
    _tell(*not_run)
    with ThreadPoolExecutor(max_workers=2) as pool:
        builds = {
            language.name: pool.submit(_build_one, language, ports)
            for language in languages
            if not language.missing()
        }
        for name, build in builds.items():
            try:
                suites += build.result()
                _tell(f"{name} is built")
            except BuildError as failure:
                not_run.append(f"{name} is not run; {failure}")
                _tell(not_run[-1])
    return suites, not_run


def _build_one(language: Language, ports: Sequence[int]) -> list[Suite]:
    work = WORK / language.name.lower()
    work.mkdir(parents=True, exist_ok=True)
    return language.build(work, ports)


def _run_all(suites: Sequence[Suite], ports: Sequence[int], jar: Path) -> list[Outcome]:
    tests: list[dict[str, dict[str, bool]]] = [{} for _ in suites]
    repeated: list[list[str]] = [[] for _ in suites]
    for system in (MEMCACHED, *OURS):
        with _serve(system, ports, jar):
            for number, suite in enumerate(suites):
                log = LOGS / f"{number}-{suite.client}-{system.name}.txt"
                wanted = [
                    name for name, passed in tests[number].get(MEMCACHED.name, {}).items() if passed
                ]
                found, late = run_again(suite, log, wanted)
                tests[number][system.name] = found
                repeated[number] += [
                    f"{suite.client}: {name}: passes only when repeated ({system.name})"
                    for name in late
                ]
                passed = f"{sum(found.values())} of {len(found)} pass"
                _tell(f"{system.name}: {suite.client} ({suite.language}): {passed}")
    return [
        Outcome(suite=suite, tests=tests[number], repeated=repeated[number])
        for number, suite in enumerate(suites)
    ]


@contextmanager
def _serve(system: System, ports: Sequence[int], jar: Path) -> Iterator[None]:
    """Let the system serve on each of the ports, as servers that know nothing of each other."""
    LOGS.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        for port in ports:
            if not system.num_servers:
                stack.enter_context(memcached(port))
                continue
            servers = [stack.enter_context(memcached())[0] for _ in range(system.num_servers)]
            addresses = [f"{HOST}:{server}" for server in servers]
            options = f"--admin-commands on {system.options} -p {port} -m {' '.join(addresses)}"
            command = ["java", "-jar", str(jar), *options.split()]
            stack.enter_context(running(command, port, LOGS / f"{system.name}-{port}.txt"))
        yield


def _free_fixed_ports(count: int) -> list[int]:
    """Return free ports that no outgoing connection takes: several systems use them in turn."""
    free = []
    for port in random.sample(range(20000, 30000), 100):
        try:
            socket.create_server((HOST, port)).close()
        except OSError:
            continue
        free.append(port)
        if len(free) == count:
            return free
    sys.exit(f"there are no {count} free ports on {HOST} between 20000 and 30000")


def _tell(*progress: str) -> None:
    for line in progress:
        print(line, file=sys.stderr, flush=True)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [language.name for language in LANGUAGES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="languages")
    parser.add_argument(
        "--allow-missing",
        action="store_true",
        help="languages that cannot be built on this machine are no failure",
    )
    parser.add_argument("--jar", type=Path, default=JAR, help="another build of the middleware")
    return parser.parse_args()


if __name__ == "__main__":
    main()
