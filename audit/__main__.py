"""List all packages, what is known against them, and bills of materials: `make audit`.

Exit status: 0 if nothing is known against any package, 1 if something is, 3 if not all could be
looked up and nothing is known against the others.
"""

from __future__ import annotations

import csv
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from audit import pinned, vulnerabilities
from audit.boms import read_bom, write_python_bom
from audit.debian import of_debian
from audit.package import Package
from audit.vulnerabilities import Known, NotLookedUp

PROJECT = Path(__file__).parents[1]
KOTLIN = PROJECT / "middleware-kotlin"
CLIENTS = KOTLIN / "prove" / "clients"
CHECKSUMS = KOTLIN / ".mvn" / "checksums" / "checksums.sha256"
REPOSITORY = Path.home() / ".m2" / "repository"
REQUIREMENTS = [PROJECT / "requirements.lock", CLIENTS / "python" / "requirements.txt"]
FOLDER = PROJECT / "build" / "sbom"
FOUND, NOT_ALL_LOOKED_UP = 1, 3


def main() -> int:
    """Write the table and the bills, and say what is known."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    packages = everything()
    known, unknown = look_up(packages)
    table = FOLDER / "packages.csv"
    write_table(table, packages, known, unknown)
    print("\n".join(summary(packages)))
    print(f"Each package and its licences: {table.relative_to(PROJECT)}")
    for package in packages:
        if package.url in known:
            print(f"VULNERABLE: {package.url} ({package.use}): {', '.join(known[package.url])}")
    for kinds, reason in unknown.items():
        print(
            f"NOT LOOKED UP, so silence about {kinds} packages means nothing: {reason}",
            file=sys.stderr,
        )
    if not unknown and not known:
        print("No vulnerabilities are known, Debian's packages aside")
    print("Debian mends its packages in place, and is not asked here: apt-get upgrade")
    return FOUND if known else NOT_ALL_LOOKED_UP if unknown else 0


def everything() -> list[Package]:
    """All packages, sorted; what is in the jar is told as that."""
    jar, python = FOLDER / "middleware.json", FOLDER / "python.json"
    shutil.copy(KOTLIN / "target" / "middleware-sbom.json", jar)
    write_python_bom(python, PROJECT / "pyproject.toml")
    clients = "a client to prove the middleware with"
    script = PROJECT / "remote" / "hosts" / "provision" / "debian.sh"
    found = [
        *read_bom(jar, "in the middleware's jar"),
        *pinned.of_maven(CHECKSUMS, REPOSITORY, "builds, tests or proves the jar"),
        *read_bom(python, "Python environment"),
        *pinned.of_python(REQUIREMENTS[1], clients),
        *pinned.of_npm(CLIENTS / "node" / "package-lock.json", clients),
        *pinned.of_go(CLIENTS / "go" / "go.sum", clients),
        *pinned.of_cargo(CLIENTS / "rust" / "Cargo.toml", clients),
        *of_debian(script, "programs of the lab and the report"),
    ]
    first: dict[str, Package] = {}
    for package in found:
        first.setdefault(package.url, package)
    return sorted(first.values())


def look_up(packages: list[Package]) -> tuple[Known, dict[str, str]]:
    """Ask about all but Debian's.

    Returns
    -------
    known
        What is known, by package URL.
    unknown
        Kinds of package of which not all could be asked about, to the reason.
    """
    others = [package for package in packages if package.kind not in ("pypi", "deb")]
    asked: dict[str, Callable[[], Known]] = {
        "pypi": lambda: vulnerabilities.of_python(REQUIREMENTS),
        ", ".join(sorted({package.kind for package in others})): (
            lambda: vulnerabilities.of_others(others)
        ),
    }
    known: Known = {}
    unknown: dict[str, str] = {}
    for kinds, ask in asked.items():
        try:
            known |= ask()
        except NotLookedUp as failure:
            unknown[kinds] = str(failure)
            known |= failure.known
    return known, unknown


def write_table(
    path: Path, packages: Iterable[Package], known: Known, unknown: Iterable[str]
) -> None:
    """Write a line for each package."""
    silent = {"deb", *(kind for kinds in unknown for kind in kinds.split(", "))}
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["kind", "name", "version", "use", "licences", "vulnerabilities"])
        for one in packages:
            none = "not looked up" if one.kind in silent else ""
            told = " ".join(known.get(one.url, [])) or none
            licences = "not known here" if one.licences is None else one.licences or "none told"
            rows.writerow([one.kind, one.name, one.version, one.use, licences, told])


def summary(packages: Sequence[Package]) -> list[str]:
    """Say how many packages are used for what, and how many tell no licence."""
    uses = Counter((package.kind, package.use) for package in packages)
    silent = Counter((package.kind, package.use) for package in packages if not package.licences)
    lines = ["Packages, those whose licence is not known here, and what they are used for:"]
    for (kind, use), count in sorted(uses.items()):
        lines.append(f"{count:5} {silent[kind, use]:5} {kind:7} {use}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
