"""Where a section's archives are, and how files come out of them."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from analysis.results import ParseError
from analysis.tables.packed.tarballs import read_archive
from analysis.tables.packed.transcripts import TRANSCRIPTS, lengthened, write_manifests
from analysis.tables.run import MANIFEST, TRANSCRIPT, measured_sections, read_manifest
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
    """Return the sections of which this copy has manifests, but no raw files.

    They were packed, and their archive was not handed on.
    """
    others = set(measured_sections(campaign_dir)) - set(packed_sections(campaign_dir))
    return sorted(name for name in others if _lacks_files(campaign_dir / name))


def _lacks_files(section_dir: Path) -> bool:
    """Tell whether a run was packed: its manifest is then without its transcript."""
    path = next(section_dir.glob(f"*/*/{MANIFEST}"))
    try:
        manifest = read_manifest(path.parent)
    except ParseError:  # told when it is used
        return False
    return all(manifest.get(name) in ([], {}) for name in TRANSCRIPT)


def require_files(campaign_dir: Path, sections: Iterable[str]) -> None:
    """Refuse sections of which this copy of a campaign has no raw files.

    Raises
    ------
    ParseError
        Names the first such section, and the archive that it lacks.
    """
    lacking = set(sections_without_files(campaign_dir))
    for section in sections:
        if section in lacking:
            message = (
                f"no such file: this copy of the campaign has no raw files of section {section}, "
                "only manifests and tables"
            )
            raise ParseError(archive_path(campaign_dir, section), None, message)


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
