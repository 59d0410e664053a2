"""What the host was that controlled a run: part of every manifest."""

from __future__ import annotations

import hashlib
import platform
import socket
from functools import cache
from importlib import metadata

from remote.provision import GENERATOR, JAR

PACKAGES = ("middleware-lab", "paramiko", "pandas", "dool")


@cache
def control_facts() -> dict[str, object]:
    """Return name, system and versions, and the checksums of what is uploaded to hosts."""
    files = {path.name: path for path in (JAR, GENERATOR)}
    return {
        "host": socket.gethostname(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "sha256": {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in files.items()
            if path.is_file()
        },
    }
