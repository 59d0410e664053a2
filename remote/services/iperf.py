"""iperf3: the bandwidth between two hosts."""

from __future__ import annotations

PORT = 5201
READY_LINE = "Server listening"


def server_command(address: str, *, port: int = PORT) -> str:
    """Return the command that serves one test after the other on `address` until it is ended."""
    return f"iperf3 --server --forceflush --bind {address} --port {port}"


def client_command(address: str, *, seconds: int, omit_s: int = 1, port: int = PORT) -> str:
    """Return the command that sends to `address` for `omit_s` + `seconds` and prints JSON.

    The first `omit_s` seconds, in which TCP finds its window, do not count.
    """
    omit = f" --omit {omit_s}" if omit_s else ""
    return f"iperf3 --client {address} --port {port} --time {seconds}{omit} --json"
