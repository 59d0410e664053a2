"""The record beside every run: what ran where, with which versions, how it ended, what it left."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from remote.errors import ConfigError

FORMAT = 1
MANIFEST = "manifest.json"


def utc(epoch_s: float) -> str:
    """Return an epoch time as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(epoch_s, UTC).isoformat(timespec="milliseconds")


def git_state(root: Path) -> dict[str, object]:
    """Return the commit of the project and whether the work tree differs from it."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain"))}
    except (OSError, subprocess.CalledProcessError):
        return {"commit": "unknown", "dirty": True}


def write_files(folder: Path, files: Mapping[str, bytes]) -> dict[str, dict[str, object]]:
    """Compress `files` (relative path to content) into `folder` and return the manifest's entries.

    The time stamp inside each archive is 0, so that equal content gives equal bytes.
    """
    entries: dict[str, dict[str, object]] = {}
    for name, content in sorted(files.items()):
        packed = gzip.compress(content, mtime=0)
        path = folder / f"{name}.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packed)
        entries[f"{name}.gz"] = {
            "sha256": hashlib.sha256(packed).hexdigest(),
            "bytes": len(packed),
        }
    return entries


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest and force it to disk: its presence says that the folder is complete."""
    path = folder / MANIFEST
    with path.open("w") as stream:
        json.dump({"format": FORMAT, **manifest}, stream, indent=1)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a run folder.

    Raises
    ------
    ConfigError
        There is none, it is damaged, or of another format.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text())
    except (OSError, ValueError) as exc:
        raise ConfigError(path, f"no readable manifest: {exc}") from exc
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ConfigError(path, f"not a manifest of format {FORMAT}")
    return manifest
