"""memtier_benchmark, the load generator: the real one where a host has it, else the drop-in."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

RATIOS = {"set": "1:0", "get": "0:1"}
"""Workload name to memtier's sets-to-gets ratio, where the name says it all."""
QUEUE = "queue"
WORKLOADS = (*RATIOS, "multi-get", "mixed", QUEUE)
DEFAULT_KEY_PREFIX = "memtier-"
LARGEST_KEY_BYTES = 250


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The names of the keys: `prefix` and then a number from `first` to `last`."""

    prefix: str = DEFAULT_KEY_PREFIX
    first: int = 1
    last: int

    @classmethod
    def of(cls, count: int, *, prefix: str, key_bytes: int | None = None) -> Keys:
        """Return `count` keys, all of them `key_bytes` long if that is given.

        memtier writes numbers without leading zeros, so keys of one length need numbers of one
        length: 16 bytes and 10 000 keys are ``memtier-00010000`` to ``memtier-00019999``, the
        zeros in front belonging to the prefix.

        Raises
        ------
        ValueError
            The keys would be too long or cannot be that short.
        """
        if key_bytes is None:
            keys = cls(prefix=prefix, last=count)
            if keys.longest_bytes > LARGEST_KEY_BYTES:
                raise ValueError(
                    f"keys of {keys.longest_bytes} B are longer than memcached's "
                    f"{LARGEST_KEY_BYTES}: shorten generator.key_prefix"
                )
            return keys
        digits = 1
        while 9 * 10 ** (digits - 1) < count:  # so many numbers have that many digits
            digits += 1
        if key_bytes <= digits:
            raise ValueError(
                f"key_bytes = {key_bytes} cannot name {count} keys: numbers of one length have "
                f"{digits} digits, and a prefix of 1 B at least stands before them"
            )
        first = 10 ** (digits - 1)
        padded = prefix[: key_bytes - digits].ljust(key_bytes - digits, "0")
        return cls(prefix=padded, first=first, last=first + count - 1)

    @property
    def longest_bytes(self) -> int:
        """Length of the longest key."""
        return len(self.prefix) + len(str(self.last))


@dataclass(frozen=True, kw_only=True)
class MemtierOptions:
    """One instance of the generator: threads times clients connections.

    Parameters
    ----------
    program : path or name of `memtier_benchmark` on the host.
    server, port : where the requests go.
    threads, clients_per_thread : connections = threads times clients_per_thread.
    pipeline : requests of each connection under way at a time.
    start_is_told : the first request is sent at the time that is told on standard input once all
        clients are connected; only the drop-in can wait for it.
    arrival_rate_per_s : requests of this instance per second of the clock, at the times of a
        Poisson process; only the drop-in can do that. None: the next one follows the reply.
    think_time_s : what each client of a closed loop waits after a reply, in seconds of the clock;
        only the drop-in can do that.
    sending_rate_per_s : requests of each client per second of the clock, at most; only the drop-in
        takes fractions.
    queue_mix : weights of the operations on queues, such as ``send:40,pop:40``; None where requests
        are about objects. Only the drop-in knows queues.
    queues, receivers : how many of them; without receivers messages are to nobody.
    follow : one of so many requests is written down with its times, in files named after
        `json_file`; only the drop-in can do that.
    test_time_s : length of the run; exclusive with `requests`.
    requests : requests per connection, or ``allkeys``.
    ratio, key_pattern : memtier's ``sets:gets`` forms.
    multi_get_keys : keys that one get asks for; counted as so many gets of the ratio.
    keys, value_bytes, expiry_range_s : names of the keys, size of each value, time to live.
    """

    program: str
    server: str
    port: int
    threads: int
    clients_per_thread: int
    pipeline: int = 1
    ratio: str
    multi_get_keys: int | None = None
    value_bytes: int
    keys: Keys
    expiry_range_s: str
    start_is_told: bool = False
    arrival_rate_per_s: float | None = None
    think_time_s: float = 0.0
    sending_rate_per_s: float | None = None
    queue_mix: str | None = None
    queues: int = 1
    receivers: int = 0
    follow: int | None = None
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
            *(self._of_queues() if self.queue_mix else self._of_objects()),
            "--distinct-client-seed",
            "--randomize",
            f"--json-out-file={self.json_file}",
            "--hide-histogram",
        ]
        if self.pipeline > 1:
            arguments.append(f"--pipeline={self.pipeline}")
        if self.multi_get_keys is not None:
            arguments.append(f"--multi-key-get={self.multi_get_keys}")
        if self.start_is_told:
            arguments.append("--start-at=-")
        if self.arrival_rate_per_s is not None:
            arguments += ["--arrivals=poisson", f"--rate={self.arrival_rate_per_s:.6f}"]
        if self.follow is not None:
            prefix = self.json_file.removesuffix(".json")
            arguments += [f"--follow=1/{self.follow}", f"--follow-file-prefix={prefix}"]
        if self.think_time_s:
            arguments.append(f"--think-time={1000 * self.think_time_s:.6f}")
        if self.sending_rate_per_s is not None:
            arguments.append(f"--rate-limiting={self.sending_rate_per_s:.10g}")
        return shlex.join(arguments)

    def _of_objects(self) -> list[str]:
        return [
            f"--ratio={self.ratio}",
            f"--data-size={self.value_bytes}",
            f"--key-prefix={self.keys.prefix}",
            f"--key-minimum={self.keys.first}",
            f"--key-maximum={self.keys.last}",
            f"--key-pattern={self.key_pattern}",
            f"--expiry-range={self.expiry_range_s}",
        ]

    def _of_queues(self) -> list[str]:
        return [
            f"--queue-mix={self.queue_mix}",
            f"--queues={self.queues}",
            f"--receivers={self.receivers}",
            f"--data-size={self.value_bytes}",
            f"--key-prefix={self.keys.prefix}",
        ]


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
        keys=like.keys,
        expiry_range_s=like.expiry_range_s,
        requests="allkeys",
        key_pattern="P:P",
        json_file="prefill.json",
    )
