"""Files that hosts are brought, if they have them not."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remote.hosts.connection import Connection


@dataclass(frozen=True, kw_only=True)
class Upload:
    """What a file is to be on a host."""

    content: bytes
    mode: int = 0o644


def bring(connection: Connection, folder: str, files: Mapping[str, Upload]) -> None:
    """Have `files`, by name, in a folder of the host; those that are there are left alone."""
    quoted = " ".join(shlex.quote(f"{folder}/{name}") for name in files)
    listing = connection.run(
        f"mkdir -p {shlex.quote(folder)} && {{ sha256sum {quoted} 2>/dev/null || true; }}"
    )
    present = listing.read(_digests)
    for name, file in files.items():
        if present.get(name) != hashlib.sha256(file.content).hexdigest():
            connection.put_bytes(file.content, f"{folder}/{name}", mode=file.mode)


def _digests(text: str) -> dict[str, str]:
    lines = (line.split(maxsplit=1) for line in text.splitlines())
    return {Path(path).name: digest for digest, path in lines}
