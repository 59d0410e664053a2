"""Where a section's archives are, and how files come out of them."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from analysis.results import ParseError
from analysis.results.manifests import (
    MANIFEST,
    PACKED_MANIFESTS,
    measured_sections,
    run_folders,
)
from analysis.tables.packed.tarballs import read_archive
from analysis.tables.packed.transcripts import TRANSCRIPTS, lengthened, parse_transcripts
from records.files.atomic import as_json, no_link

RAW, REQUESTS = "raw", "requests"
SUFFIX = ".tar.xz"
FOLLOWED = "followed.csv"
TELLS_OF_REQUESTS = re.compile(rf"{re.escape(FOLLOWED)}|pauses\.csv|summary\.json|memtier-\d+-")
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]*{re.escape(SUFFIX)}")


def archive_path(campaign_dir: Path, section: str) -> Path:
    """Where the archive of a section stands if there is one."""
    return campaign_dir / RAW / f"{section}{SUFFIX}"


def requests_path(campaign_dir: Path, section: str) -> Path:
    """Where the archive of a section's followed requests stands if it followed any."""
    return campaign_dir / RAW / REQUESTS / f"{section}{SUFFIX}"


def packed_sections(campaign_dir: Path) -> list[str]:
    """Return the sections of a campaign that have an archive.

    Raises
    ------
    ParseError
        An archive is not named after a section: where it would be unpacked is no folder of one.
    """
    names = {path.name for path in (campaign_dir / RAW).glob(f"*{SUFFIX}")}
    for name in names:
        if not _NAME.fullmatch(name):
            raise ParseError(campaign_dir / RAW, None, f"{name!r} is no archive of a section")
    return sorted(name.removesuffix(SUFFIX) for name in names)


def archives_of(campaign_dir: Path, section: str) -> list[Path]:
    """Return the archives of a section that are there."""
    both = archive_path(campaign_dir, section), requests_path(campaign_dir, section)
    return [path for path in both if path.exists()]


def sections_without_files(campaign_dir: Path) -> list[str]:
    """Return the packed sections whose archive is not in this copy: they have no raw files."""
    return [
        section
        for section in measured_sections(campaign_dir)
        if (campaign_dir / section / PACKED_MANIFESTS).exists()
        and not archive_path(campaign_dir, section).exists()
    ]


def require_files(campaign_dir: Path, sections: Iterable[str]) -> None:
    """Refuse sections of which this copy of a campaign has no raw files."""
    lacking = set(sections_without_files(campaign_dir))
    for section in sections:
        if section in lacking:
            message = (
                f"no such file: this copy of the campaign has no raw files of section {section}, "
                "only manifests and tables"
            )
            raise ParseError(archive_path(campaign_dir, section), None, message)


def put_back(
    sources: Iterable[Path],
    packed_dir: Path,
    section_dir: Path,
    wanted: Callable[[str], object] = bool,
) -> list[Path]:
    """Write files and manifests of a packed section below a folder; return what was written.

    Manifests that are there get back what was archived of them. Nothing is written through a
    symbolic link below the campaign.

    Parameters
    ----------
    packed_dir
        Folder of the section, with its packed manifests.
    section_dir
        Where to write: the same folder, or a copy of it.
    wanted
        Of the name of a file: whether it is written.
    """
    transcripts: Mapping[str, Any] = {}
    written: list[Path] = []
    for source in sources:
        for name, content in read_archive(source, wanted):
            if name == TRANSCRIPTS:
                transcripts = parse_transcripts(source, content)
            elif Path(name).name == MANIFEST:  # those that stand beside the archive were checked
                message = f"{name!r} in it is a manifest: remove the archive"
                raise ParseError(source, None, message)
            else:
                written.append(_write(source, section_dir, name, content))
    for folder in run_folders(packed_dir):
        run = folder.relative_to(packed_dir).as_posix()
        manifest = as_json(lengthened(folder, transcripts.get(run, {})))
        path = section_dir / run / MANIFEST
        if not path.exists() or path.read_bytes() != manifest:
            _write(packed_dir / PACKED_MANIFESTS, section_dir, f"{run}/{MANIFEST}", manifest)
            written.append(path)
    return written


def _write(source: Path, section_dir: Path, name: str, content: bytes) -> Path:
    """Write a file below the folder of a section, and through no link."""
    path = section_dir / name
    below = section_dir.parent.resolve() / section_dir.name
    if path.parent.resolve() != (below / name).parent:
        message = f"{name} in it would be written through a link: remove {path.parent}"
        raise ParseError(source, None, message)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb", opener=no_link) as file:
            file.write(content)
    except OSError as exc:
        message = f"{name!r} in it cannot be written: {exc.strerror}"
        raise ParseError(source, None, message) from exc
    return path
