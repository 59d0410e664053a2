"""Messages that wait in the queues before a run, so that clients find some to take."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from records.settings import Settings
from remote.errors import CommandFailed, HostUnreachable
from remote.hosts.connection import Connection
from remote.hosts.group import in_parallel
from remote.hosts.ssh.link import BROKEN
from remote.services.middleware import PORT

CONNECTIONS = 8
STORED = b"STORED"
_LINE_END = b"\r\n"
_TIMEOUT_S = 30.0  # for a reply
_CHUNK_BYTES = 1 << 16


def requests(settings: Settings) -> list[bytes]:
    """Return the requests that send the messages, to each queue and receiver as many: pure."""
    body = b"x" * settings.value_bytes
    keys = [
        f"{settings.key_prefix}{queue}{to}"
        for to in [f"/to/r{n}" for n in range(1, settings.receivers + 1)] or [""]
        for queue in range(1, settings.queues + 1)
    ]
    return [
        b"set %s 0 0 %d\r\n%s\r\n" % (keys[n % len(keys)].encode(), len(body), body)
        for n in range(settings.queued_messages)
    ]


def send_messages(connection: Connection, settings: Settings) -> None:
    """Send them through the middleware of a host, which knows which database each belongs to.

    HostUnreachable if the middleware does not answer, CommandFailed if it does not store one.
    """
    wanted = requests(settings)
    shares = [share for n in range(CONNECTIONS) if (share := wanted[n::CONNECTIONS])]
    in_parallel({str(n): partial(_send, connection, share) for n, share in enumerate(shares)})


def _send(connection: Connection, share: Sequence[bytes]) -> None:
    """Send some over a connection of their own, and read a reply to each."""
    host, replies = connection.host.name, bytearray()
    try:
        with connection.dial(PORT, timeout_s=_TIMEOUT_S) as channel:
            channel.sendall(b"".join(share))
            while replies.count(_LINE_END) < len(share):
                chunk = channel.recv(_CHUNK_BYTES)
                if not chunk:
                    raise EOFError(f"the connection ended after {bytes(replies[-80:])!r}")
                replies += chunk
    except BROKEN as exc:
        remedy = "What it said itself is in its .err file beside the run."
        raise HostUnreachable(host, f"port {PORT} does not store messages: {exc}", remedy) from exc
    refused = [line for line in bytes(replies).split(_LINE_END) if line not in (STORED, b"")]
    if refused:
        raise CommandFailed(host, "set", 1, refused[0].decode(errors="replace"))
