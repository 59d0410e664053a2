"""Write how much of the code tests run, `make test` beside `make test-all`, into proofs.md.

make test COVERAGE=test
make test-all COVERAGE=all PART="unit kotlin notebooks reports lab ..."
.venv/bin/python tests/line_coverage.py
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ROOT / "build" / "coverage"
DOCUMENT = ROOT / "docs" / "reference" / "proofs.md"
BEGIN, END = "<!-- coverage -->", "<!-- end of coverage -->"
FEWER = 0.90  # of the lines that `make test-all` runs in a file; with fewer it is listed


@dataclass(frozen=True)
class Run:
    """Lines and branches of code that tests have run, of all that there are."""

    lines: int
    all_lines: int
    branches: int
    all_branches: int

    @classmethod
    def sum(cls, runs: Iterable[Run]) -> Run:
        """Add up those of several files."""
        rows = [(r.lines, r.all_lines, r.branches, r.all_branches) for r in runs]
        return cls(*map(sum, zip(*rows, strict=True)))


Files = Mapping[str, Run]


def python_files(name: str) -> Files:
    """Read what `coverage run` has counted of Python, by file."""
    folder = MEASURED / name
    data = f"--data-file={folder / 'python'}"
    tool = [sys.executable, "-m", "coverage"]
    if list(folder.glob("python.*.*")):
        subprocess.run([*tool, "combine", "--quiet", "--append", data, str(folder)], check=True)
    report = folder / "python.json"
    subprocess.run([*tool, "json", "--quiet", data, "-o", str(report)], cwd=ROOT, check=True)
    files = json.loads(report.read_text())["files"]
    totals = {path: found["summary"] for path, found in files.items()}
    return {
        path: Run(
            total["covered_lines"],
            total["num_statements"],
            total["covered_branches"],
            total["num_branches"],
        )
        for path, total in totals.items()
    }


def kotlin_files(name: str) -> Files:
    """Read what JaCoCo has counted of Kotlin, by file."""
    found: dict[str, list[Run]] = {}
    with (MEASURED / name / "kotlin" / "jacoco.csv").open() as file:
        for row in csv.DictReader(file):
            counts = {key: int(value) for key, value in row.items() if value.isdecimal()}
            lines, branches = counts["LINE_COVERED"], counts["BRANCH_COVERED"]
            path = f"{row['PACKAGE'].replace('.', '/')}/{row['CLASS'].split('.')[0]}"
            run = Run(
                lines, lines + counts["LINE_MISSED"], branches, branches + counts["BRANCH_MISSED"]
            )
            found.setdefault(path, []).append(run)
    return {path: Run.sum(runs) for path, runs in found.items()}


def share(part: int, whole: int) -> str:
    """Format a share in percent."""
    return f"{part / whole:.1%}"


def table(test: Mapping[str, Files], everything: Mapping[str, Files]) -> str:
    """Return Markdown: lines and branches by language, then the files that few tests run."""
    rows, rarely = [], []
    for language, files in everything.items():
        few, many = Run.sum(test[language].values()), Run.sum(files.values())
        rows.append(
            {
                "Code": language,
                "Lines": many.all_lines,
                "`make test`": share(few.lines, few.all_lines),
                "`make test-all`": share(many.lines, many.all_lines),
                "the first of the second": share(few.lines, many.lines),
                "Branches": many.all_branches,
                "`make test` ": share(few.branches, few.all_branches),
                "`make test-all` ": share(many.branches, many.all_branches),
            }
        )
        for path, run in sorted(files.items()):
            lines = test[language][path].lines if path in test[language] else 0
            if lines < FEWER * run.lines:
                rarely.append(
                    {"File": f"`{path}`", "`make test`": lines, "`make test-all`": run.lines}
                )
    return "\n\n".join(
        [
            tabulate(rows, headers="keys", tablefmt="github", intfmt=","),
            f"Files of which `make test` runs less than {FEWER:.0%} of the lines that "
            "`make test-all` runs, with the number of lines that each runs:",
            tabulate(rarely, headers="keys", tablefmt="github"),
        ]
    )


def main() -> None:
    """Write the table."""
    readers = {"Python": python_files, "Kotlin": kotlin_files}
    test, everything = (
        {language: read(name) for language, read in readers.items()} for name in ("test", "all")
    )
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    shown = table(test, everything)
    DOCUMENT.write_text(f"{before}{BEGIN}\n\n{shown}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
