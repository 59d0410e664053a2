"""What the host was that controlled a run: part of every manifest."""

from __future__ import annotations

import hashlib
import platform
import socket
from functools import cache
from importlib import metadata

from remote.hosts.provision import OWN_FILES

PACKAGES = ("middleware-lab", "paramiko", "pandas", "dool")


@cache
def control_facts() -> dict[str, object]:
    """Return name, system and versions, and the checksums of what is uploaded to hosts."""
    return {
        "host": socket.gethostname(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "sha256": {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in OWN_FILES
            if path.is_file()
        },
    }
