"""memtier_benchmark, the load generator: the real one where a host has it, else the drop-in."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

from records.settings import DEFAULTS, LARGEST_KEY_BYTES, Settings


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The names of the keys: `prefix` and then a number from `first` to `last`."""

    prefix: str
    first: int = 1
    last: int

    @classmethod
    def of(cls, count: int, *, prefix: str, key_bytes: int | None = None) -> Keys:
        """Return `count` keys, all `key_bytes` long if that is given and possible.

        memtier writes numbers without leading zeros, so keys of one length need numbers of one
        length: 16 bytes and 10 000 keys are ``memtier-00010000`` to ``memtier-00019999``, the
        zeros in front belonging to the prefix.
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


def keys_of(settings: Settings) -> Keys:
    """Return the keys of a run."""
    return Keys.of(settings.key_count, prefix=settings.key_prefix, key_bytes=settings.key_bytes)


@dataclass(frozen=True, kw_only=True)
class Memtier:
    """How one instance of the generator is started: threads times clients connections.

    Only the drop-in takes arrivals, think times, fractions of rates, a told start, queues and
    `follow`.

    Parameters
    ----------
    program : path or name of `memtier_benchmark` on the host.
    length : ``--test-time`` in seconds, or ``--requests`` of each connection.
    time_dilation : generators know nothing of it: times and rates are given by the clock.
    key_pattern : random keys, or in parallel each key once, as memtier has it.
    start_is_told : the time of the first request comes on standard input once all are connected.
    """

    program: str
    server: str
    port: int
    length: str
    json_file: str
    time_dilation: float = 1.0
    key_pattern: str = "R:R"
    start_is_told: bool = False

    def command(self, settings: Settings) -> str:
        """Return the command line; an instance has its share of the arrivals of a run.

        Independent Poisson processes add up to one, so each instance has an equal share of the
        rate.
        """
        rate = settings.arrival_rate_per_s
        own = replace(
            settings,
            arrival_rate_per_s=None if rate is None else rate / settings.instances,
            think_time_s=settings.think_time_s or None,  # the real memtier_benchmark knows none
        )
        arguments = [
            self.program,
            f"--server={self.server}",
            f"--port={self.port}",
            "--protocol=memcache_text",
            self.length,
            *([f"--key-prefix={own.key_prefix}"] if own.uses_queues else self._of_objects(own)),
            "--distinct-client-seed",
            "--randomize",
            f"--json-out-file={self.json_file}",
            "--hide-histogram",
            *(["--start-at=-"] if self.start_is_told else []),
            *own.options("generator", self.time_dilation),
        ]
        if own.follow is not None:
            arguments.append(f"--follow-file-prefix={self.json_file.removesuffix('.json')}")
        return shlex.join(arguments)

    def _of_objects(self, settings: Settings) -> list[str]:
        keys = keys_of(settings)
        return [
            f"--ratio={settings.sets_to_gets}",
            f"--key-prefix={keys.prefix}",
            f"--key-minimum={keys.first}",
            f"--key-maximum={keys.last}",
            f"--key-pattern={self.key_pattern}",
        ]


def prefill(program: str, server: str, port: int, settings: Settings) -> str:
    """Return the command that writes every key of a run once, with its values."""
    writes = replace(
        DEFAULTS,
        workload="set",
        clients_per_thread=8,
        value_bytes=settings.value_bytes,
        key_prefix=settings.key_prefix,
        key_count=settings.key_count,
        key_bytes=settings.key_bytes,
        expiry_range_s=settings.expiry_range_s,
    )
    return Memtier(
        program=program,
        server=server,
        port=port,
        length="--requests=allkeys",
        json_file="prefill.json",
        key_pattern="P:P",
    ).command(writes)
