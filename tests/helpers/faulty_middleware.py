"""A small middleware for memcached, correct unless it is asked for one of `FAULTS`, or slow.

    python faulty_middleware.py -l 127.0.0.1 -p 11212 -t 8 -s false -m 127.0.0.1:11211 [--fault F]

It routes as the course's: gets round-robin, sets to all servers, sharded multi-gets in equal parts.
"""

import argparse
import asyncio
import itertools
import os
import re
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext

FAULTS = (
    *("wrong client", "lost key", "leak", "one blocks all", "truncated", "hangs", "no end"),
    *("wrong order", "dies of garbage", "one reader blocks all", "two copies"),
    *("hoards", "slow server", "child stays"),
)
CROWD = b"client-"  # begins the keys of one question: replies go to the wrong one of its clients
SLOW_S = 0.2
CHILD_STAYS_S = 3.0  # after its parent has gone


class Server:
    """One connection of one worker, made when it is needed."""

    def __init__(self, address: str, delay_s: float) -> None:
        self.host, _, self.port = address.rpartition(":")
        self.delay_s = delay_s
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> bytes:
        """Return the whole reply; OSError or EOFError if the server is down."""
        if self.streams is None:
            self.streams = await asyncio.open_connection(self.host, int(self.port), limit=1 << 20)
        reader, writer = self.streams
        try:
            writer.write(request)
            reply = bytearray()
            while (line := await reader.readuntil(b"\n")).startswith(b"VALUE "):
                reply += line + await reader.readexactly(int(line.split()[3]) + 2)
            await asyncio.sleep(self.delay_s)
            return bytes(reply + line)
        except (OSError, EOFError):
            writer.close()
            self.streams = None
            raise


class Middleware:
    """Clients put jobs into a queue; workers take them."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.fault = arguments.fault
        self.queue: asyncio.Queue[tuple[list[bytes], bytes, asyncio.Future[bytes]]]
        self.queue = asyncio.Queue()
        self.one_at_a_time = asyncio.Lock()
        self.writing = asyncio.Lock()
        self.kept: list[asyncio.StreamWriter] = []
        self.hoard: list[bytes] = []
        self.held: tuple[list[bytes], bytes, asyncio.Future[bytes]] | None = None

    async def serve(self) -> None:
        """Serve until SIGTERM."""
        workers = [asyncio.create_task(self.work(n)) for n in range(self.arguments.t)]
        ended = asyncio.Event()
        stop = (lambda: None) if self.fault == "no end" else ended.set
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        await asyncio.start_server(
            self.client, self.arguments.l, self.arguments.p, limit=1 << 22, backlog=1024
        )
        print(f"listening on {self.arguments.l}:{self.arguments.p}", flush=True)
        await ended.wait()
        for worker in workers:
            worker.cancel()

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it hangs up."""
        try:
            while True:
                replies = [await self.request(reader)]
                while self.fault == "wrong order" and b"\n" in reader._buffer:
                    replies.insert(0, await self.request(reader))
                async with self.writing if self.fault == "one reader blocks all" else nullcontext():
                    writer.write(b"".join(replies))
                    await writer.drain()
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
            if self.fault == "leak":
                self.kept.append(writer)
                return
            writer.close()

    async def request(self, reader: asyncio.StreamReader) -> bytes:
        """Read a request; returns its reply."""
        line = await reader.readuntil(b"\n")
        if self.fault == "dies of garbage" and not line.isascii():
            raise SystemExit(1)
        words = line.split()
        if words[:1] == [b"get"] and len(words) > 1 and max(map(len, words)) <= 250:
            return await self.job(words[1:], b"")
        if words[:1] == [b"set"] and len(words) == 5 and len(words[1]) <= 250:
            if not re.fullmatch(rb"\d{1,7}", words[4]):
                raise ValueError
            if self.fault == "truncated":
                data = (await reader.readuntil(b"\n"))[:-2]
                words[4] = b"%d" % len(data)
                return await self.job([], b" ".join(words) + b"\r\n" + data + b"\r\n")
            data = await reader.readexactly(int(words[4]) + 2)
            if data[-2:] != b"\r\n":
                return b"CLIENT_ERROR bad data chunk\r\n"
            if self.fault == "hoards":
                self.hoard.append(data)
            return await self.job([], line + data)
        return b"ERROR\r\n"

    async def job(self, keys: list[bytes], request: bytes) -> bytes:
        """Put a job into the queue; returns its reply."""
        reply: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        await self.queue.put((keys, request, reply))
        return await reply

    async def work(self, number: int) -> None:
        """Do one job after another."""
        is_slow = self.fault == "slow server"
        servers = [
            Server(address, SLOW_S if is_slow and place == 2 else 0)
            for place, address in enumerate(self.arguments.m)
        ]
        turn = number
        while True:
            keys, request, reply = await self.queue.get()
            if self.fault == "wrong client" and any(key.startswith(CROWD) for key in keys):
                if self.held is None:
                    self.held = keys, request, reply
                    continue
                other_keys, other_request, other_reply = self.held
                self.held = None
                self.queue.put_nowait((other_keys, other_request, reply))
                reply = other_reply
            turn += 1
            if self.arguments.alone_s:
                async with self.one_at_a_time:
                    await asyncio.sleep(self.arguments.alone_s)
            try:
                if self.fault == "one blocks all":
                    async with self.one_at_a_time:
                        answer = await self.answer(servers, turn, keys, request)
                else:
                    answer = await self.answer(servers, turn, keys, request)
            except (OSError, EOFError) as error:
                if self.fault == "hangs":
                    continue
                answer = f"SERVER_ERROR {error}\r\n".encode()
            reply.set_result(answer)

    async def answer(
        self, servers: Sequence[Server], turn: int, keys: list[bytes], request: bytes
    ) -> bytes:
        """Ask the servers."""
        if not keys:
            some = servers[:2] if self.fault == "two copies" else servers
            asking = [server.ask(request) for server in some]
            replies = await asyncio.gather(*asking, return_exceptions=True)
            for one in replies:
                if isinstance(one, BaseException):
                    raise one
            return next((one for one in replies if one != b"STORED\r\n"), b"STORED\r\n")
        num_parts = min(len(keys), len(servers)) if self.arguments.s == "true" else 1
        cuts = [part * len(keys) // num_parts for part in range(num_parts + 1)]
        parts = [keys[begin:end] for begin, end in itertools.pairwise(cuts)]
        if self.fault == "lost key" and len(parts) > 1:
            parts[1].pop()
        asking = [
            servers[(turn + place) % len(servers)].ask(b"get " + b" ".join(part) + b"\r\n")
            for place, part in enumerate(parts)
        ]
        replies = await asyncio.gather(*asking, return_exceptions=True)
        for one in replies:
            if isinstance(one, BaseException):
                raise one
            if not one.endswith(b"END\r\n"):
                return one
        return b"".join(one.removesuffix(b"END\r\n") for one in replies) + b"END\r\n"


def become_child() -> None:
    """Go on as a child, which outlives its parent for a while."""
    parent = os.getpid()
    if child := os.fork():
        os.waitpid(child, 0)
        raise SystemExit

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.1)
        time.sleep(CHILD_STAYS_S)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-l")
    parser.add_argument("-p", type=int)
    parser.add_argument("-t", type=int)
    parser.add_argument("-s", choices=["true", "false"])
    parser.add_argument("-m", nargs="+")
    parser.add_argument("--fault", choices=FAULTS)
    help_alone = "what a job takes during which no other worker can do the same"
    parser.add_argument("--alone-s", type=float, default=0.0, help=help_alone)
    arguments = parser.parse_args()
    if arguments.fault == "child stays":
        become_child()
    asyncio.run(Middleware(arguments).serve())


if __name__ == "__main__":
    main()
