"""Is a campaign still what was measured? Files, checks and tables gone over again."""

from __future__ import annotations

import hashlib
import math
import re
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.results import ParseError
from analysis.results.manifests import (
    MANIFEST,
    PARTIAL_SUFFIX,
    TRANSCRIPT,
    measured_sections,
    run_folders,
)
from analysis.tables.frames import (
    NAMES,
    DamagedTablesError,
    table_contents,
    tables_path,
    tidied_files,
)
from analysis.tables.packed import raw_files, sections_without_files
from analysis.tables.tidying import tidy_campaign
from records.manifest import Manifest
from records.section import RESERVED, is_section_name
from records.verdict import ACCEPTED, PILOT
from remote.errors import ConfigError
from remote.experiment.checks.duration import is_long_enough
from remote.experiment.checks.run import evaluate
from remote.experiment.manifest import read_manifest
from remote.experiment.section import slug

TIDY = "tidy"
_TAIL_ERROR = re.compile(r"client_p\d+_ms_error")  # old runs state them; one run's tail has none
_UNUSABLE = (OSError, KeyError, TypeError, AttributeError, ValueError, ArithmeticError)
_REMEDY = f"delete the folder {TIDY}/ and tables are made anew when they are needed"


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
    """What was gone over, and all that is not as it was.

    Parameters
    ----------
    tables : how many sections have tables.
    short : configurations with accepted runs that are too short for their response times.
    unchecked : sections of which this copy has manifests and tables, but no raw files.
    """

    runs: int
    files: int
    tables: int
    findings: tuple[Finding, ...]
    short: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


def verify_campaign(campaign_dir: Path) -> Verification:
    """Go over every run of a campaign: its files, its checks, and the tables made of them.

    Sections of which this copy has no raw files are named, and of these only manifests gone over.

    Raises
    ------
    ConfigError
        There is no campaign.
    """
    if not campaign_dir.is_dir():
        raise ConfigError(campaign_dir, "no such campaign")
    try:
        unchecked = sections_without_files(campaign_dir)
        measured = measured_sections(campaign_dir)
        if not measured:
            raise ConfigError(campaign_dir, "holds no runs")
        with raw_files(campaign_dir, set(measured) - set(unchecked)) as runs_dir:
            found = _go_over(runs_dir, campaign_dir / TIDY, unchecked)
        others = [one for name in unchecked for one in _manifest_findings(campaign_dir / name)]
    except ParseError as exc:  # no file of the section can be told to be sound
        damaged = Finding(path=Path(exc.path), kind="damaged", detail=str(exc))
        return Verification(runs=0, files=0, tables=0, findings=(damaged,))
    findings = tuple(
        replace(one, path=campaign_dir / one.path.relative_to(runs_dir))
        if one.path.is_relative_to(runs_dir)
        else one
        for one in found.findings
    )
    return replace(found, findings=(*findings, *others), unchecked=tuple(unchecked))


def _manifest_findings(section_dir: Path) -> Iterator[Finding]:
    """Go over what is there of runs without their files."""
    for folder in run_folders(section_dir):
        try:
            yield from place_findings(folder, read_manifest(folder))
        except (ConfigError, *_UNUSABLE) as exc:
            yield Finding(path=folder / MANIFEST, kind="damaged", detail=str(exc))


def _go_over(runs_dir: Path, tidy_dir: Path, unchecked: Collection[str]) -> Verification:
    """Go over runs that have all their files, and tables that may stand elsewhere."""
    sections = set(measured_sections(runs_dir)) - set(unchecked)
    folders = [folder for section in sorted(sections) for folder in run_folders(runs_dir / section)]
    findings: list[Finding] = []
    short: list[str] = []
    files = 0
    for folder in folders:
        try:
            manifest = read_manifest(folder)
            if lacking := [name for name in TRANSCRIPT if name not in manifest.model_fields_set]:
                raise ConfigError(folder / MANIFEST, f"{lacking[0]} is missing")
            files += len(manifest.files)
            of_files = [*place_findings(folder, manifest), *file_findings(folder, manifest)]
            findings += of_files or check_findings(folder, manifest)
            if manifest.status == ACCEPTED and not is_long_enough(manifest):
                short.append("/".join(folder.parts[-3:-1]))
        except ConfigError as exc:
            findings.append(Finding(path=folder / MANIFEST, kind="damaged", detail=str(exc)))
        except _UNUSABLE as exc:
            detail = f"does not hold what a manifest holds: {type(exc).__name__}: {exc}"
            findings.append(Finding(path=folder / MANIFEST, kind="damaged", detail=detail))
    findings += [*_incomplete(runs_dir), *table_findings(runs_dir, tidy_dir, unchecked)]
    return Verification(
        runs=len(folders),
        files=files,
        tables=len([path for path in tidied_files(tidy_dir.parent) if path.stem not in unchecked]),
        findings=tuple(findings),
        short=tuple(dict.fromkeys(short)),
    )


def place_findings(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """Compare where a run stands with what it says that it is."""
    status, attempt = manifest.status, manifest.attempt
    suffix = "" if status == ACCEPTED else f".{status}-{attempt}"
    name = f"rep-{manifest.repetition}{suffix}"
    said = "/".join([manifest.section, slug(manifest.config), name])
    stands = "/".join(folder.parts[-3:])
    if said != stands:
        yield Finding(path=folder / MANIFEST, kind="damaged", detail=f"says that it is {said}")


def file_findings(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """Compare the files of a run with their checksums."""
    listed = manifest.files
    for name, entry in sorted(listed.items()):
        path = folder / name
        if not path.is_file():
            yield Finding(path=path, kind="missing", detail="the manifest lists it")
            continue
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            detail = f"{len(content)} bytes with another SHA-256 than the {entry.bytes} written"
            yield Finding(path=path, kind="damaged", detail=detail)
    there = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    for name in sorted(there - set(listed) - {MANIFEST}):
        yield Finding(path=folder / name, kind="extra", detail="the manifest does not list it")


def check_findings(folder: Path, manifest: Manifest) -> list[Finding]:
    """Make the checks of a run again; a run that broke off had none.

    Checks that were not known yet when it was measured change nothing, unless they reject it.
    """
    if not manifest.checks:
        return []
    again = evaluate(folder, manifest)
    before = {check.name: check.passed for check in manifest.checks}
    after = {check.name: check.passed for check in again.checks}
    changed = sorted(
        f"{name} was {_word(passed)}, is {_word(after.get(name))}"
        for name, passed in before.items()
        if passed != after.get(name)
    )
    if again.status != (ACCEPTED if manifest.status == PILOT else manifest.status):
        changed.append(f"the run was {manifest.status}, is {again.status}")
    of_window = [dict(one.window) if one.window else {} for one in (manifest, again)]
    of_results = [manifest.results, again.results]
    for name, (was, now) in (("window", of_window), ("results", of_results)):
        changed += [
            f"{name}: {key} was {was[key]}, is {now.get(key)}"
            for key in sorted(was)
            if not _is_same(was[key], now.get(key)) and not _TAIL_ERROR.fullmatch(key)
        ]
    if not changed:
        return []
    return [Finding(path=folder / MANIFEST, kind="checks", detail="; ".join(changed))]


def _is_same(was: Any, now: Any) -> bool:
    """Compare two values; processors differ in the last digits of a sum."""
    if isinstance(was, float) and isinstance(now, float):
        return math.isclose(was, now, rel_tol=1e-9, abs_tol=1e-12)
    return bool(was == now)


def _word(passed: bool | None) -> str:
    return {None: "not made", True: "passed", False: "not passed"}[passed]


def _incomplete(campaign_dir: Path) -> Iterator[Finding]:
    """Find folders beside the runs that no manifest vouches for."""
    for folder in sorted(campaign_dir.glob("*/*/*")):
        is_section = folder.parts[-3] not in RESERVED
        if is_section and folder.is_dir() and not (folder / MANIFEST).exists():
            partial = folder.suffix == PARTIAL_SUFFIX
            kind = "extra" if partial else "missing"
            detail = "left by a process that was killed" if partial else "a run without manifest"
            yield Finding(path=folder, kind=kind, detail=detail)


def table_findings(
    campaign_dir: Path, tidy_dir: Path, unchecked: Collection[str] = ()
) -> Iterator[Finding]:
    """Make the tidy tables again, elsewhere, and compare them with those that are there.

    Those of `unchecked` sections are left alone.
    """
    for path in tidied_files(tidy_dir.parent):
        section = path.stem
        if section in unchecked:
            continue
        if not is_section_name(section):
            detail = f"{section!r} cannot be the name of a section: remove its tables"
            yield Finding(path=tidy_dir, kind="tables", detail=detail)
            continue
        with tempfile.TemporaryDirectory() as scratch:
            try:
                tidy_campaign(campaign_dir, [section], into=Path(scratch))
                there = table_contents(path)
            except DamagedTablesError as exc:
                yield Finding(path=path, kind="tables", detail=f"{exc}; {_REMEDY}")
                continue
            except _UNUSABLE as exc:
                detail = f"{section} cannot be made again: {type(exc).__name__}: {exc}"
                yield Finding(path=tidy_dir, kind="tables", detail=detail)
                continue
            now = table_contents(tables_path(Path(scratch), section))
        for name in NAMES:
            if difference := table_difference(there.get(name), now.get(name)):
                yield Finding(path=path, kind="tables", detail=f"{name} {difference}")


def table_difference(there: bytes | None, now: bytes | None) -> str:
    """Return how a table differs from what is made now, nothing where it is the same.

    None stands for a table without rows.
    """
    if there == now:
        return ""
    if there is None or now is None:
        return f"is not what the runs give; {_REMEDY}"
    try:
        one, other = (
            pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True).read()
            for content in (there, now)
        )
    except (pa.ArrowException, OSError, UnicodeDecodeError) as exc:
        return f"cannot be read: {' '.join(str(exc).split())[:200]}; {_REMEDY}"
    if not one.equals(other):
        return f"is not what the runs give; {_REMEDY}"
    return (
        "holds what the runs give but in other bytes: it was altered, "
        f"or written by another version of pyarrow; {_REMEDY}"
    )
