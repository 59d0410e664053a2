"""Fingerprint of everything that the outcomes of a campaign's claims are computed from.

Equal contents have equal fingerprints, whenever and wherever the files were written.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from analysis.results.manifests import MANIFEST, PACKED_MANIFESTS
from records.paths import MIDDLEWARES, PROJECT
from records.sensitivity import FOLDER as STUDIES

LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "statsmodels")
_CODE = ("records/**/*.py", "analysis/**/*.py", "data/published/*.csv")
_NO_SECTIONS = ("raw", "tidy", MIDDLEWARES, STUDIES)
_CAMPAIGNS_BELOW = (
    f"{MIDDLEWARES}/*",
    f"{STUDIES}/*/*",
    f"{MIDDLEWARES}/*/{STUDIES}/*/*",
)


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...


@dataclass(frozen=True)
class Fingerprint:
    """Digests of what outcomes are computed from, as hexadecimal texts.

    Attributes
    ----------
    sources
        Of the code, the libraries, the published tables and the manifests.
    tables
        Of the tidy tables, which are made from the sources when they are first needed.
    """

    sources: str
    tables: str


def fingerprint(campaign_dirs: Iterable[Path]) -> Fingerprint:
    """Return the fingerprint of the code of this process and of campaigns.

    Manifests and tidy tables are read; raw files are not.

    Parameters
    ----------
    campaign_dirs
        Folders of campaigns, which need not exist. Campaigns below a folder, of other middlewares
        and of sensitivity studies, count as well.

    Raises
    ------
    OSError
        A file cannot be read, or is a link.
    """
    sources, tables = hashlib.sha256(CODE.encode()), hashlib.sha256()
    for top in campaign_dirs:
        for folder in (top, *sorted(_below(top))):
            for digest, paths in ((sources, _manifests(folder)), (tables, _tables(folder))):
                digest.update(f"{top.name} {folder.relative_to(top)}\n".encode())
                for path in paths:
                    _add(digest, path, folder)
    return Fingerprint(sources.hexdigest(), tables.hexdigest())


def code_digest(project: Path) -> str:
    """Return the digest of the code, the published tables and the versions of the libraries."""
    versions = [platform.python_version(), *(f"{name} {version(name)}" for name in LIBRARIES)]
    digest = hashlib.sha256("\n".join(versions).encode())
    for pattern in _CODE:
        for path in sorted(project.glob(pattern)):
            _add(digest, path, project)
    return digest.hexdigest()


def _add(digest: _Digest, path: Path | str, top: Path) -> None:
    """Add a regular file, by its path below `top`, to a digest; nothing where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            raise OSError(f"{path} is no regular file")
        name = os.fspath(path).removeprefix(f"{top}/")
        digest.update(f"{name} {known.st_size}\n".encode())
        digest.update(file.readall())


def _below(top: Path) -> list[Path]:
    """Return the folders of the campaigns that stand in a campaign."""
    return [folder for pattern in _CAMPAIGNS_BELOW for folder in top.glob(pattern)]


def _manifests(campaign_dir: Path) -> Iterator[str]:
    """Yield the paths at which manifests of a campaign may stand."""
    for section in _folders(campaign_dir):
        if Path(section).name in _NO_SECTIONS:
            continue
        yield f"{section}/{PACKED_MANIFESTS}"
        for configuration in _folders(section):
            for run in _folders(configuration):
                yield f"{run}/{MANIFEST}"


def _tables(campaign_dir: Path) -> Iterator[Path]:
    yield from sorted((campaign_dir / "tidy").glob("*.zip"))


def _folders(folder: Path | str) -> list[str]:
    """Return the paths of the folders in a folder, in their order; none where there is none."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []


CODE = code_digest(PROJECT)
"""Digest of the code when this process imported it."""
