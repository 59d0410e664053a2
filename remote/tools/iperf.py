"""iperf3: the bandwidth between two hosts."""

from __future__ import annotations

PORT = 5201


def server_command(address: str) -> str:
    """Return the command that serves exactly one test on `address`."""
    return f"iperf3 --server --one-off --forceflush --bind {address} --port {PORT}"


def client_command(address: str, *, seconds: int) -> str:
    """Return the command that sends to `address` for `seconds` and prints JSON."""
    return f"iperf3 --client {address} --port {PORT} --time {seconds} --omit 1 --json"
