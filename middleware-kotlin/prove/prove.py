"""Run the proofs one after the other; print one table, and exit with 1 if any of them failed.

Each part is a script of this folder. It tells its progress line by line, exits with a status other
than 0 on any failure, and its last line is a JSON object:

    {"part": "faults", "count": 200, "failures": 0, "seconds": 81.5, "notes": "200 faults, seed 7"}

    python middleware-kotlin/prove/prove.py                      # all parts of `make prove`
    python middleware-kotlin/prove/prove.py fuzzing -- --runs 100000000
    python middleware-kotlin/prove/prove.py --publish  # into results.json, docs/reference/proofs.md
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from analysis.git_commands import git_command

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
RESULTS = FOLDER / "results.json"
DOCUMENT = ROOT / "docs" / "reference" / "proofs.md"
TABLE_BEGIN, TABLE_END = "<!-- results -->", "<!-- end of results -->"
TOGETHER = ("differential", "fuzzing", "clients", "faults", "queues")
TIMEOUT_S = 15 * 60
STOP_TIMEOUT_S = 30
FIELDS: dict[str, type | tuple[type, ...]] = {
    "part": str,
    "count": int,
    "failures": int,
    "seconds": (int, float),
    "notes": str,
}


def main() -> None:
    """Run the parts that are asked for; exit status 1 unless all of them have passed."""
    arguments = _parse_arguments()
    results = [_prove(part, arguments.options, arguments.timeout_s) for part in arguments.parts]
    print("\n" + "\n".join(table(results)))
    if arguments.publish:
        publish(results)
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
    """Replace what was published of the same parts, in `results.json` and `DOCUMENT`."""
    published = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    by_part = {result["part"]: result for result in [*published, *results]}
    RESULTS.write_text(json.dumps(list(by_part.values()), indent=2) + "\n", encoding="utf-8")
    text = DOCUMENT.read_text(encoding="utf-8")
    before, begin, rest = text.partition(TABLE_BEGIN)
    _, end, after = rest.partition(TABLE_END)
    if not begin or not end:
        raise SystemExit(f"{DOCUMENT} has no lines {TABLE_BEGIN} and {TABLE_END}; add them")
    rows = "\n".join(table(by_part.values()))
    DOCUMENT.write_text(f"{before}{begin}\n\n{rows}\n\n{end}{after}", encoding="utf-8")
    print(f"published in {DOCUMENT.relative_to(ROOT)}")


def _prove(part: str, options: Sequence[str], timeout_s: float) -> dict[str, Any]:
    print(f"== {part}", flush=True)
    command = [sys.executable, "-u", str(FOLDER / f"{part}.py"), *options]
    started = datetime.now(UTC)
    # A session of its own: a part that takes too long is ended with all that it has started.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, errors="replace", start_new_session=True
    ) as process:
        timer = threading.Timer(timeout_s, _stop, [process])
        timer.start()
        try:
            last_line = _pass_on(process)
            status = process.wait()
        except KeyboardInterrupt:
            _stop(process)
            raise
        finally:
            timer.cancel()
    seconds = (datetime.now(UTC) - started).total_seconds()
    result = _result(last_line) or {
        "part": part,
        "count": 0,
        "failures": 1,
        "seconds": seconds,
        "notes": f"no result: exit status {status} after {seconds:.0f} s",
    }
    if status != 0:
        result["failures"] = max(1, result["failures"])
    return result | {"date": f"{started:%Y-%m-%d}", "commit": _commit()}


def _pass_on(process: subprocess.Popen[str]) -> str:
    last_line = ""
    assert process.stdout is not None
    for line in process.stdout:
        print(f"   {line}", end="", flush=True)
        last_line = line.strip() or last_line
    return last_line


def _result(line: str) -> dict[str, Any] | None:
    """Return the object of a part's last line; None if it is something else."""
    try:
        result = json.loads(line)
    except ValueError:
        return None
    if not isinstance(result, dict):
        return None
    if any(not isinstance(result.get(field), kind) for field, kind in FIELDS.items()):
        return None
    return {field: result[field] for field in FIELDS}


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

    is_dirty = bool(git("status", "--porcelain", "--untracked-files=no", "--", "middleware-kotlin"))
    return (git("rev-parse", "--short=7", "HEAD") or "unknown") + ("+" if is_dirty else "")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    there = [part for part in TOGETHER if (FOLDER / f"{part}.py").exists()]
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"default: {' '.join(there)}")
    parser.add_argument("--publish", action="store_true", help="write the results into docs")
    parser.add_argument("--timeout-s", type=float, default=TIMEOUT_S, help="longest time of a part")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:split])
    arguments.options = words[split + 1 :]
    arguments.parts = arguments.parts or there
    unknown = [part for part in arguments.parts if not (FOLDER / f"{part}.py").exists()]
    if unknown:
        parser.error(f"no script of that name in {FOLDER}: {' '.join(unknown)}")
    return arguments


if __name__ == "__main__":
    # A part ends its servers in order when it is told to; so must what waits for it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
