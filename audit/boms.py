"""Bills of materials (CycloneDX, JSON): Python's is made here, the jar's by Maven."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from audit.package import Package, python_name

SPECIFICATION = "1.6"
_URL = re.compile(r"pkg:(?P<kind>[^/]+)/(?P<name>[^@?]+)@(?P<version>[^?]+)")


def write_python_bom(path: Path, project: Path) -> None:
    """Write that of the environment that runs this.

    Raises
    ------
    subprocess.CalledProcessError
        The tool failed, or what it made does not pass CycloneDX's schema; stderr has said why.
    """
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--validate"]
    command += ["--output-reproducible", f"--spec-version={SPECIFICATION}", "--output-format=JSON"]
    command += [f"--pyproject={project}", f"--output-file={path}"]
    subprocess.run(command, check=True)


def read_bom(path: Path, use: str) -> Iterator[Package]:
    """Read the packages that a bill lists; what has no package URL is nobody else's."""
    for component in json.loads(path.read_text("utf-8")).get("components", []):
        if match := _URL.fullmatch(component.get("purl", "").partition("?")[0]):
            kind, name = match["kind"], unquote(match["name"])
            yield Package(
                kind=kind,
                name=python_name(name) if kind == "pypi" else name,
                version=unquote(match["version"]),
                use=use,
                licences="; ".join(map(_name_of, component.get("licenses", []))),
            )


def _name_of(choice: dict[str, Any]) -> str:
    """Name a licence as one of the three ways of CycloneDX does."""
    licence = choice.get("license", {})
    return str(choice.get("expression") or licence.get("id") or licence.get("name", ""))
