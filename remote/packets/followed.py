"""Single requests written down with their times: those that generator and middleware follow.

Which of each N requests of a connection is followed depends on the client's port and the request's
number, from 0, as in `mwlab.follow.Follow`. On a middleware's host these are told with the calls
that they led to; on a server's host those calls are, whatever their numbers on connections between.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import cache
from ipaddress import IPv6Address
from pathlib import Path
from typing import TextIO

from remote.packets.matching import Call
from remote.packets.messages import NO_NUMBER, Reply, Request

FOLLOWED = "followed.csv"
_OF_CALLS = ("servers", "connections", "numbers", "sent_ns", "answered_ns")
HEAD = ("client", "number", "request_type", "first_byte_ns", "replied_ns", *_OF_CALLS)
_STEP = 7919
Takes = Callable[[Request], bool]


class Followed:
    """Writes rows of `FOLLOWED` to an open file for the requests that `takes` chooses."""

    def __init__(self, file: TextIO, takes: Takes) -> None:
        self._takes = takes
        self._rows = csv.writer(file, lineterminator="\n")
        self._rows.writerow(HEAD)

    def replied(self, request: Request, reply: Reply, calls: Sequence[Call]) -> None:
        """Take note of a request that has its reply, unless its calls may be another one's."""
        if not self._takes(request) or not all(map(_is_known, calls)):
            return
        asked = [call.request for call in calls]
        lists = (
            [call.server for call in calls],
            [name_of(one.client) for one in asked],
            [one.number for one in asked],
            [one.began_ns for one in asked],
            [call.reply.at_ns for call in calls],
        )
        told = name_of(request.client), request.number, request.request_type
        joined = (";".join(map(str, values)) for values in lists)
        self._rows.writerow([*told, request.began_ns, reply.at_ns, *joined])


def one_of(number: int) -> Takes:
    """Take one of so many requests of each connection whose beginning was captured."""

    def takes(request: Request) -> bool:
        port = int.from_bytes(request.client[-2:], "big")
        turn, place = divmod(request.number, number)
        return request.number != NO_NUMBER and place == (port + turn * _STEP) % number

    return takes


def calls_in(path: Path, server: str) -> Takes:
    """Take the requests to a server that are in `path`, the `FOLLOWED` of all middlewares."""
    places = [HEAD.index(name) for name in ("servers", "connections", "numbers")]
    asked = set()
    with path.open(newline="") as file:
        for row in csv.reader(file):
            calls = zip(*(row[place].split(";") for place in places), strict=True)
            asked |= {(client, number) for name, client, number in calls if name == server}

    def takes(request: Request) -> bool:
        return (name_of(request.client), str(request.number)) in asked

    return takes


def _is_known(call: Call) -> bool:
    return call.is_certain and call.request.number != NO_NUMBER


@cache
def name_of(client: bytes) -> str:
    """Return an end of a connection as it stands in packets as generators and middlewares do."""
    address, port = client[:-2], int.from_bytes(client[-2:], "big")
    if len(address) == 4:
        return f"{'.'.join(map(str, address))}:{port}"
    return f"[{IPv6Address(address)}]:{port}"
