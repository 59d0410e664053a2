"""Run every test there is, or some of its parts; keep what came out in docs/reference/proofs.md.

make test-all                         # all parts one after the other: most of a day
make test-all PART="lab outages"      # some of them
make test-all PART=kills PUBLISH=1    # keep the result in docs/reference/proofs.md, too
make test-all PART=fuzzing ARGUMENTS="--runs 100000000"
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from remote.git_commands import git_command

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_suffix(".json")
DOCUMENT = ROOT / "docs" / "reference" / "proofs.md"
TABLE_BEGIN, TABLE_END = "<!-- results -->", "<!-- end of results -->"
STOP_TIMEOUT_S = 30
FIELDS: dict[str, type | tuple[type, ...]] = {
    "part": str,
    "count": int,
    "failures": int,
    "seconds": (int, float),
    "notes": str,
}
PYTHON = [sys.executable, "-u"]
MAVEN = [
    "middleware-kotlin/mvnw",
    "--batch-mode",
    "--no-transfer-progress",
    "--file",
    "middleware-kotlin/pom.xml",
]
OUTCOME = re.compile(r"(\d+) (passed|failed|errors?)")  # in the last line of pytest
SUREFIRE = re.compile(r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: \d+\s*$")


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the tests that can run alone.

    Attributes
    ----------
    what : what is tested, for the table of results.
    command : what tests it; its exit status is 0 if nothing failed.
    limit_s : after which it is ended, and has failed: several times what it takes.
    environment : variables that it is run with, unless they are set already.
    """

    name: str
    what: str
    command: Sequence[str]
    limit_s: float = 3600
    environment: Mapping[str, str] = field(default_factory=dict)


def _tests(name: str, what: str, *paths: str, **options: Any) -> Part:
    command = [*PYTHON, "-m", "pytest", "--quiet", *paths]
    return Part(name=name, what=what, command=command, **options)


def _proof(name: str, what: str, script: str, **options: Any) -> Part:
    path = str(ROOT / "middleware-kotlin" / "prove" / f"{script}.py")
    return Part(name=name, what=what, command=[*PYTHON, path], **options)


_LAB, _HOURS = "tests/integration", 4 * 3600.0
PARTS = [
    _tests("unit", "Python code alone", "--numprocesses=auto", "--dist=worksteal", "tests/unit"),
    Part(
        name="kotlin",
        what="Middleware and load generator, over both transports; style",
        command=[*MAVEN, "verify", "-Pktor"],
    ),
    Part(
        name="notebooks",
        what="The notebooks show on the reference campaign what is committed",
        command=[*PYTHON, "-m", "report.check"],
    ),
    _tests("reports", "Reports, claims and exports of whole campaigns", "tests/reports"),
    _tests("lab", "The local lab: links, delays, limits, what it leaves behind", f"{_LAB}/lab"),
    _tests("hosts", "SSH, jobs, Ansible and Dask on the lab's hosts", f"{_LAB}/hosts"),
    _tests("campaigns", "Runs and campaigns on the lab, any middleware", f"{_LAB}/campaigns"),
    _tests("outages", "Controllers, programs and links that die in a run", f"{_LAB}/outages"),
    _tests("queues", "Message queues on PostgreSQL", f"{_LAB}/queues"),
    _tests("rootless", "Labs and fleets of users who are not root", f"{_LAB}/rootless"),
    _tests("browser", "The report and JupyterLab in Chromium", "tests/browser"),
    _tests("tutorial", "docs/tutorial.md, command by command", "tests/tutorial/follow_it.py"),
    _tests(
        "kills",
        "100 controllers killed at random moments: no run lost or measured twice",
        f"{_LAB}/outages/test_kills.py",
        environment={"MWLAB_KILLS": "100"},
        limit_s=_HOURS,
    ),
    _tests(
        "long-outages",
        "Links that are down for 5, 30 and 120 s, in runs and between them",
        f"{_LAB}/outages/test_outages.py",
        environment={"MWLAB_OUTAGES": "5 30 120"},
    ),
    _tests("hundred-hosts", "A hundred hosts on this machine", "tests/scale/hundred_hosts.py"),
    _tests(
        "planted",
        "Systems whose truth is known: a campaign must find it",
        *(f"tests/planted/{name}.py" for name in ("on_the_lab", "bottlenecks")),
        *(f"tests/planted/{name}.py" for name in ("followed_on_the_lab", "assignments")),
        limit_s=_HOURS,
    ),
    _tests(
        "virtual-machines",
        "Virtual machines from bare to measured, with faults",
        "--exitfirst",
        "tests/vm/on_virtual_machines.py",
        limit_s=_HOURS,
    ),
    _proof("differential", "Commands answered as memcached answers them", "differential"),
    _proof("fuzzing", "Parsers and connections, fuzzed", "fuzzing", limit_s=24 * 3600),
    _proof("clients", "Test suites of client libraries of others", "clients"),
    _proof("faults", "Replies checked while servers and links fail", "faults"),
    _proof("messages", "Every message counted while databases are killed", "queues"),
    _proof("soak", "20 minutes of load: nothing grows", "soak"),
]


def main() -> None:
    """Run the parts that are asked for; exit status 1 unless all of them have passed."""
    arguments = _parse_arguments()
    chosen = [part for part in PARTS if part.name in (arguments.parts or [part.name])]
    results = []
    for number, part in enumerate(chosen, 1):
        print(f"== [{number}/{len(chosen)}] {part.name}: {part.what}", flush=True)
        results.append(_run(part, [*_covered(part, arguments.coverage), *arguments.options]))
        if arguments.publish:
            publish(results[-1:])
    print("\n" + "\n".join(table(results)))
    if any(result["failures"] for result in results):
        sys.exit(1)


def table(results: Iterable[dict[str, Any]]) -> list[str]:
    """Lines of a table in Markdown, one row for each part."""
    rows = [["Part", "Count", "Failures", "Time (s)", "What was done", "Date", "Commit"]]
    rows += [
        [
            result["part"],
            f"{result['count']:,}",
            f"{result['failures']:,}",
            f"{result['seconds']:,.0f}",
            result["notes"].replace("|", "\\|").replace("\n", " "),
            result["date"],
            result["commit"],
        ]
        for result in results
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows.insert(1, ["-" * width for width in widths])
    return [f"| {' | '.join(map(str.ljust, row, widths))} |" for row in rows]


def publish(results: Iterable[dict[str, Any]]) -> None:
    """Replace what was published of the same parts, in `RESULTS` and `DOCUMENT`."""
    published = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    by_part = {result["part"]: result for result in [*published, *results]}
    order = [part.name for part in PARTS]
    ordered = sorted(by_part.values(), key=lambda result: order.index(result["part"]))
    RESULTS.write_text(json.dumps(ordered, indent=2) + "\n", encoding="utf-8")
    text = DOCUMENT.read_text(encoding="utf-8")
    before, begin, rest = text.partition(TABLE_BEGIN)
    _, end, after = rest.partition(TABLE_END)
    if not begin or not end:
        raise SystemExit(f"{DOCUMENT} has no lines {TABLE_BEGIN} and {TABLE_END}; add them")
    rows = "\n".join(table(ordered))
    DOCUMENT.write_text(f"{before}{begin}\n\n{rows}\n\n{end}{after}", encoding="utf-8")


def counted(part: Part, lines: Sequence[str]) -> dict[str, Any] | None:
    """Return what the output of a part says of its tests; None if it says nothing.

    A script's last line is a JSON object with `FIELDS`; pytest and Maven count tests.
    """
    last = lines[-1] if lines else ""
    with contextlib.suppress(ValueError):
        found = json.loads(last)
        if isinstance(found, dict) and all(
            isinstance(found.get(name), kind) for name, kind in FIELDS.items()
        ):
            return {name: found[name] for name in FIELDS} | {"part": part.name}
    outcomes = {name.rstrip("s"): int(count) for count, name in OUTCOME.findall(last)}
    if outcomes:
        return {
            "count": sum(outcomes.values()),
            "failures": sum(outcomes.values()) - outcomes.get("passed", 0),
        }
    suites = [m for line in lines if (m := SUREFIRE.search(line))]
    if suites:
        return {
            "count": sum(int(m[1]) for m in suites),
            "failures": sum(int(m[2]) + int(m[3]) for m in suites),
        }
    return None


def _covered(part: Part, name: str) -> list[str]:
    """Return the command of a part, which counts the lines that it runs if `name` is not empty."""
    command = list(part.command)
    if not name:
        return command
    data = ROOT / "build" / "coverage" / name / "python"
    data.parent.mkdir(parents=True, exist_ok=True)
    if command[: len(MAVEN)] == MAVEN:
        return [*command, "-Pcoverage", f"-Dcoverage.folder={data.with_name('kotlin')}"]
    return [*PYTHON, "-m", "coverage", "run", f"--data-file={data}", *command[len(PYTHON) :]]


def _run(part: Part, command: Sequence[str]) -> dict[str, Any]:
    started = datetime.now(UTC)
    # A session of its own: a part that takes too long is ended with all that it has started.
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**part.environment, **os.environ},
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        timer = threading.Timer(part.limit_s, _stop, [process])
        timer.start()
        try:
            lines = _pass_on(process)
            status = process.wait()
        except KeyboardInterrupt:
            _stop(process)
            raise
        finally:
            timer.cancel()
    seconds = (datetime.now(UTC) - started).total_seconds()
    result: dict[str, Any] = {
        "part": part.name,
        "count": 1,
        "failures": 0,
        "seconds": seconds,
        "notes": part.what,
    }
    result |= counted(part, lines) or {}
    if status != 0:
        result["failures"] = max(1, result["failures"])
        result["notes"] = f"exit status {status}; {result['notes']}"
    return result | {"date": f"{started:%Y-%m-%d}", "commit": _commit()}


def _pass_on(process: subprocess.Popen[str]) -> list[str]:
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        print(f"   {line}", end="", flush=True)
        if line.strip():
            lines.append(line.strip())
    return lines


def _stop(process: subprocess.Popen[str]) -> None:
    """Let the part end what it has started; kill what is left of its session after a while."""
    try:
        process.terminate()
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        pass
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _commit() -> str:
    """Abbreviated commit of the checkout, with a plus if the sources differ from it."""

    def git(*words: str) -> str:
        answer = subprocess.run(
            git_command(ROOT, *words), capture_output=True, text=True, check=False
        )
        return answer.stdout.strip()

    is_dirty = bool(
        git(
            "status",
            "--porcelain",
            "--untracked-files=no",
            "--",
            ":!docs",
            f":!{RESULTS.relative_to(ROOT)}",
        )
    )
    return (git("rev-parse", "--short=7", "HEAD") or "unknown") + ("+" if is_dirty else "")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [part.name for part in PARTS]
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"default: {' '.join(names)}")
    parser.add_argument("--coverage", default="", metavar="NAME", help="count the lines that run")
    parser.add_argument("--publish", action="store_true", help="write the results into docs")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:split])
    arguments.options = words[split + 1 :]
    if unknown := [name for name in arguments.parts if name not in names]:
        parser.error(f"no such part: {' '.join(unknown)}. Parts are: {' '.join(names)}")
    return arguments


if __name__ == "__main__":
    # A part ends its servers in order when it is told to; so must what waits for it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
