"""The record beside every run: what ran where, with which versions, how it ended, what it left."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from analysis.results import ParseError
from analysis.results.manifests import (
    MANIFEST,
    PACKED_MANIFESTS,
    all_kept,
    loose_manifest,
    packed_manifest,
    run_folders,
)
from records.files.atomic import sync_to_disk, write_json
from records.manifest import Manifest
from records.manifest_entries import File, Git
from remote.errors import ConfigError
from remote.git_commands import git_command
from remote.hosts.ssh.received import Received

_MEASURE_AGAIN = "delete its folder to have the run measured again"
_GZIP = 16 + zlib.MAX_WBITS  # zlib's word for that format
_OWN_FILES = ("--", ".", ":(exclude)data", ":(exclude)figures")  # for git: all but what is measured


def utc(epoch_s: float) -> str:
    """Return an epoch time as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(epoch_s, UTC).isoformat(timespec="milliseconds")


def git_state(root: Path) -> Git:
    """Return the commit of the project and whether the work tree differs from it.

    What is measured and drawn does not count: it changes nothing of how runs are measured.
    """

    def git(*arguments: str) -> str:
        command = git_command(root, *arguments)
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changes = git("status", "--porcelain", *_OWN_FILES)
        return Git(commit=git("rev-parse", "HEAD"), dirty=bool(changes))
    except (OSError, subprocess.CalledProcessError):
        return Git(commit="unknown", dirty=True)


def write_files(folder: Path, files: Received) -> dict[str, File]:
    """Compress `files`, by relative path, into `folder` and return the manifest's entries.

    The time stamp inside each archive is 0, so that equal content gives equal bytes. When this
    returns, the files are on the disk.
    """
    entries: dict[str, File] = {}
    written: list[Path] = []
    for name in sorted(files):
        path = folder / f"{name}.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as packed:
            for chunk in compressed(files.chunks(name)):
                packed.write(chunk)
        with path.open("rb") as raw:
            digest = hashlib.file_digest(raw, "sha256").hexdigest()
        entries[f"{name}.gz"] = File(sha256=digest, bytes=path.stat().st_size)
        written.append(path)
    sync_to_disk(written, folder)
    return entries


def compressed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Compress chunk by chunk to what ``gzip.compress(b"".join(chunks), mtime=0)`` gives."""
    gzip = zlib.compressobj(zlib.Z_BEST_COMPRESSION, wbits=_GZIP)
    for chunk in chunks:
        yield gzip.compress(chunk)
    yield gzip.flush()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest and force it to disk: its presence says that the folder is complete."""
    write_json(folder / MANIFEST, manifest.document())


def require_whole_manifests(campaign_dir: Path) -> None:
    """Refuse a campaign unless the manifests of all its runs are whole, before they are used.

    Raises
    ------
    ConfigError
        Names the first manifest that is damaged, and the place in it.
    """
    runs: set[Path] = set()
    try:
        for name, *within in os.walk(campaign_dir):
            files = {one for names in within for one in names}
            if MANIFEST in files:
                runs.add(Path(name))
            if PACKED_MANIFESTS in files:
                runs.update(run_folders(Path(name)))
    except ParseError as exc:
        raise ConfigError(exc.path, exc.message) from exc
    with all_kept():
        for run in sorted(runs):
            said, stands = read_manifest(run, whole=True).section, run.parent.parent.name
            if said != stands:
                rule = f"section must be {stands}, as its folder is, got {said!r}"
                raise ConfigError(run / MANIFEST, rule)


def read_manifest(path: Path, *, whole: bool = False) -> Manifest:
    """Read the manifest of a run folder, which may be packed, or one that stands anywhere.

    Parameters
    ----------
    whole : it must have all that manifests have which are handed on.

    Raises
    ------
    ConfigError
        There is none, it is damaged, no regular file, too large, or of another format.
    """
    path = path / MANIFEST if path.is_dir() else path
    packed = _packed(path)
    path, manifest = packed or (path, _loose(path))
    if whole:
        try:
            manifest.require_whole()
        except ValueError as exc:
            remedy = _where_packed(path) if packed else _MEASURE_AGAIN
            raise ConfigError(path, f"{exc}; {remedy}") from exc
    return manifest


def _loose(path: Path) -> Manifest:
    """Read a manifest that is a file of its own."""
    try:
        return loose_manifest(path)
    except (OSError, ValueError) as exc:
        raise ConfigError(path, f"no readable manifest: {exc}; {_MEASURE_AGAIN}") from exc


def _packed(path: Path) -> tuple[Path, Manifest] | None:
    """Return a packed manifest and where it would be; `path` says that, or names its folder."""
    if os.path.lexists(path):
        return None
    folder = path.parent if path.name == MANIFEST else path
    try:
        manifest = packed_manifest(folder)
    except ParseError as exc:
        raise ConfigError(exc.path, f"{exc.message}; {_where_packed(folder / MANIFEST)}") from exc
    return None if manifest is None else (folder / MANIFEST, manifest)


def _where_packed(path: Path) -> str:
    return f"it is packed in {path.parents[2] / PACKED_MANIFESTS}"
