"""Make tables of a capture.

``python3 packets.pyz CAPTURE --listen ADDRESS:PORT --servers ADDRESS:PORT ... --output FOLDER``

Runs on the host that captured, of a middleware or, without ``--servers``, of a server. Into the
folder ``--output`` go the tables of `seconds`, and ``summary.json`` with how much could be read.
Single requests are told as in `followed`: of a middleware with ``--follow N``, of a server with
``--calls FILE``.
"""

from __future__ import annotations

import argparse
import json
import socket
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from remote.packets.connections import Connections
from remote.packets.followed import FOLLOWED, Followed, Takes, calls_in, one_of
from remote.packets.matching import Call, Matcher
from remote.packets.messages import Reply, Request
from remote.packets.records import Records
from remote.packets.seconds import Seconds

SUMMARY = "summary.json"


class _Clients:
    """Requests of clients to the address that is observed.

    Attributes
    ----------
    requests : with their replies.
    noreply_requests : those that ask for none; they are in no table.
    requests_without_reply : the rest, such as those that were under way when the capture ended.
    """

    def __init__(
        self, seconds: Seconds, matcher: Matcher | None, followed: Followed | None
    ) -> None:
        self.requests = self.noreply_requests = self.requests_without_reply = 0
        self._seconds = seconds
        self._matcher = matcher
        self._followed = followed

    def requested(self, request: Request) -> None:
        if not request.has_reply:
            self.noreply_requests += 1
            return
        self._seconds.arrive(request.began_ns, request.at_ns)
        if self._matcher:
            self._matcher.arrived(request)

    def replied(self, request: Request, reply: Reply) -> None:
        self.requests += 1
        self._seconds.leave(reply.at_ns)
        calls = self._matcher.replied(request) if self._matcher else []
        self._seconds.reply(request, reply, calls)
        if self._followed and calls is not None:
            self._followed.replied(request, reply, calls)

    def dropped(self, request: Request, at_ns: int) -> None:
        self.requests_without_reply += 1
        self._seconds.leave(at_ns)
        if self._matcher:
            self._matcher.dropped(request)


class _Server:
    """Calls of one server, with and without a reply that could be read."""

    def __init__(self, name: str, seconds: Seconds, matcher: Matcher) -> None:
        self.name = name
        self.calls = self.calls_without_reply = 0
        self._seconds = seconds
        self._matcher = matcher

    def requested(self, request: Request) -> None:
        """Do nothing: a call counts when it ends."""

    def replied(self, request: Request, reply: Reply) -> None:
        self.calls += 1
        call = Call(self.name, request, reply)
        self._seconds.call(call)
        self._matcher.called(call)

    def dropped(self, request: Request, at_ns: int) -> None:
        self.calls_without_reply += 1


def observe(
    capture: Path,
    *,
    listen: str,
    servers: Sequence[str] = (),
    output: Path,
    takes: Takes | None = None,
) -> dict[str, Any]:
    """Make the tables of a capture and return their summary; ValueError if it is no capture.

    Parameters
    ----------
    listen : ``address:port`` that clients connect to.
    servers : those of the servers behind it, as the tables name them.
    output : the folder for the tables.
    takes : chooses the single requests that are written down.
    """
    records = Records(capture)
    matcher = Matcher()
    with Seconds(output) as seconds, ExitStack() as files:
        followed = None
        if takes:
            file = files.enter_context((output / FOLLOWED).open("w", newline=""))
            followed = Followed(file, takes)
        clients = _Clients(seconds, matcher if servers else None, followed)
        behind = [_Server(name, seconds, matcher) for name in servers]
        watchers = {endpoint(server.name): server for server in behind}
        connections = Connections({**watchers, endpoint(listen): clients})
        for segment in records.segments():
            connections.take(segment)
        connections.close(records.last_ns)
    summary = {
        "configuration": {"listen": listen, "servers": list(servers)},
        "first_packet_epoch_s": records.first_ns / 1e9,
        "last_packet_epoch_s": records.last_ns / 1e9,
        "is_cut": records.is_cut,
        "packets": records.packets,
        "repeated_segments": connections.repeated_segments,
        "lost_segments": connections.lost_segments,
        "connections": connections.number,
        "abandoned_connections": connections.abandoned.total(),
        "reasons": dict(connections.abandoned),
        "requests": clients.requests,
        "noreply_requests": clients.noreply_requests,
        "requests_without_reply": clients.requests_without_reply,
        "unmatched_requests": matcher.unmatched_requests,
        "unmatched_calls": matcher.unmatched_calls,
        "servers": [
            {
                "address": server.name,
                "requests": server.calls,
                "requests_without_reply": server.calls_without_reply,
            }
            for server in behind
        ],
    }
    (output / SUMMARY).write_text(json.dumps(summary, indent=1) + "\n")
    return summary


def endpoint(text: str) -> bytes:
    """Return an ``address:port`` as it stands in packets; ValueError if it is none, or unknown."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"not ADDRESS:PORT: {text!r}")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
    except OSError as exc:
        raise ValueError(f"{text!r}: {exc}") from exc
    family, address = found[0][0], found[0][4][0]
    return socket.inet_pton(family, str(address)) + int(port).to_bytes(2, "big")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as a program; return its exit status."""
    parser = argparse.ArgumentParser(prog="packets", description="Make tables of a capture.")
    parser.add_argument("capture", type=Path, help="a file of tcpdump")
    parser.add_argument("--listen", required=True, help="ADDRESS:PORT that clients connect to")
    parser.add_argument("--servers", nargs="*", default=[], help="ADDRESS:PORT of each server")
    parser.add_argument("--output", required=True, type=Path, help="the folder for the tables")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--follow", type=int, metavar="N", help="write down one of N requests")
    which.add_argument("--calls", type=Path, help="write down those that are in this file")
    given = parser.parse_args(arguments)
    try:
        takes = one_of(given.follow) if given.follow else None
        if given.calls:
            takes = calls_in(given.calls, given.listen)
        observe(
            given.capture,
            listen=given.listen,
            servers=given.servers,
            output=given.output,
            takes=takes,
        )
    except (ValueError, OSError) as exc:
        print(f"packets: {exc}", file=sys.stderr)
        return 1
    return 0
