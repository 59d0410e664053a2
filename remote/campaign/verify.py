"""Is a campaign still what was measured? Files, checks and tables gone over again."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.parsing import ParseError
from analysis.tables import NAMES, table_path
from analysis.tidy import tidy_campaign
from remote.checks import evaluate
from remote.errors import ConfigError
from remote.manifest import MANIFEST, read_manifest
from remote.run import PARTIAL_SUFFIX

TIDY = "tidy"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that is not as it was.

    Parameters
    ----------
    kind : ``damaged``, ``missing``, ``extra``, ``checks`` or ``tables``.
    """

    path: Path
    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}: {self.detail}"


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What was gone over, and all that is not as it was."""

    runs: int
    files: int
    tables: int
    findings: tuple[Finding, ...]


def verify_campaign(campaign_dir: Path) -> Verification:
    """Go over every run of a campaign: its files, its checks, and the tables made of them.

    Raises
    ------
    ConfigError
        There is no campaign.
    """
    if not campaign_dir.is_dir():
        raise ConfigError(campaign_dir, "no such campaign")
    folders = sorted(path.parent for path in campaign_dir.glob(f"*/*/*/{MANIFEST}"))
    if not folders:
        raise ConfigError(campaign_dir, "holds no runs")
    findings: list[Finding] = []
    files = 0
    for folder in folders:
        try:
            manifest = read_manifest(folder)
        except ConfigError as exc:
            findings.append(Finding(path=folder / MANIFEST, kind="damaged", detail=str(exc)))
            continue
        files += len(manifest.get("files", {}))
        of_files = list(file_findings(folder, manifest))
        findings += of_files or check_findings(folder, manifest)
    findings += _incomplete(campaign_dir)
    of_tables = list(table_findings(campaign_dir))
    tables = len(list((campaign_dir / TIDY).glob("*.parquet")))
    return Verification(
        runs=len(folders), files=files, tables=tables, findings=(*findings, *of_tables)
    )


def file_findings(folder: Path, manifest: dict[str, Any]) -> Iterator[Finding]:
    """Compare the files of a run with their checksums."""
    listed = manifest.get("files", {})
    for name, entry in sorted(listed.items()):
        path = folder / name
        if not path.is_file():
            yield Finding(path=path, kind="missing", detail="the manifest lists it")
            continue
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            detail = f"{len(content)} bytes with another SHA-256 than the {entry['bytes']} written"
            yield Finding(path=path, kind="damaged", detail=detail)
    there = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    for name in sorted(there - set(listed) - {MANIFEST}):
        yield Finding(path=folder / name, kind="extra", detail="the manifest does not list it")


def check_findings(folder: Path, manifest: dict[str, Any]) -> list[Finding]:
    """Make the checks of a run again; a run that broke off had none."""
    if "checks" not in manifest:
        return []
    again = evaluate(folder, manifest)
    before = {check["name"]: check["passed"] for check in manifest["checks"]}
    after = {check["name"]: check["passed"] for check in again["checks"]}
    changed = sorted(
        f"{name} was {_word(before.get(name))}, is {_word(after.get(name))}"
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name)
    )
    if again["status"] != manifest["status"]:
        changed.append(f"the run was {manifest['status']}, is {again['status']}")
    if again.get("window") != manifest.get("window"):
        changed.append(f"the window was {manifest.get('window')}, is {again.get('window')}")
    if not changed:
        return []
    return [Finding(path=folder / MANIFEST, kind="checks", detail="; ".join(changed))]


def _word(passed: bool | None) -> str:
    return {None: "not made", True: "passed", False: "not passed"}[passed]


def _incomplete(campaign_dir: Path) -> Iterator[Finding]:
    """Find folders beside the runs that no manifest vouches for."""
    for folder in sorted(campaign_dir.glob("*/*/*")):
        if folder.is_dir() and folder.parts[-3] != TIDY and not (folder / MANIFEST).exists():
            partial = folder.suffix == PARTIAL_SUFFIX
            kind = "extra" if partial else "missing"
            detail = "left by a process that was killed" if partial else "a run without manifest"
            yield Finding(path=folder, kind=kind, detail=detail)


def table_findings(campaign_dir: Path) -> Iterator[Finding]:
    """Make the tidy tables again, elsewhere, and compare them with those that are there."""
    sections = sorted({p.name.rsplit("-", 1)[0] for p in (campaign_dir / TIDY).glob("*.parquet")})
    for section in sections:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                tidy_campaign(campaign_dir, [section], into=Path(scratch))
            except (ParseError, FileNotFoundError, KeyError) as exc:
                where = campaign_dir / TIDY
                yield Finding(path=where, kind="tables", detail=f"{section}: {exc}")
                continue
            for name in NAMES:
                path = table_path(campaign_dir, section, name)
                difference = _difference(path, table_path(Path(scratch), section, name))
                if difference:
                    yield Finding(path=path, kind="tables", detail=difference)


def _difference(path: Path, again: Path) -> str:
    """Return how a table differs from what is made now, nothing where it is the same."""
    if not path.exists():
        return "was never written"
    if path.read_bytes() == again.read_bytes():
        return ""
    try:
        pd.testing.assert_frame_equal(
            pd.read_parquet(path), pd.read_parquet(again), check_exact=True
        )
    except (AssertionError, OSError, ValueError) as exc:
        return f"is not what the runs give: {' '.join(str(exc).split())[:200]}"
    return ""
