"""Packages of the files that pin them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from audit.package import Package, python_name

_ARTIFACT = re.compile(
    r"[0-9a-f]{64}  (?P<group>.+)/(?P<artifact>[^/]+)/(?P<version>[^/]+)"
    r"/(?P=artifact)-(?P=version)[^/]*\.(?:jar|tar\.gz)"
)


def of_maven(checksums: Path, repository: Path, use: str) -> Iterator[Package]:
    """Read the packages of which there is a file, not only a description (POM).

    Parameters
    ----------
    checksums
        Lines of a SHA-256 and a path in Maven's repository.
    repository
        Maven's on this machine, whose descriptions tell licences: those it has fetched.
    use
        What they are used for.
    """
    matches = filter(None, map(_ARTIFACT.fullmatch, checksums.read_text("utf-8").splitlines()))
    for group, artifact, version in sorted({match.group(1, 2, 3) for match in matches}):
        yield Package(
            kind="maven",
            name=f"{group.replace('/', '.')}/{artifact}",
            version=version,
            use=use,
            licences=_licences(repository, group, artifact, version),
        )


def _licences(repository: Path, group: str, artifact: str, version: str) -> str | None:
    """Licences that a description tells, or else its parent's."""
    description = repository / group / artifact / version / f"{artifact}-{version}.pom"
    if not description.is_file():
        return None
    project = ElementTree.parse(description).getroot()
    names = [e.text.strip() for e in project.findall("{*}licenses/{*}license/{*}name") if e.text]
    parent = project.find("{*}parent")
    if names or parent is None:
        return "; ".join(dict.fromkeys(names))
    above, called, of = (
        parent.findtext(f"{{*}}{tag}", "").strip() for tag in ("groupId", "artifactId", "version")
    )
    return _licences(repository, above.replace(".", "/"), called, of)


def of_npm(lock: Path, use: str) -> Iterator[Package]:
    """Read the packages of a `package-lock.json`, at any depth."""
    for path, entry in json.loads(lock.read_text("utf-8"))["packages"].items():
        if path:
            yield Package(
                kind="npm",
                name=entry.get("name", path.rpartition("node_modules/")[2]),
                version=entry["version"],
                use=use,
                licences=entry.get("license", ""),
            )


def of_go(sums: Path, use: str) -> Iterator[Package]:
    """Read the modules of a `go.sum` whose sources are used, not only their `go.mod`."""
    for line in sums.read_text("utf-8").splitlines():
        name, version, _ = line.split()
        if not version.endswith("/go.mod"):
            yield Package(kind="golang", name=name, version=version, use=use)


def of_cargo(manifest: Path, use: str) -> Iterator[Package]:
    """Read the crates that a `Cargo.toml` asks for in one version, `=0.21.0`."""
    for name, wanted in tomllib.loads(manifest.read_text("utf-8"))["dependencies"].items():
        version = wanted["version"] if isinstance(wanted, dict) else wanted
        yield Package(kind="cargo", name=name, version=version.removeprefix("="), use=use)


def of_python(requirements: Path, use: str) -> Iterator[Package]:
    """Read the packages of a file of pip's that pins each one, `name==version`."""
    pins = re.findall(r"^([\w.-]+)==([^\s;\\]+)", requirements.read_text("utf-8"), re.MULTILINE)
    for name, version in pins:
        yield Package(kind="pypi", name=python_name(name), version=version, use=use)
