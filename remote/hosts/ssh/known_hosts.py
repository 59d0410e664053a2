"""Which host keys are pinned: ssh's known_hosts files, read as sshd(8) describes them. Pure.

Names may be hashed, carry a port (``[host]:2222``), be patterns (``*.example.org``) or be negated
(``!host``); a line marked ``@revoked`` forbids its key, one marked ``@cert-authority`` is passed
over, because certificates of hosts are not checked here. A host may have several keys.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from remote.hosts.ssh.options import SSH_PORT

REVOKED = "@revoked"
_HASHED = "|1|"


@dataclass(frozen=True, kw_only=True)
class Pins:
    """The keys of one host, each as its type and its base64 text."""

    keys: frozenset[tuple[str, str]] = field(default=frozenset())
    revoked: frozenset[tuple[str, str]] = field(default=frozenset())

    @property
    def types(self) -> list[str]:
        """Types of the pinned keys, which are the ones to ask the host for."""
        return sorted({kind for kind, _ in self.keys})

    def allow(self, kind: str, key: str) -> bool:
        """Whether a key is pinned and not revoked."""
        return (kind, key) in self.keys - self.revoked


def pinned_name(address: str, port: int) -> str:
    """Return the name under which known_hosts has a host."""
    name = address.lower()
    return name if port == SSH_PORT else f"[{name}]:{port}"


def parse_pins(text: str, address: str, port: int = SSH_PORT) -> Pins:
    """Return the entries of the known_hosts `text` about a host; damaged lines are ignored."""
    name = pinned_name(address, port)
    keys: dict[str, set[tuple[str, str]]] = {"": set(), REVOKED: set()}
    for line in text.splitlines():
        fields = line.split()
        marker = fields.pop(0) if line.lstrip().startswith("@") else ""
        if len(fields) < 3 or fields[0].startswith("#") or marker not in keys:
            continue
        if _names(fields[0], name):
            keys[marker].add((fields[1], fields[2]))
    return Pins(keys=frozenset(keys[""]), revoked=frozenset(keys[REVOKED]))


def fingerprint(key: bytes) -> str:
    """Return the fingerprint of a public key as `ssh-keygen -l` prints it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")


def _names(patterns: str, name: str) -> bool:
    if patterns.startswith(_HASHED):
        return _is_hash_of(patterns, name)
    found = False
    for pattern in patterns.lower().split(","):
        # Brackets belong to the port here, so fnmatch must not take them for a set.
        wanted = pattern.removeprefix("!").replace("[", "[[]")
        if fnmatchcase(name, wanted):
            if pattern.startswith("!"):
                return False
            found = True
    return found


def _is_hash_of(hashed: str, name: str) -> bool:
    try:
        salt, digest = (base64.b64decode(part) for part in hashed.removeprefix(_HASHED).split("|"))
    except (ValueError, binascii.Error):
        return False
    return hmac.compare_digest(hmac.new(salt, name.encode(), hashlib.sha1).digest(), digest)
