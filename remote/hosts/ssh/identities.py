"""Keys and certificates of a user, from files and an agent, in the order in which ssh offers them.

ssh_config(5) calls a key or a certificate that a server is offered an identity. The order is that
of OpenSSH: certificates of ``CertificateFile``, keys that the agent holds and ``IdentityFile``
names, other keys of the agent (none with ``IdentitiesOnly``), keys that only files hold.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import paramiko
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    SSHCertificate,
    SSHCertificateType,
    load_ssh_public_identity,
)

from records.documents import read_regular

_LARGEST_BYTES = 1 << 16
_CERTIFICATE_TYPE = "-cert-v01@openssh.com"
_CERTIFICATE_SUFFIX = "-cert.pub"
_OPENSSH_MAGIC = b"openssh-key-v1\0"


@dataclass(frozen=True, kw_only=True)
class Identity:
    """A public key or a certificate that a server may be offered, both in SSH's binary form.

    Parameters
    ----------
    name : in error messages: a path, or the comment of an agent's key.
    offered : the key or certificate.
    public : the public key; differs from `offered` for a certificate.
    """

    name: str
    offered: bytes
    public: bytes

    @property
    def is_certificate(self) -> bool:
        """True for a certificate, False for a plain public key."""
        return self.offered != self.public


@dataclass(frozen=True, kw_only=True)
class FileKeys:
    """All that was read from the files of a user's keys.

    Parameters
    ----------
    identities : keys of ``IdentityFile`` in order, each followed by the certificate beside it.
    certificates : certificates of ``CertificateFile`` in order.
    private : private keys that can sign, by public key.
    problems : for each file that cannot be used, a sentence without a full stop, by path.
    locked : files whose private key has a passphrase, by public key (by path if that is unknown).
    """

    identities: tuple[Identity, ...]
    certificates: tuple[Identity, ...]
    private: dict[bytes, paramiko.PKey]
    problems: dict[Path, str]
    locked: dict[bytes, Path]


def order(files: FileKeys, held: Sequence[Identity], *, only: bool) -> list[Identity]:
    """Return what to offer a server, first to last, each key and certificate once.

    Parameters
    ----------
    held : the agent's keys and certificates in the agent's order.
    only : ``IdentitiesOnly``: leave out those that `files` do not name.
    """
    named = {identity.offered for identity in files.identities}
    first: list[Identity] = []
    for identity in held:
        if identity.offered in named:
            beside = [i for i in files.identities if i.public == identity.public]
            first += [identity, *(i for i in beside if i.is_certificate)]
    others = [identity for identity in held if identity.offered not in named and not only]
    ordered: dict[bytes, Identity] = {}
    for identity in (*files.certificates, *first, *others, *files.identities):
        ordered.setdefault(identity.offered, identity)
    return list(ordered.values())


def read_files(
    identity_files: Sequence[Path], certificate_files: Sequence[Path], *, may_lack: bool = False
) -> FileKeys:
    """Read private keys, public keys and certificates; what cannot be read becomes a problem.

    Parameters
    ----------
    identity_files : private keys, or public keys whose private key an agent holds.
    certificate_files : as ``CertificateFile`` names them; if there are none, a certificate
        ``KEY-cert.pub`` beside a key is read.
    may_lack : a missing file of `identity_files` is no problem, as with ssh's default files.
    """
    found: list[Identity] = []
    certificates: list[Identity] = []
    private: dict[bytes, paramiko.PKey] = {}
    problems: dict[Path, str] = {}
    locked: dict[bytes, Path] = {}
    named_certificates = list(certificate_files)
    for path in identity_files:
        if path.name.endswith(_CERTIFICATE_SUFFIX) and is_file(path):
            named_certificates.append(path)
            path = path.with_name(path.name.removesuffix(_CERTIFICATE_SUFFIX))
            if not path.exists():
                continue
        public: bytes | None
        key: paramiko.PKey | None
        try:
            public, key = _read_key(path)
        except FileNotFoundError:
            if not may_lack:
                problems[path] = f"the key file {path} does not exist"
            continue
        except _Locked as exc:
            public, key = exc.public, None
            locked[public or bytes(path)] = path
        except (OSError, ValueError, UnsupportedAlgorithm, paramiko.SSHException) as exc:
            problems[path] = f"the key file {path} cannot be used: {_reason(exc)}"
            continue
        if public is None:
            continue
        found.append(Identity(name=str(path), offered=public, public=public))
        if key is not None:
            private[public] = key
        beside = path.with_name(path.name + _CERTIFICATE_SUFFIX)
        if not certificate_files and is_file(beside):
            found += _read_certificates([beside], problems, of=public)
    certificates = _read_certificates(named_certificates, problems)
    return FileKeys(
        identities=tuple(found),
        certificates=tuple(certificates),
        private=private,
        problems=problems,
        locked=locked,
    )


def is_file(path: Path) -> bool:
    """Whether a path names a file; a path that is too long names none."""
    with suppress(OSError):
        return path.is_file()
    return False


def public_of(offered: bytes) -> bytes:
    """Return the public key of a key or certificate; ValueError if it is not supported."""
    kind = paramiko.Message(offered).get_text()
    if not kind.endswith(_CERTIFICATE_TYPE):
        return offered
    return _public_of(_parse_certificate(kind.encode() + b" " + base64.b64encode(offered)))


class _Locked(Exception):
    """A private key has a passphrase; `public` is its public key if the file shows that."""

    def __init__(self, public: bytes | None) -> None:
        super().__init__("it has a passphrase")
        self.public = public


def _read_key(path: Path) -> tuple[bytes, paramiko.PKey | None]:
    """Return the public key, and the private key unless the file holds only the public key."""
    beside = path.with_name(path.name + ".pub")
    if not path.exists() and beside.is_file():  # the private key is in an agent alone
        return _read_public(beside), None
    data = read_regular(path, _LARGEST_BYTES)
    if b"PRIVATE KEY-----" not in data:
        return _read_public(path), None
    certificate = Path(f"{path}{_CERTIFICATE_SUFFIX}")
    if certificate.exists():
        read_regular(certificate, _LARGEST_BYTES)  # which paramiko reads, too
    try:
        key = paramiko.PKey.from_path(path)
    except (TypeError, paramiko.PasswordRequiredException):  # cryptography raises TypeError
        raise _Locked(_public_in(data) or _public_beside(beside)) from None
    key.public_blob = None  # of a certificate beside the key, which is offered by itself
    return key.asbytes(), key


def _read_public(path: Path) -> bytes:
    text = read_regular(path, _LARGEST_BYTES).decode()
    try:
        blob = paramiko.pkey.PublicBlob.from_string(text)
    except ValueError as exc:  # its message would show the file
        raise ValueError("it is no key") from exc
    return bytes(blob.key_blob)


def _public_beside(path: Path) -> bytes | None:
    try:
        return _read_public(path)
    except (OSError, ValueError):
        return None


def _public_in(data: bytes) -> bytes | None:
    """Return the public key that OpenSSH's format of a private key shows without a passphrase."""
    body = b"".join(line for line in data.splitlines() if not line.startswith(b"-----"))
    try:
        content = base64.b64decode(body)
    except ValueError:
        return None
    _, magic, rest = content.partition(_OPENSSH_MAGIC)
    if not magic:
        return None
    message = paramiko.Message(rest)
    for _ in ("cipher", "key derivation", "its options"):
        message.get_string()
    message.get_int()  # number of keys, which is 1
    return message.get_string()


def _read_certificates(
    paths: Sequence[Path], problems: dict[Path, str], of: bytes | None = None
) -> list[Identity]:
    """Read certificates of users; with `of`, only those of that public key."""
    found: list[Identity] = []
    for path in paths:
        try:
            data = read_regular(path, _LARGEST_BYTES)
            certificate = _parse_certificate(data)
            public = _public_of(certificate)
            offered = base64.b64decode(data.split()[1])
        except FileNotFoundError:
            problems[path] = f"the certificate file {path} does not exist"
            continue
        except (OSError, ValueError, UnsupportedAlgorithm) as exc:
            problems[path] = f"the certificate {path} cannot be used: {_reason(exc)}"
            continue
        if of not in (None, public):
            problems[path] = f"the certificate {path} belongs to another key"
        elif certificate.type is not SSHCertificateType.USER:
            problems[path] = f"the certificate {path} is one of a host, not of a user"
        else:
            if certificate.valid_before < time.time():
                problems[path] = f"the certificate {path} has expired"
            found.append(Identity(name=str(path), offered=offered, public=public))
    return found


def _parse_certificate(text: bytes) -> SSHCertificate:
    certificate = load_ssh_public_identity(text)
    if not isinstance(certificate, SSHCertificate):
        raise ValueError("it is a public key, not a certificate")
    return certificate


def _public_of(certificate: SSHCertificate) -> bytes:
    text = certificate.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    return base64.b64decode(text.split()[1])


def _reason(exc: Exception) -> str:
    if isinstance(exc, OSError) and exc.strerror:
        return exc.strerror
    if isinstance(exc, UnicodeDecodeError):
        return "it is no key"
    return str(exc) or type(exc).__name__
