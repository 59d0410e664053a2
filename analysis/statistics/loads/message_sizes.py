"""Bytes of memcached's messages on the wire, and the time that a link takes for them."""

import math

from analysis.units import BITS_PER_BYTE

BYTES_PER_SEGMENT, HEADER_BYTES = 1448, 66  # TCP payload and Ethernet, IP, TCP headers


def wire_bytes(payload_bytes: float) -> float:
    """Bytes on the wire of a message: TCP segments of 1448 bytes, each with 66 of headers."""
    return payload_bytes + HEADER_BYTES * math.ceil(payload_bytes / BYTES_PER_SEGMENT)


def message_bytes(
    workload: str, value_bytes: int = 4096, key_bytes: int = 12, keys: int = 1
) -> dict[str, float]:
    """Sizes on the wire of a memcached ``get`` or ``multi-get`` (all hits) or ``set``.

    They are `request_bytes` and `reply_bytes`, as arguments of `analysis.models.System`.

    Parameters
    ----------
    workload
        ``get``, ``multi-get`` or ``set``.
    value_bytes, key_bytes
        Of each value and key.
    keys
        In one get, at least 1.
    """
    value = value_bytes + len("\r\n")
    if keys < 1:
        raise ValueError(f"keys must be >= 1, got {keys}")
    if workload in ("get", "multi-get"):
        request = len("get\r\n") + keys * (len(" ") + key_bytes)
        line = len(f"VALUE  0 {value_bytes}\r\n") + key_bytes
        reply = keys * (line + value) + len("END\r\n")
    elif workload == "set":
        request = len(f"set  0 9999 {value_bytes}\r\n") + key_bytes + value
        reply = len("STORED\r\n")
    else:
        raise ValueError(f"workload must be 'get', 'multi-get' or 'set', got {workload!r}")
    return {"request_bytes": wire_bytes(request), "reply_bytes": wire_bytes(reply)}


def link_seconds(size_bytes: float, rate: float) -> float:
    """Time of a message on a link, in seconds; bytes and bit/s."""
    return size_bytes * BITS_PER_BYTE / rate
