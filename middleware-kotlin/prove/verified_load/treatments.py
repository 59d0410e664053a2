"""What a relay does to the bytes between the middleware and a server while a fault lasts."""

from __future__ import annotations

import asyncio
import random

from verified_load.relay import Link, Relay, Treatment

TRICKLE_BYTES = (50, 700)
TRICKLE_PAUSE_S = 0.002
GARBAGE = (
    b"\r\n",
    b"FOO\r\n",
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
    b"VALUE nobody-asked 0 3\r\nabc\r\nEND\r\n",
    b"VALUE w0-0 0 -1\r\n",
    b"VALUE w0-0 0 99999999999\r\n",
    b"VALUE w0-0 0 3\r\nabcdef\r\nEND\r\n",
    b"DELETED\r\n",
    b"TOUCHED\r\n",
    b"17\r\n",
    b"STAT pid 1\r\n",
    b"\x80" + bytes(23),
    b"x" * 70_000,
)


def delayed(rng: random.Random, longest_s: float) -> Treatment:
    """Pass everything on later, in both directions: some of it too late for who waits for it."""

    async def treatment(data: bytes, _: bool, __: Link) -> bytes:
        await asyncio.sleep(rng.uniform(0, longest_s))
        return data

    return treatment


def trickling(rng: random.Random) -> Treatment:
    """Let the server's bytes come in small pieces."""

    async def treatment(data: bytes, from_server: bool, link: Link) -> bytes:
        if not from_server:
            return data
        start = 0
        while start < len(data):
            piece = data[start : start + rng.randint(*TRICKLE_BYTES)]
            link.near.write(piece)
            await link.near.drain()
            await asyncio.sleep(TRICKLE_PAUSE_S)
            start += len(piece)
        return b""

    return treatment


def halved(rng: random.Random) -> Treatment:
    """Pass on a part of what the server says, then end the connection, orderly or not."""

    async def treatment(data: bytes, from_server: bool, link: Link) -> bytes:
        if not from_server:
            return data
        link.near.write(data[: rng.randrange(len(data))])
        await asyncio.sleep(0.005)  # the part is read before the end is
        if rng.random() < 0.5:
            link.cut()
        else:
            link.near.close()
            link.far.close()
        return b""

    return treatment


def garbled(rng: random.Random) -> Treatment:
    """Put garbage instead of what the server says, or before it."""

    async def treatment(data: bytes, from_server: bool, _: Link) -> bytes:
        if not from_server or rng.random() < 0.5:
            return data
        garbage = rng.choice([*GARBAGE, b"\x00" + rng.randbytes(rng.randint(1, 500))])
        return garbage + rng.choice([b"", data])

    return treatment


def held(returned: asyncio.Event) -> Treatment:
    """Pass on nothing until the link has returned; then all of it, as TCP would."""

    async def treatment(data: bytes, _: bool, __: Link) -> bytes:
        await returned.wait()
        return data

    return treatment


async def drain(relay: Relay, timeout_s: float) -> bool:
    """Wait until all that a treatment held back is passed on; whether it was in time."""
    try:
        async with asyncio.timeout(timeout_s):
            while not relay.is_drained:
                await asyncio.sleep(0.01)
    except TimeoutError:
        return False
    return True
