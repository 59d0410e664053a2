"""The twelve faults: what happens, how it ends, and what clients may see of it."""

from __future__ import annotations

import asyncio
import random
import signal
import socket
import time
from contextlib import suppress

from verified_load import treatments
from verified_load.episode import Episode, Kind
from verified_load.ledger import KIB
from verified_load.relay import Treatment, reset_on_close

LASTS_S = 0.8
SILENT_S = 0.6
DISTURBERS = 6
DISTURBERS_KEYS = 5
"""The clients that behave never ask for as many keys in one get: counted apart."""
CLIENT_TIMEOUT_S = 2
FILLER_BYTES = [int(KIB * 1.19**step) for step in range(-1, 14)]
LARGE_FILLER_BYTES = [size * KIB for size in (20, 40, 60, 80, 100, 101, 110)]


async def killed(episode: Episode, _: random.Random) -> None:
    """Kill a server, and start it again later, empty."""
    server = episode.system.faulty_server
    episode.ledger.empty_until_s[episode.system.faulty] = float("inf")
    server.send(signal.SIGKILL)
    await asyncio.sleep(LASTS_S)
    await asyncio.to_thread(server.start)
    episode.ledger.empty_until_s[episode.system.faulty] = time.monotonic()


async def stopped(episode: Episode, _: random.Random) -> None:
    """Let a server stand still for a while."""
    server = episode.system.faulty_server
    server.send(signal.SIGSTOP)
    try:
        await asyncio.sleep(LASTS_S)
    finally:
        server.send(signal.SIGCONT)


async def slow(episode: Episode, rng: random.Random) -> None:
    """Let a server's bytes come late, some of them too late, or in small pieces."""
    trickles = rng.random() < 0.4
    longest_s = 1.2 * episode.server_timeout_s
    await _treat(
        episode, treatments.trickling(rng) if trickles else treatments.delayed(rng, longest_s)
    )


async def half_replies(episode: Episode, rng: random.Random) -> None:
    """End a server's connections in the midst of replies."""
    await _treat(episode, treatments.halved(rng))


async def garbage(episode: Episode, rng: random.Random) -> None:
    """Let a server say what is no reply."""
    await _treat(episode, treatments.garbled(rng))


async def _treat(episode: Episode, treatment: Treatment) -> None:
    relay = episode.relay
    relay.treatment = treatment
    await asyncio.sleep(LASTS_S)
    relay.treatment = None
    if not await treatments.drain(relay, 5):
        episode.fail("the relay still holds bytes back")


async def refused(episode: Episode, _: random.Random) -> None:
    """Close a server's port for a while; it keeps its data."""
    await episode.relay.close()
    await asyncio.sleep(LASTS_S)
    await episode.relay.open()


async def cut(episode: Episode, rng: random.Random) -> None:
    """Let nothing pass to and from a server; old connections return later, or are dead."""
    returned = asyncio.Event()
    episode.relay.treatment = treatments.held(returned)
    await asyncio.sleep(SILENT_S + episode.server_timeout_s)
    if rng.random() < 0.5:
        episode.relay.cut_all()
    episode.relay.treatment = None
    returned.set()
    if not await treatments.drain(episode.relay, 5):
        episode.fail("the relay still holds bytes back")


async def full(episode: Episode, _: random.Random) -> None:
    """Leave a server no room for further values; it may not evict any."""
    port = episode.system.faulty_server.port
    names = await asyncio.to_thread(_fill, port)
    if not names:
        episode.fail("the server could not be filled")
    await asyncio.sleep(LASTS_S)
    await asyncio.to_thread(_delete, port, names)


def _fill(port: int) -> list[str]:
    """Store fillers of all sizes until there is no room for any; returns their names."""
    names = []
    with socket.create_connection(("127.0.0.1", port)) as server, server.makefile("rb") as replies:
        for size in (*LARGE_FILLER_BYTES, *FILLER_BYTES):
            for number in range(4 * KIB):
                name = f"filler-{size}-{number}"
                server.sendall(b"set %s 0 0 %d\r\n" % (name.encode(), size) + bytes(size) + b"\r\n")
                if replies.readline() != b"STORED\r\n":
                    break
                names.append(name)
    return names


def _delete(port: int, names: list[str]) -> None:
    with socket.create_connection(("127.0.0.1", port)) as server, server.makefile("rb") as replies:
        server.sendall(b"".join(b"delete %s\r\n" % name.encode() for name in names))
        for _ in names:
            replies.readline()


async def vanishing_clients(episode: Episode, rng: random.Random) -> None:
    """Let clients end their connections in the midst of requests and before replies."""
    until_s = time.monotonic() + LASTS_S
    while time.monotonic() < until_s:
        for _ in range(DISTURBERS):
            with socket.create_connection(("127.0.0.1", episode.rules.port)) as client:
                client.setblocking(False)
                with suppress(BlockingIOError):
                    client.send(_unfinished(episode, rng))
                if rng.random() < 0.8:
                    reset_on_close(client)
                if rng.random() < 0.5:
                    await asyncio.sleep(rng.uniform(0, 0.01))
        await asyncio.sleep(0.01)


def _unfinished(episode: Episode, rng: random.Random) -> bytes:
    """Return bytes after which nobody stays to wait."""
    keys = rng.sample(episode.ledger.keys, DISTURBERS_KEYS)
    whole = f"get {' '.join(keys)}\r\n".encode()
    size = rng.randint(1, 100 * KIB)
    begun = b"set vanished 0 0 %d\r\n" % size + bytes(rng.randrange(size))
    return rng.choice([whole[: rng.randrange(len(whole))], begun, whole, 20 * whole, whole + begun])


async def clients_that_never_read(episode: Episode, rng: random.Random) -> None:
    """Let clients ask for more and more, and take nothing of it."""
    clients = []
    try:
        for _ in range(DISTURBERS):
            client = socket.socket()
            clients.append(client)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * KIB)
            client.connect(("127.0.0.1", episode.rules.port))
            client.setblocking(False)
            keys = rng.sample(episode.ledger.keys, DISTURBERS_KEYS)
            with suppress(BlockingIOError):
                client.send(2000 * f"get {' '.join(keys)}\r\n".encode())
        await asyncio.sleep(LASTS_S)
        await episode.await_statistic("mw_stalled_connections_closed", DISTURBERS)
    finally:
        for client in clients:
            client.close()


async def middleware_terminated(episode: Episode, _: random.Random) -> None:
    """Tell the middleware to end under load, and start it again."""
    await episode.restart_middleware(signal.SIGTERM)


async def middleware_killed(episode: Episode, _: random.Random) -> None:
    """Kill the middleware under load, and start it again."""
    await episode.restart_middleware(signal.SIGKILL)


KINDS = {
    "server-killed": Kind(befall=killed),
    "server-stopped": Kind(befall=stopped, hangs=True),
    "server-slow": Kind(befall=slow, has_relay=True, hangs=True),
    "half-replies": Kind(befall=half_replies, has_relay=True),
    "garbage": Kind(befall=garbage, has_relay=True, hangs=True),
    "refused": Kind(befall=refused, has_relay=True),
    "server-full": Kind(befall=full, server_options="-m 1 -M -I 512k"),
    "client-vanishes": Kind(befall=vanishing_clients, hits_servers=False),
    "client-never-reads": Kind(
        befall=clients_that_never_read,
        hits_servers=False,
        options=f"--client-timeout {CLIENT_TIMEOUT_S}s",
    ),
    "link-cut": Kind(befall=cut, has_relay=True, hangs=True),
    "middleware-terminated": Kind(befall=middleware_terminated, hits_servers=False),
    "middleware-killed": Kind(befall=middleware_killed, hits_servers=False, before_s=6.5),
}
