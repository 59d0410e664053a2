"""Where a section's archives are, and how files come out of them."""

import re
from collections.abc import Callable
from pathlib import Path

from analysis.results import ParseError
from analysis.tables.packed.released import present, released
from analysis.tables.packed.tarballs import read_archive
from analysis.tables.packed.transcripts import TRANSCRIPTS, lengthened, write_manifests
from analysis.tables.run import MANIFEST
from analysis.whole_files import no_link

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
    """Return the sections of a campaign that have an archive, here or released.

    Raises
    ------
    ParseError
        An archive is not named after a section: where it would be unpacked is no folder of one.
    """
    names = {path.name for path in (campaign_dir / RAW).glob(f"*{SUFFIX}")}
    names |= set(released(campaign_dir / RAW))
    for name in names:
        if not _NAME.fullmatch(name):
            raise ParseError(campaign_dir / RAW, None, f"{name!r} is no archive of a section")
    return sorted(name.removesuffix(SUFFIX) for name in names)


def sizes_of(campaign_dir: Path, section: str) -> dict[Path, int]:
    """Return the archives of a packed section with their bytes, here or released."""
    archive, requests = archive_path(campaign_dir, section), requests_path(campaign_dir, section)
    known = released(archive.parent).get(archive.name)
    sizes = {archive: known.bytes if known else archive.stat().st_size}
    return {**sizes, requests: requests.stat().st_size} if requests.exists() else sizes


def archives_of(campaign_dir: Path, section: str, scratch: Path) -> list[Path]:
    """Return the archives of a packed section, brought if they were released."""
    requests = requests_path(campaign_dir, section)
    archive = present(archive_path(campaign_dir, section), scratch)
    return [archive, requests] if requests.exists() else [archive]


def extract(source: Path, section_dir: Path, wanted: Callable[[str], object] = bool) -> list[Path]:
    """Write the files of an archive below a folder and return them; manifests are whole then.

    Nothing is written through a symbolic link below the campaign.
    """
    files = []
    below = section_dir.parent.resolve() / section_dir.name
    for name, content in read_archive(source, wanted):
        if name == TRANSCRIPTS:
            try:
                write_manifests(lengthened(section_dir, content))
            except (ValueError, TypeError, RecursionError) as exc:
                raise ParseError(source, None, f"{name} in it tells of no runs: {exc}") from exc
            continue
        path = section_dir / name
        if path.name == MANIFEST:  # those that stand beside the archive were checked
            raise ParseError(source, None, f"{name!r} in it is a manifest: remove the archive")
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
        files.append(path)
    return files
