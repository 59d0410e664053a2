"""memtier_benchmark, the load generator: the real one where a host has it, else the drop-in."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

RATIOS = {"set": "1:0", "get": "0:1"}
"""Workload name to memtier's sets-to-gets ratio."""


@dataclass(frozen=True, kw_only=True)
class MemtierOptions:
    """One instance of the generator: a closed loop of threads times clients connections.

    Parameters
    ----------
    program : path or name of `memtier_benchmark` on the host.
    server, port : where the requests go.
    threads, clients_per_thread : virtual clients = threads times clients_per_thread.
    start_at_epoch_s : when the first request is sent; only the drop-in can wait for it.
    test_time_s : length of the run; exclusive with `requests`.
    requests : requests per connection, or ``allkeys``.
    ratio, key_pattern : memtier's ``sets:gets`` forms.
    value_bytes, key_count, expiry_range_s : size of each value, keys 1 to key_count, time to live.
    """

    program: str
    server: str
    port: int
    threads: int
    clients_per_thread: int
    ratio: str
    value_bytes: int
    key_count: int
    expiry_range_s: str
    start_at_epoch_s: int | None = None
    test_time_s: int | None = None
    requests: str | None = None
    key_pattern: str = "R:R"
    json_file: str

    def __post_init__(self) -> None:
        if (self.test_time_s is None) == (self.requests is None):
            raise ValueError("exactly one of test_time_s and requests must be given")

    def command(self) -> str:
        """Return the command line."""
        length = (
            f"--test-time={self.test_time_s}" if self.test_time_s else f"--requests={self.requests}"
        )
        arguments = [
            self.program,
            f"--server={self.server}",
            f"--port={self.port}",
            "--protocol=memcache_text",
            f"--threads={self.threads}",
            f"--clients={self.clients_per_thread}",
            length,
            f"--ratio={self.ratio}",
            f"--data-size={self.value_bytes}",
            "--key-minimum=1",
            f"--key-maximum={self.key_count}",
            f"--key-pattern={self.key_pattern}",
            f"--expiry-range={self.expiry_range_s}",
            "--distinct-client-seed",
            "--randomize",
            f"--json-out-file={self.json_file}",
            "--hide-histogram",
        ]
        if self.start_at_epoch_s is not None:
            arguments.append(f"--start-at={self.start_at_epoch_s}")
        return shlex.join(arguments)


def prefill(program: str, server: str, port: int, *, like: MemtierOptions) -> MemtierOptions:
    """Return the options that write every key once, values as in `like`."""
    return MemtierOptions(
        program=program,
        server=server,
        port=port,
        threads=1,
        clients_per_thread=8,
        ratio="1:0",
        value_bytes=like.value_bytes,
        key_count=like.key_count,
        expiry_range_s=like.expiry_range_s,
        requests="allkeys",
        key_pattern="P:P",
        json_file="prefill.json",
    )
