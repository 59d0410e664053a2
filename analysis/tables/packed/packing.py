"""A section's files packed into archives, and put back."""

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.results import ParseError
from analysis.results.manifests import (
    MANIFEST,
    PACKED_MANIFESTS,
    packed_bytes,
    packed_document,
    read_document,
    run_folders,
)
from analysis.tables.packed.archives import (
    FOLLOWED,
    TELLS_OF_REQUESTS,
    archive_path,
    archives_of,
    put_back,
    requests_path,
    require_files,
)
from analysis.tables.packed.tarballs import write_archive
from analysis.tables.packed.transcripts import (
    TRANSCRIPTS,
    shortened,
    transcripts_of,
)
from records.files.atomic import sync_to_disk, write_whole, written_whole


@dataclass(frozen=True, kw_only=True)
class Packed:
    """What was packed of a section.

    Attributes
    ----------
    files
        How many are in the archives.
    bytes_before, bytes_after
        Of these files, and of the archives.
    """

    section: str
    files: int
    bytes_before: int
    bytes_after: int


def pack(campaign_dir: Path, section: str) -> Packed:
    """Move the files of a section's runs into its archives, with those that they hold already.

    The files are removed when the archives are complete and give every one of them back.

    Raises
    ------
    ParseError
        An archive is damaged or, of a section that was packed, not there; names it.
    FileNotFoundError
        The section was not measured.
    """
    unpack(campaign_dir, section)
    section_dir = campaign_dir / section
    paths = _raw_paths(section_dir)
    folders = run_folders(section_dir)
    if not folders:
        raise FileNotFoundError(f"{section_dir} holds no runs: measure the section first")
    before = sum(path.stat().st_size for path in paths)
    manifests = {str(one.relative_to(section_dir)): read_document(one) for one in folders}

    def files(some: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
        return ((str(path.relative_to(section_dir)), path.read_bytes()) for path in some)

    of_requests = _of_requests(section_dir, paths)
    targets = [archive_path(campaign_dir, section)]
    if of_requests:
        targets.append(requests_path(campaign_dir, section))
        with written_whole(targets[1]) as partial:
            write_archive(partial, files(of_requests))
    with written_whole(targets[0]) as partial:
        transcripts = (TRANSCRIPTS, transcripts_of(manifests))
        others = files(path for path in paths if path not in of_requests)
        write_archive(partial, itertools.chain(others, [transcripts]))
    _pack_manifests(section_dir, {run: shortened(one) for run, one in manifests.items()})
    for path in [*paths, *(folder / MANIFEST for folder in folders)]:
        path.unlink()
    _remove_empty_folders(section_dir)
    return Packed(
        section=section,
        files=len(paths),
        bytes_before=before,
        bytes_after=sum(target.stat().st_size for target in targets),
    )


def unpack(campaign_dir: Path, section: str) -> int:
    """Put the files of a section's archives back into their runs; return how many there were."""
    require_files(campaign_dir, [section])
    sources, section_dir = archives_of(campaign_dir, section), campaign_dir / section
    if not sources:
        return 0
    paths = put_back(sources, section_dir, section_dir)
    sync_to_disk(paths, campaign_dir)
    (section_dir / PACKED_MANIFESTS).unlink(missing_ok=True)  # first: without it they are ignored
    for path in reversed(sources):
        path.unlink()
        with contextlib.suppress(OSError):  # of other sections
            path.parent.rmdir()
    return sum(path.name != MANIFEST for path in paths)


def _pack_manifests(section_dir: Path, manifests: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the packed manifests of a section, and read them again."""
    path = section_dir / PACKED_MANIFESTS
    write_whole(path, packed_bytes(manifests))
    if any(packed_document(section_dir / run) != manifest for run, manifest in manifests.items()):
        raise ParseError(path, None, "does not give the manifests back as they were")


def _raw_paths(section_dir: Path) -> list[Path]:
    """Return all files of the runs but manifests; those alike side by side: they pack better."""
    paths = [p for p in section_dir.rglob("*") if p.is_file() and p.name != MANIFEST]
    return sorted(paths, key=lambda path: (path.name, path))


def _of_requests(section_dir: Path, paths: Iterable[Path]) -> dict[Path, None]:
    """Return what tells of followed requests, of the runs that followed some."""

    def run(path: Path) -> tuple[str, ...]:
        return path.relative_to(section_dir).parts[:2]

    follow = {run(path) for path in paths if path.name.startswith(FOLLOWED)}
    return {p: None for p in paths if run(p) in follow and TELLS_OF_REQUESTS.match(p.name)}


def _remove_empty_folders(section_dir: Path) -> None:
    folders = [path for path in section_dir.rglob("*") if path.is_dir()]
    for folder in sorted(folders, reverse=True):
        with contextlib.suppress(OSError):  # holds what is no file of a run
            folder.rmdir()
