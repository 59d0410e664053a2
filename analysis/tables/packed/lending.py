"""Files of packed runs, lent to who reads them, for as long as they are used."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from analysis.tables.packed.archives import (
    TELLS_OF_REQUESTS,
    archives_of,
    extract,
    packed_sections,
    requests_path,
    require_files,
)
from analysis.tables.run import measured_sections


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
        An archive is damaged or, of a section that was packed, not there; names it.
    """
    packed = packed_sections(campaign_dir)
    wanted = measured_sections(campaign_dir) if sections is None else sorted(sections)
    require_files(campaign_dir, wanted)
    if not set(wanted) & set(packed):
        yield campaign_dir
        return
    with _copied(campaign_dir, wanted) as copy:
        for section in set(wanted) & set(packed):
            for source in archives_of(campaign_dir, section):
                extract(source, copy / section, lambda name: name.startswith(beginning))
        yield copy


@contextlib.contextmanager
def raw_requests(campaign_dir: Path, section: str) -> Iterator[Path]:
    """Give a campaign's folder in which a section's runs have what tells of followed requests.

    As `raw_files`; nothing but the archive of requests is read where there is one.
    """
    own = requests_path(campaign_dir, section)
    sources = [own] if own.exists() else archives_of(campaign_dir, section)
    if not sources:
        require_files(campaign_dir, [section])
        yield campaign_dir
        return
    with _copied(campaign_dir, [section]) as copy:
        for source in sources:
            extract(source, copy / section, TELLS_OF_REQUESTS.match)
        yield copy


@contextlib.contextmanager
def _copied(campaign_dir: Path, sections: Iterable[str]) -> Iterator[Path]:
    """Give a copy of the folders of some sections, without what is in archives."""
    with tempfile.TemporaryDirectory(prefix="middleware-lab-") as scratch:
        copy = Path(scratch) / campaign_dir.name
        for section in sections:
            if (campaign_dir / section).is_dir():
                shutil.copytree(campaign_dir / section, copy / section)
        yield copy
