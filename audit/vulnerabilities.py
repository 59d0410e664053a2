"""What is known against packages: pip-audit knows Python's, OSV all others.

Neither answer is guessed: who cannot be asked is an error, so that silence is no all-clear.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from audit.package import Package, python_name

OSV = "https://api.osv.dev/v1/querybatch"
MOST_QUERIES = 1000
"""Packages that OSV answers for at once."""
TIMEOUT_S = 30

Known = dict[str, list[str]]
"""Package URLs to the identifiers of what is known against them."""


class NotLookedUp(Exception):
    """Nobody could be asked; says who, and why. `known` is what was told of some packages."""

    def __init__(self, reason: str, known: Known | None = None) -> None:
        super().__init__(reason)
        self.known = known or {}


def of_python(requirements: Sequence[Path]) -> Known:
    """Ask pip-audit about all packages that files of pip's pin by hash.

    Raises
    ------
    NotLookedUp
        Its service could not be reached, or does not know a package.
    """
    command = [sys.executable, "-m", "pip_audit", "--format=json", "--progress-spinner=off"]
    command += ["--disable-pip", "--require-hashes"]
    command += [f"--requirement={path}" for path in requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError as error:
        reason = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise NotLookedUp(f"pip-audit: {reason}") from error
    known = {
        _url_of(package): [one["id"] for one in package["vulns"]]
        for package in packages
        if package.get("vulns")
    }
    if skipped := [package for package in packages if "skip_reason" in package]:
        count, first = f"{len(skipped)} of {len(packages)}", skipped[0]["skip_reason"]
        raise NotLookedUp(f"pip-audit left out {count} packages, the first because: {first}", known)
    return known


def _url_of(package: dict[str, str]) -> str:
    name = python_name(package["name"])
    return Package(kind="pypi", name=name, version=package["version"], use="").url


def of_others(packages: Iterable[Package], service: str = OSV) -> Known:
    """Ask OSV about packages of any kind by their package URLs.

    Raises
    ------
    NotLookedUp
        It could not be reached, or its answer is none.
    """
    urls = sorted({package.url for package in packages})
    known: Known = {}
    for first in range(0, len(urls), MOST_QUERIES):
        some = urls[first : first + MOST_QUERIES]
        for url, result in zip(some, _ask(some, service), strict=True):
            if found := [one["id"] for one in result.get("vulns", [])]:
                known[url] = found
    return known


def _ask(urls: list[str], service: str) -> list[dict[str, list[dict[str, str]]]]:
    """Results in the order of the package URLs: `{"vulns": [{"id": "GHSA-..."}]}`, or `{}`."""
    queries = {"queries": [{"package": {"purl": url}} for url in urls]}
    headers = {"Content-Type": "application/json"}
    request = Request(service, data=json.dumps(queries).encode(), headers=headers)
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:
            results = json.load(answer)["results"]
    except (URLError, OSError, ValueError, KeyError) as error:
        raise NotLookedUp(f"{service}: {error}") from error
    if len(results) != len(urls):
        raise NotLookedUp(f"{service}: {len(results)} answers to {len(urls)} questions")
    return list(results)
