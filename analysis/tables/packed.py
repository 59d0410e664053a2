"""The files of a campaign's runs in one archive per section, for campaigns that are handed on.

Runs are many small files that look alike, each compressed by itself: together they take a fraction
of that. ``raw/<section>.tar.xz`` holds them as they are before that compression; manifests, with
the checksums of the compressed files, and tidy tables stay in their places. Readers of tables and
manifests see no difference; who needs the files asks `raw_files`, or has them put back.
"""

import contextlib
import hashlib
import io
import lzma
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, Protocol

from analysis.results import ParseError
from analysis.tables.recompress import restored, stored
from analysis.tables.run import MANIFEST, measured_sections, read_manifest
from analysis.whole_files import sync_to_disk, write_json, written_whole

_Entry = dict[str, Any]  # what a manifest says of a file
RAW = "raw"
SUFFIX = ".tar.xz"
_DAMAGED = (tarfile.TarError, lzma.LZMAError, EOFError)


@dataclass(frozen=True, kw_only=True)
class Packed:
    """What was packed of a section.

    Attributes
    ----------
    files
        How many are in the archive.
    bytes_before, bytes_after
        Of these files, and of the archive.
    """

    section: str
    files: int
    bytes_before: int
    bytes_after: int


class Rewriter(Protocol):
    """What becomes of a campaign when it is packed."""

    def file(self, path: PurePath, content: bytes) -> bytes:
        """Return a file of a run, ``<host>/...``, as it is packed."""

    def manifest(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Return a manifest as it then is; the checksums of files are seen to."""


def archive_path(campaign_dir: Path, section: str) -> Path:
    """Where the archive of a section stands if there is one."""
    return campaign_dir / RAW / f"{section}{SUFFIX}"


def packed_sections(campaign_dir: Path) -> list[str]:
    """Return the sections of a campaign that have an archive."""
    paths = (campaign_dir / RAW).glob(f"*{SUFFIX}")
    return sorted(path.name.removesuffix(SUFFIX) for path in paths)


def pack(campaign_dir: Path, section: str, rewriter: Rewriter | None = None) -> Packed:
    """Move the files of a section's runs into its archive, with those that it holds already.

    The files are removed when the archive is complete and gives every one of them back.

    Parameters
    ----------
    rewriter
        Changes files and manifests before; nothing is changed when None.

    Raises
    ------
    ParseError
        The archive that is there is damaged.
    FileNotFoundError
        The section was not measured.
    """
    unpack(campaign_dir, section)
    section_dir = campaign_dir / section
    paths = _raw_paths(section_dir)
    if not any(section_dir.glob(f"*/*/{MANIFEST}")):
        raise FileNotFoundError(f"{section_dir} holds no runs: measure the section first")
    before = sum(path.stat().st_size for path in paths)
    target = archive_path(campaign_dir, section)
    target.parent.mkdir(exist_ok=True)
    with written_whole(target) as partial:
        rewritten = _write(partial, section_dir, paths, rewriter)
        if rewriter is not None:  # what ends before the archive is there is begun again
            _rewrite_manifests(section_dir, rewriter, rewritten)
    for path in paths:
        path.unlink()
    _remove_empty_folders(section_dir)
    return Packed(
        section=section,
        files=len(paths),
        bytes_before=before,
        bytes_after=target.stat().st_size,
    )


def unpack(campaign_dir: Path, section: str) -> int:
    """Put the files of a section's archive back into their runs; return how many there were.

    Raises
    ------
    ParseError
        The archive is damaged; names it.
    """
    source = archive_path(campaign_dir, section)
    if not source.exists():
        return 0
    paths = _extract(source, campaign_dir / section)
    sync_to_disk([*paths, *{path.parent for path in paths}])
    source.unlink()
    with contextlib.suppress(OSError):  # of other sections
        source.parent.rmdir()
    return len(paths)


@contextlib.contextmanager
def raw_files(
    campaign_dir: Path,
    sections: Iterable[str] | None = None,
    beginning: str | tuple[str, ...] = "",
) -> Iterator[Path]:
    """Give a campaign's folder in which the runs of some sections have all their files.

    That is the campaign's own where none of them is packed. Otherwise it is a copy that lasts as
    long as the block, of these sections only.

    Parameters
    ----------
    sections
        All that were measured when None.
    beginning
        Of packed sections only files whose names begin so, or with one of these, such as
        ``summary.json``.

    Raises
    ------
    ParseError
        An archive is damaged; names it.
    """
    packed = packed_sections(campaign_dir)
    wanted = measured_sections(campaign_dir) if sections is None else sorted(sections)
    if not set(wanted) & set(packed):
        yield campaign_dir
        return
    with tempfile.TemporaryDirectory(prefix="middleware-lab-") as scratch:
        copy = Path(scratch) / campaign_dir.name
        for section in wanted:
            if (campaign_dir / section).is_dir():
                shutil.copytree(campaign_dir / section, copy / section)
            if section in packed:
                _extract(archive_path(campaign_dir, section), copy / section, beginning)
        yield copy


def _raw_paths(section_dir: Path) -> list[Path]:
    """Return all files of the runs but manifests; those alike side by side: they pack better."""
    paths = [p for p in section_dir.rglob("*") if p.is_file() and p.name != MANIFEST]
    return sorted(paths, key=lambda path: (path.name, path))


def _write(
    target: Path, section_dir: Path, paths: Iterable[Path], rewriter: Rewriter | None
) -> dict[str, tuple[_Entry, _Entry]]:
    """Write an archive of `paths` and read it again: what is removed must come back as it was.

    Returns
    -------
    Path in the section of each file that was rewritten to what manifests say of it, before and
    after.
    """
    digests: dict[str, str] = {}
    rewritten: dict[str, tuple[_Entry, _Entry]] = {}
    with tarfile.open(target, "w:xz", preset=9) as archive:
        for path in paths:
            relative = path.relative_to(section_dir)
            before = after = path.read_bytes()
            if rewriter is not None:
                after = rewriter.file(PurePath(*relative.parts[2:]), before)
            if after != before:
                rewritten[str(relative)] = (_entry(before), _entry(after))
            digests[str(relative)] = hashlib.sha256(after).hexdigest()
            name, content = stored(str(relative), after)
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    for name, content in _contents(target):
        if hashlib.sha256(content).hexdigest() != digests[name]:
            raise ParseError(target, None, f"does not give {name} back as it was")
    return rewritten


def _rewrite_manifests(
    section_dir: Path, rewriter: Rewriter, rewritten: Mapping[str, tuple[_Entry, _Entry]]
) -> None:
    """Write the manifests anew that change; of files that were damaged before they say so still."""
    for path in section_dir.glob(f"*/*/{MANIFEST}"):
        manifest = read_manifest(path.parent)
        changed = rewriter.manifest(manifest)
        for name, known in manifest.get("files", {}).items():
            stands = str((path.parent / name).relative_to(section_dir))
            before, after = rewritten.get(stands, (None, None))
            if known == before:
                changed["files"] = {**changed["files"], name: after}
        if changed != manifest:
            write_json(path, changed)


def _entry(content: bytes) -> _Entry:
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def _contents(source: Path, beginning: str | tuple[str, ...] = "") -> Iterator[tuple[str, bytes]]:
    """Give path and content of every file in an archive whose name begins so."""
    try:
        with lzma.open(source) as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
            for entry in archive:
                path = PurePosixPath(entry.name)
                if path.is_absolute() or ".." in path.parts:
                    raise tarfile.TarError(f"{entry.name!r} leads out of the folder")
                content = archive.extractfile(entry) if entry.isfile() else None
                if content is not None and path.name.startswith(beginning):
                    yield restored(entry.name, content.read())
            while stream.read(io.DEFAULT_BUFFER_SIZE):  # to its end, where its checksum stands
                pass
    except _DAMAGED as exc:
        raise ParseError(source, None, f"not a complete archive: {exc}") from exc


def _extract(source: Path, section_dir: Path, beginning: str | tuple[str, ...] = "") -> list[Path]:
    """Write the files of an archive below a folder and return them."""
    files = []
    for name, content in _contents(source, beginning):
        path = section_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        files.append(path)
    return files


def _remove_empty_folders(section_dir: Path) -> None:
    folders = [path for path in section_dir.rglob("*") if path.is_dir()]
    for folder in sorted(folders, reverse=True):
        with contextlib.suppress(OSError):  # holds a manifest
            folder.rmdir()
