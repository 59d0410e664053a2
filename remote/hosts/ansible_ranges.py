"""Names of hosts as Ansible writes many at once: ``c[1:3]``, ``d[a:e:2].lab:2222``; pure."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Iterable
from ipaddress import IPv6Address

MOST_NAMES = 2000
"""Of a range, and of all hosts and groups of an inventory together, each mention counted."""
_RANGE = re.compile(r"\[([^\[\]:]*):([^\[\]:]+)(?::([0-9]{1,9}))?\]")
# As Ansible finds a port: behind a name or IPv4 address with or without ranges, or behind `[IPv6]`.
_PORT = re.compile(r"((?:[^:\[\]]|\[[^\]]*\])*):([0-9]{1,9})")
_IPV6_PORT = re.compile(r"\[([0-9a-fA-F:]+)\]:([0-9]{1,9})")
_PLAIN_RANGE = re.compile(r"\[(?:[a-zA-Z]:[a-zA-Z]|[0-9]+:[0-9]+)(?::[0-9]+)?\]")
_LABEL = r"\w[\w-]*(?<![_-])"
_HOSTNAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")


def expand(pattern: str) -> tuple[Iterable[str], int]:
    """Return the hosts that `pattern` names, and their port or 0; ValueError says what is wrong."""
    address = _IPV6_PORT.fullmatch(pattern)
    if address and _is_ipv6(address[1]):
        return [address[1]], int(address[2])
    port = 0
    if match := _PORT.fullmatch(pattern):
        if not _HOSTNAME.fullmatch(_PLAIN_RANGE.sub("0", match[1])) or pattern.startswith("["):
            raise ValueError(
                f"Ansible finds no port in {pattern}: what precedes the port must be a name of "
                "letters and digits; write the port as the variable ansible_port"
            )
        pattern, port = match[1], int(match[2])
    parts: list[list[str]] = []
    end = 0
    for found in _RANGE.finditer(pattern):
        try:
            names = _range(found[1] or "0", found[2], int(found[3] or 1))
        except ValueError as exc:
            raise ValueError(f"{found[0]} is no range: {exc}") from exc
        parts += [[pattern[end : found.start()]], names]
        end = found.end()
    parts.append([pattern[end:]])
    return map("".join, itertools.product(*parts)), port


def _is_ipv6(text: str) -> bool:
    try:
        return bool(IPv6Address(text)) and text.count(":") <= 7  # Ansible knows no `1:...:7::`
    except ValueError:
        return False


def _range(first: str, last: str, step: int) -> list[str]:
    letters = string.ascii_letters
    if first.isdecimal() and first.isascii():
        width = len(first) if first.startswith("0") and len(first) > 1 else 0
        if width and len(last) != width:
            raise ValueError("both ends need the same number of digits")
        if not (last.isdecimal() and last.isascii()):
            raise ValueError(f"{last} is no number")
        numbers = range(int(first), int(last) + 1, step)
        if numbers[MOST_NAMES:]:
            raise ValueError(f"it has more than {MOST_NAMES} names")
        names = [f"{n:0{width}d}" for n in numbers]
    elif len(first) > 1 or len(last) > 1:
        raise ValueError("its ends are two numbers or two letters")
    else:
        names = list(letters[letters.index(first) : letters.index(last) + 1 : step])
    if not names:
        raise ValueError("it ends before it begins")
    return names
