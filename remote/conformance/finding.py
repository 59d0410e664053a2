"""What a question has found out, and how a user can see it without the kit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

_QUIET_S = 2
_LONG_RUN = re.compile(rb"(.)\1{99,}", re.DOTALL)
_LONG_SET = re.compile(rb"set [^\r\n]* (\d{3,})\r\n")
_PLAIN = frozenset(range(0x20, 0x7F)) - set(b"%'\\")


class Verdict(StrEnum):
    """What is to be thought of an answer."""

    WORKS = "works"
    DOES_NOT = "does not"
    """It does without something; that is no fault."""
    FAULT = "fault"
    UNKNOWN = "could not be told"


@dataclass(frozen=True)
class Answer:
    """What a question returns.

    Parameters
    ----------
    text : a few words for a table.
    verdict : what is to be thought of it.
    sentence : what is wrong and where; empty if nothing is.
    requests : what a client sends to see it, one packet after another.
    """

    text: str
    verdict: Verdict = Verdict.WORKS
    sentence: str = ""
    requests: Sequence[bytes] = field(default=())


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A question and what came of it.

    Parameters
    ----------
    group : under which heading the question stands.
    question : as a statement that may hold.
    answer : a few words.
    verdict : what is to be thought of it.
    sentence : what is wrong and where; empty if nothing is.
    command : for a shell, to see it oneself; empty if nothing is wrong, or no client can see it.
    """

    group: str
    question: str
    answer: str
    verdict: Verdict
    sentence: str = ""
    command: str = ""


def by_hand(requests: Sequence[bytes], address: str, port: int, prefix: str = "") -> str:
    r"""Return the shell command that sends `requests` and shows the replies.

    ``printf 'get a\r\n' | nc -w 2 127.0.0.1 11212``; empty without requests. A pause separates the
    requests, since not every middleware takes several at once.

    Parameters
    ----------
    prefix : words before ``nc``, such as ``ip netns exec c1``.
    """
    if not requests:
        return ""
    steps = "; sleep 1; ".join(_printing(request) for request in requests)
    sending = f"({steps})" if ";" in steps else steps
    return f"{sending} | {nc(address, port, prefix)}"


def nc(address: str, port: int, prefix: str = "") -> str:
    """Return the command of a client that prints replies until none has come for a while."""
    return f"{prefix} nc -w {_QUIET_S} {address} {port}".strip()


def _printing(request: bytes) -> str:
    """Return the commands that print a request; long values are made, not written."""
    if (match := _LONG_SET.match(request)) and match.end() + int(match[1]) < len(request):
        request = b"%b%b\r\n" % (match[0], b"x" * int(match[1]))
    parts, written = [], 0
    for run in _LONG_RUN.finditer(request):
        parts += [_printf(request[written : run.start()])]
        parts += [f"head -c {len(run[0])} /dev/zero | tr '\\0' '{_escaped(run[1])}'"]
        written = run.end()
    return "; ".join(part for part in (*parts, _printf(request[written:])) if part)


def _printf(data: bytes) -> str:
    return f"printf '{_escaped(data)}'" if data else ""


def _escaped(data: bytes) -> str:
    named = {ord("\r"): "\\r", ord("\n"): "\\n", ord("%"): "%%", ord("\\"): "\\\\"}
    return "".join(
        named.get(byte) or (chr(byte) if byte in _PLAIN else f"\\{byte:03o}") for byte in data
    )
