"""Every operation of aiomcache against one server; prints TAP.

python aiomcache_tests.py 127.0.0.1 11211
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable

from aiomcache import Client
from aiomcache.exceptions import ClientException, ValidationException

LARGE_BYTES = 1024 * 1024 - 512
TESTS: dict[str, Callable[[Client], Awaitable[None]]] = {}


def named(name: str) -> Callable[[Callable[[Client], Awaitable[None]]], None]:
    """Enter a test under its name."""

    def enter(test: Callable[[Client], Awaitable[None]]) -> None:
        TESTS[name] = test

    return enter


async def round_trip(client: Client, key: bytes, value: bytes) -> None:
    """Store a value and read it back."""
    assert await client.set(key, value)
    assert await client.get(key) == value


async def refuses(answer: Awaitable[object], kind: type[Exception]) -> None:
    """Fail unless the awaited operation raises."""
    try:
        await answer
    except kind:
        return
    raise AssertionError("nothing was refused")


@named("version")
async def _(client: Client) -> None:
    assert (await client.version())[:1].isdigit()


@named("a missing key is a miss")
async def _(client: Client) -> None:
    assert await client.get(b"missing") is None


@named("a multi-get leaves missing keys out")
async def _(client: Client) -> None:
    await client.set(b"one", b"1")
    await client.set(b"two", b"2")
    assert await client.multi_get(b"one", b"missing", b"two") == (b"1", None, b"2")


@named("32 tasks over a pool of connections")
async def _(client: Client) -> None:
    async def rounds(number: int) -> None:
        for turn in range(25):
            await round_trip(client, b"task-%d" % number, b"%d %d" % (number, turn))

    await asyncio.gather(*map(rounds, range(32)))


@named("add and replace depend on what is there")
async def _(client: Client) -> None:
    await client.delete(b"added")
    assert not await client.replace(b"added", b"0")
    assert await client.add(b"added", b"1")
    assert not await client.add(b"added", b"2")
    assert await client.replace(b"added", b"3")
    assert await client.get(b"added") == b"3"


@named("append and prepend")
async def _(client: Client) -> None:
    await client.delete(b"extended")
    assert not await client.append(b"extended", b"x")
    assert await client.set(b"extended", b"b")
    assert await client.append(b"extended", b"c")
    assert await client.prepend(b"extended", b"a")
    assert await client.get(b"extended") == b"abc"


@named("cas stores once and then conflicts")
async def _(client: Client) -> None:
    await client.set(b"swapped", b"1")
    _, unique = await client.gets(b"swapped")
    assert unique is not None
    assert await client.cas(b"swapped", b"2", unique)
    assert not await client.cas(b"swapped", b"3", unique)
    assert await client.get(b"swapped") == b"2"


@named("increment and decrement")
async def _(client: Client) -> None:
    await client.delete(b"counter")
    await refuses(client.incr(b"counter"), ClientException)
    await client.set(b"counter", b"10")
    assert await client.incr(b"counter", 5) == 15
    assert await client.decr(b"counter", 100) == 0
    await client.set(b"counter", b"word")
    await refuses(client.incr(b"counter"), ClientException)


@named("touch")
async def _(client: Client) -> None:
    await client.set(b"touched", b"1")
    assert await client.touch(b"touched", 100)
    await client.delete(b"touched")
    assert not await client.touch(b"touched", 100)


@named("delete")
async def _(client: Client) -> None:
    await client.set(b"deleted", b"1")
    assert await client.delete(b"deleted")
    assert not await client.delete(b"deleted")


@named("a value expires")
async def _(client: Client) -> None:
    await client.set(b"brief", b"1", exptime=1)
    await asyncio.sleep(2.5)
    assert await client.get(b"brief") is None


@named("an empty value")
async def _(client: Client) -> None:
    await round_trip(client, b"empty", b"")


@named("a value of all bytes and line ends")
async def _(client: Client) -> None:
    await round_trip(client, b"binary", b"\r\nEND\r\nVALUE x 0 1\r\n" + bytes(range(256)))


@named("a value of 1 MiB - 512 bytes")
async def _(client: Client) -> None:
    await round_trip(client, b"large", b"0123456789abcdef" * (LARGE_BYTES // 16))


@named("a value that is too large is refused, and the client works on")
async def _(client: Client) -> None:
    await refuses(client.set(b"too-large", bytes(1024 * 1024 + 1)), ClientException)
    await round_trip(client, b"after", b"1")


@named("a key of 250 bytes")
async def _(client: Client) -> None:
    await round_trip(client, b"k" * 250, b"1")


@named("a key in Unicode")
async def _(client: Client) -> None:
    await round_trip(client, "schlüssel-鍵".encode(), b"1")


@named("malformed keys are refused by the client")
async def _(client: Client) -> None:
    for key in (b"k" * 251, b"with space", b"line\nend"):
        await refuses(client.set(key, b"1"), ValidationException)


@named("stats")
async def _(client: Client) -> None:
    assert int((await client.stats())[b"cmd_get"] or 0) > 0


@named("flush_all")
async def _(client: Client) -> None:
    await client.set(b"flushed", b"1")
    await client.flush_all()
    assert await client.get(b"flushed") is None


async def main() -> None:
    """Run all tests, each with a client of its own."""
    print(f"1..{len(TESTS)}")
    for name, test in TESTS.items():
        client = Client(sys.argv[1], int(sys.argv[2]), pool_size=4)
        try:
            await test(client)
            print(f"ok {name}", flush=True)
        except Exception as failure:
            print(f"not ok {name}\n# {failure!r}", flush=True)
        finally:
            await client.close()


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(main(), 60))
