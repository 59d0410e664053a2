"""What the proofs share: processes on loopback, as those of the benches, and the line of a result.

Import it first: it makes `processes` and the other modules of `bench` importable.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MAVEN_PROJECT = Path(__file__).parents[1]
CLASS_PATH = MAVEN_PROJECT / "target" / "prove.classpath"
sys.path.append(str(MAVEN_PROJECT / "bench"))


def print_result(part: str, count: int, failures: int, seconds: float, notes: str) -> None:
    """Print what a part found out, as `tests/parts.py` reads it: the last line."""
    result = {
        "part": part,
        "count": count,
        "failures": failures,
        "seconds": round(seconds, 1),
        "notes": notes,
    }
    print(json.dumps(result), flush=True)


def java_with_tests() -> list[str]:
    """Compile the tests; returns the command that runs a class of theirs, without its name."""
    subprocess.run(
        [
            *(str(MAVEN_PROJECT / "mvnw"), "--batch-mode", "--no-transfer-progress", "--quiet"),
            *("--file", str(MAVEN_PROJECT / "pom.xml"), "-Pfuzz"),
            *("test-compile", "dependency:build-classpath"),
            f"-Dmdep.outputFile={CLASS_PATH}",
        ],
        check=True,
        stdout=sys.stderr,
    )
    classes = [str(MAVEN_PROJECT / "target" / name) for name in ("test-classes", "classes")]
    path = ":".join([*classes, CLASS_PATH.read_text(encoding="utf-8").strip()])
    return ["java", "-cp", path]
