"""Files of packed runs, lent to who reads them, for as long as they are used."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from analysis.results.manifests import measured_sections
from analysis.tables.packed.archives import (
    TELLS_OF_REQUESTS,
    archives_of,
    put_back,
    requests_path,
    require_files,
)


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
    beginning
        Of packed sections only files whose names begin so, or with one of these, such as
        ``summary.json``.
    """
    wanted = measured_sections(campaign_dir) if sections is None else sorted(sections)
    require_files(campaign_dir, wanted)
    archives = {section: archives_of(campaign_dir, section) for section in wanted}
    if not any(archives.values()):
        yield campaign_dir
        return
    with _copied(campaign_dir, archives, lambda name: name.startswith(beginning)) as copy:
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
    with _copied(campaign_dir, {section: sources}, TELLS_OF_REQUESTS.match) as copy:
        yield copy


@contextlib.contextmanager
def _copied(
    campaign_dir: Path, archives: Mapping[str, list[Path]], wanted: Callable[[str], object]
) -> Iterator[Path]:
    """Give a copy of some sections, with those files of their archives that are wanted."""
    with tempfile.TemporaryDirectory(prefix="middleware-lab-") as scratch:
        copy = Path(scratch) / campaign_dir.name
        for section, sources in archives.items():
            if (campaign_dir / section).is_dir():
                shutil.copytree(campaign_dir / section, copy / section)
            if sources:
                put_back(sources, campaign_dir / section, copy / section, wanted)
        yield copy
