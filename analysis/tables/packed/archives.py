"""A section's archive: written, read, put back; the only module that knows how it is made."""

import contextlib
import hashlib
import io
import lzma
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from analysis.results import ParseError
from analysis.tables.packed.recompress import restored, stored
from analysis.tables.packed.transcripts import (
    TRANSCRIPTS,
    Entry,
    Rewriter,
    lengthened,
    shortened,
    transcripts_of,
    whole_manifests,
    write_manifests,
)
from analysis.tables.run import MANIFEST, measured_sections
from analysis.whole_files import sync_to_disk, written_whole

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
        manifests = _write(partial, section_dir, paths, rewriter)
        if rewriter is not None:  # what ends before the archive is there is begun again
            write_manifests(manifests)
    write_manifests({path: shortened(manifest) for path, manifest in manifests.items()})
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
) -> dict[Path, dict[str, Any]]:
    """Write an archive of `paths` and read it again: what is removed must come back as it was.

    Returns
    -------
    The manifests of which the archive has the transcripts, as they are with them.
    """
    digests: dict[str, str] = {}
    rewritten: dict[str, tuple[Entry, Entry]] = {}
    with tarfile.open(target, "w:xz", preset=9) as archive:

        def add(relative: str, content: bytes) -> None:
            digests[relative] = hashlib.sha256(content).hexdigest()
            name, plain = stored(relative, content)
            entry = tarfile.TarInfo(name)
            entry.size = len(plain)
            archive.addfile(entry, io.BytesIO(plain))

        for path in paths:
            relative = path.relative_to(section_dir)
            before = after = path.read_bytes()
            if rewriter is not None:
                after = rewriter.file(PurePath(*relative.parts[2:]), before)
            if after != before:
                rewritten[str(relative)] = (_entry(before), _entry(after))
            add(str(relative), after)
        manifests = whole_manifests(section_dir, rewriter, rewritten)
        add(TRANSCRIPTS, transcripts_of(section_dir, manifests))
    for name, content in _contents(target):
        if hashlib.sha256(content).hexdigest() != digests[name]:
            raise ParseError(target, None, f"does not give {name} back as it was")
    return manifests


def _entry(content: bytes) -> Entry:
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
    """Write the files of an archive below a folder and return them; manifests are whole then."""
    files = []
    for name, content in _contents(source, beginning):
        if name == TRANSCRIPTS:
            try:
                write_manifests(lengthened(section_dir, content))
            except (ValueError, TypeError) as exc:
                raise ParseError(source, None, f"{name} in it tells of no runs: {exc}") from exc
            continue
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
