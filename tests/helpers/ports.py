"""Ports of the loopback address for programs that tests start."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

ADDRESS = "127.0.0.1"
_BLOCK = 100
_BLOCKS = range(12_000, 15_000, _BLOCK)  # below the ports of clients, and those of Kotlin's tests


def free_port() -> int:
    """A port that nobody uses, and that nobody else is given, by the kernel or by other tests."""
    with _ONE_AT_A_TIME:
        return next(port for port in _PORTS if _is_free(port))


def _is_free(port: int) -> bool:
    with suppress(OSError), socket.create_server((ADDRESS, port)):
        return True
    return False


def _own_ports() -> Iterator[int]:
    """Yield the ports of blocks that no other process of tests has."""
    for first in _BLOCKS:
        if _is_claimed(first):
            yield from range(first, first + _BLOCK)


def _is_claimed(first: int) -> bool:
    """Claim a block of ports until this process ends, by a name that one process can have."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0mwlab-tests-ports-{first}")
    except OSError:
        claim.close()
        return False
    claim.detach()
    return True


_PORTS = _own_ports()
_ONE_AT_A_TIME = threading.Lock()  # of a generator
