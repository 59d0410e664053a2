"""The manifests of a campaign's runs: in the runs' folders or, of packed sections, in one file.

``<section>/<configuration>/<run>/manifest.json`` is the manifest of a run. `lab pack` moves those
of a section into ``<section>/manifests.json.gz``, by the paths of the runs' folders in the section.
A packed run is named by its folder all the same; a manifest that is in its folder comes first.
"""

import contextlib
import gc
import gzip
import json
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from analysis.results.errors import ParseError
from records.documents import read_json, require_plain_values
from records.files.unpacking import LARGEST_FILE_BYTES, gunzip
from records.manifest import Manifest
from records.names import is_plain_path

MANIFEST, PACKED_MANIFESTS = "manifest.json", "manifests.json.gz"
TRANSCRIPT = ("files", "jobs")  # of a manifest: what the run left and did; no table has it
_LARGEST_BYTES = 16 << 20
_MAY_CHANGE_UNSEEN_NS = 100_000_000  # a file system's clock ticks; twice in a tick is one time
PARTIAL_SUFFIX = ".partial"  # of the folder of a run that is not complete

_Packed = Mapping[str, Mapping[str, dict[str, Any]]]


def measured_sections(campaign_dir: Path) -> list[str]:
    """Return the sections of which a campaign holds anything."""
    packed = {path.parent.name for path in campaign_dir.glob(f"*/{PACKED_MANIFESTS}")}
    return sorted(packed.union(loose_sections(campaign_dir)))


def loose_sections(campaign_dir: Path) -> list[str]:
    """Return the sections that have runs which are not packed."""
    return sorted(
        folder.name for folder in campaign_dir.glob("*") if any(folder.glob(f"*/*/{MANIFEST}"))
    )


def run_folders(section_dir: Path) -> list[Path]:
    """Return the folders of a section's runs in their order, also those of packed runs."""
    names = {(name, run) for name in _folders(section_dir) for run in _runs(section_dir / name)}
    packed = packed_documents(section_dir)
    names.update((name, run) for name, runs in packed.items() for run in runs)
    return [section_dir / name / run for name, run in sorted(names)]


def run_names(section_dir: Path, configuration: str) -> list[str]:
    """Return the names of the folders of a configuration's runs in their order."""
    loose = set(_runs(section_dir / configuration))
    return sorted(loose.union(packed_documents(section_dir).get(configuration, ())))


def each_run(
    campaign_dir: Path, sections: Iterable[str] | None = None
) -> Iterator[tuple[Path, Manifest]]:
    """Yield folder and manifest of each complete run, of some sections or of all."""
    wanted = measured_sections(campaign_dir) if sections is None else sorted(sections)
    for section in wanted:
        for folder in run_folders(campaign_dir / section):
            if folder.suffix != PARTIAL_SUFFIX:
                yield folder, read_manifest(folder)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a run folder; ParseError when missing, damaged or of another format."""
    path = folder / MANIFEST
    try:
        return loose_manifest(path)
    except FileNotFoundError as exc:
        if packed := packed_manifest(folder):
            return packed
        raise ParseError(path, None, "file is missing: the run is not complete") from exc
    except json.JSONDecodeError as exc:
        raise ParseError(path, None, f"not a complete JSON document: {exc}") from exc
    except ValueError as exc:
        raise ParseError(path, None, str(exc)) from exc


def loose_manifest(path: Path) -> Manifest:
    """Read a manifest that is a file of its own: once, as long as it is not written anew.

    Raises
    ------
    OSError, ValueError
        There is none; it is damaged, a link, no regular file, too large, or of another format.
    """
    known = path.lstat()
    if stat.S_ISLNK(known.st_mode):
        raise ValueError("it is a link, and no regular file")
    if time.time_ns() - known.st_mtime_ns < _MAY_CHANGE_UNSEEN_NS:
        return Manifest.read(read_json(path, _LARGEST_BYTES))
    return _read_loose(path.absolute(), known.st_ino, known.st_mtime_ns, known.st_size)


def packed_manifest(folder: Path) -> Manifest | None:
    """Return the packed manifest of a run folder, None if there is none.

    Raises
    ------
    ParseError
        As `packed_documents`, or the manifest is damaged or of another format.
    """
    folder = folder.absolute()
    known = _packed_file(folder.parent.parent)
    return _read_record(*known, folder.parent.name, folder.name) if known else None


def read_document(folder: Path) -> dict[str, Any]:
    """Read the document that holds the manifest of a run folder, as it is; errors as above."""
    path = folder / MANIFEST
    try:
        document = from_json(path.read_bytes())
    except FileNotFoundError as exc:
        document = packed_document(folder)
        if document is None:
            raise ParseError(path, None, "file is missing: the run is not complete") from exc
    except ValueError as exc:
        raise ParseError(path, None, f"not a complete JSON document: {exc}") from exc
    if not isinstance(document, dict):
        raise ParseError(path, None, "not a table of JSON")
    return document


def is_packed(folder: Path) -> bool:
    """Tell whether the manifest of a run folder is packed; ParseError as `packed_documents`."""
    return packed_document(folder) is not None


def packed_document(folder: Path) -> dict[str, Any] | None:
    """Return the document of the packed manifest of a run folder, None if there is none."""
    folder = folder.absolute()
    return packed_documents(folder.parent.parent).get(folder.parent.name, {}).get(folder.name)


def packed_documents(section_dir: Path) -> _Packed:
    """Return the packed manifests of a section, by configuration and run; they are not to change.

    Raises
    ------
    ParseError
        The file is no regular one, or damaged, or names what is no folder of a run.
    """
    known = _packed_file(section_dir)
    return _read_packed(*known) if known else {}


def manifest_files(campaign_dir: Path) -> Iterator[Path]:
    """Yield the files that hold the manifests of a campaign."""
    yield from campaign_dir.glob(f"*/*/*/{MANIFEST}")
    yield from campaign_dir.glob(f"*/{PACKED_MANIFESTS}")


def packed_bytes(manifests: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Return the file of the packed manifests of runs, by path of their folder: one a line."""
    lines = [f"{json.dumps(run)}: {json.dumps(manifests[run])}" for run in sorted(manifests)]
    return gzip.compress(("{\n" + ",\n".join(lines) + "\n}\n").encode(), mtime=0)


@contextlib.contextmanager
def all_kept() -> Iterator[None]:
    """Look for no garbage meanwhile: among objects that all stay, this takes most of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _runs(folder: Path) -> list[str]:
    """Return the names of the folders of a configuration that hold a manifest."""
    return [run for run in _folders(folder) if os.access(f"{folder}/{run}/{MANIFEST}", os.F_OK)]


def _folders(folder: Path) -> list[str]:
    """Return the names of the folders in a folder; none where there is no such folder."""
    with (
        contextlib.suppress(FileNotFoundError, NotADirectoryError),
        os.scandir(folder) as entries,
    ):
        return [entry.name for entry in entries if entry.is_dir()]
    return []


def _packed_file(section_dir: Path) -> tuple[Path, tuple[int, ...]] | None:
    """Return the file of a section's packed manifests, and what changes when it is written anew."""
    path = section_dir.absolute() / PACKED_MANIFESTS
    try:
        known = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(known.st_mode):
        raise ParseError(path, None, "is no regular file")
    return path, (known.st_ino, known.st_mtime_ns, known.st_size)


def _record(path: Path, document: object) -> Manifest:
    try:
        require_plain_values(document)
        return Manifest.read(document)
    except ValueError as exc:
        raise ParseError(path, None, str(exc)) from exc


@lru_cache(maxsize=100_000)
def _read_loose(path: Path, *_: int) -> Manifest:
    return Manifest.read(read_json(path, _LARGEST_BYTES))


@lru_cache(maxsize=100_000)
def _read_record(
    path: Path, known: tuple[int, ...], configuration: str, run: str
) -> Manifest | None:
    """Read a packed manifest once, as long as its file is not written anew; None without one."""
    document = _read_packed(path, known).get(configuration, {}).get(run)
    if document is None:
        return None
    return _record(path.parent / configuration / run / MANIFEST, document)


@lru_cache(maxsize=256)
def _read_packed(path: Path, known: tuple[int, ...]) -> _Packed:
    """Read packed manifests once, as long as the file is not written anew."""
    try:
        if known[-1] > LARGEST_FILE_BYTES:
            raise ValueError(f"it has more than {LARGEST_FILE_BYTES} bytes")
        with all_kept():
            told = from_json(gunzip(path.read_bytes()))
        if not isinstance(told, dict):
            raise ValueError("it is no table")
        by_configuration: dict[str, dict[str, dict[str, Any]]] = {}
        for name, manifest in told.items():
            configuration, slash, run = name.partition("/")
            if not (slash and run and "/" not in run and is_plain_path(name)):
                raise ValueError(f"{name!r} is no folder of a run")
            if not isinstance(manifest, dict):
                raise ValueError(f"the entry of {name} is no table")
            by_configuration.setdefault(configuration, {})[run] = manifest
    except (OSError, ValueError) as exc:
        raise ParseError(path, None, f"holds no manifests of runs: {exc}") from exc
    return by_configuration
