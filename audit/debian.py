"""Debian's packages on this machine: those that `debian.sh` asks for, and what they depend on."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from audit.package import Package

DOCUMENTATION = Path("/usr/share/doc")
_LICENCE = re.compile(r"^License:[ \t]*(\S.*)$", re.MULTILINE)
_DEPENDS = ["depends", "--recurse", "--installed", "--no-suggests", "--no-recommends"]
_DEPENDS += ["--no-conflicts", "--no-breaks", "--no-replaces", "--no-enhances"]


def of_debian(script: Path, use: str) -> Iterator[Package]:
    """Ask for the packages that are installed here; none where there is no dpkg.

    Parameters
    ----------
    script
        The program that installs them: `debian.sh`.
    use
        What they are used for.
    """
    if not shutil.which("dpkg-query"):
        return
    asked = _lines([str(script), "--list"])
    known = _lines(["apt-cache", *_DEPENDS, *asked])
    names = {name for name in known if re.match(r"[a-z0-9]", name)}  # others: <virtual>, edges
    form = "${db:Status-Abbrev}\t${Package}\t${Version}\n"
    for line in sorted(set(_lines(["dpkg-query", "--show", f"--showformat={form}", *names]))):
        status, name, version = line.split("\t")
        if status.startswith("ii"):
            yield Package(kind="deb", name=name, version=version, use=use, licences=_licences(name))


def _lines(command: list[str]) -> list[str]:
    """Run a command whose status does not matter: packages that are not there are no error."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def _licences(name: str) -> str | None:
    """Short names of the licences of a package's files, where it tells them so."""
    text = DOCUMENTATION / name / "copyright"
    if not text.is_file():
        return None
    found = _LICENCE.findall(text.read_text("utf-8", errors="replace"))
    return "; ".join(sorted({licence.strip() for licence in found})) or f"see {text}"
