"""Count every message of queues in PostgreSQL while its processes and middlewares are killed.

Each repetition has databases of its own, two middlewares, senders and takers. Databases, or a
middleware, are ended by SIGKILL and started again while the load goes on. Then everything is taken
out. No message that was acknowledged may be missing, but for those that a take may have cost whose
reply never came; none may come twice, to another receiver, changed, or out of order; every request
gets an answer in time. Some queues are only sent to while there are faults: of these none may be
missing at all. About 6 minutes for 20 times.

    python middleware-kotlin/prove/queues.py
    python middleware-kotlin/prove/queues.py --times 1 --seed 7
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import stand
from postgres import Postgres
from processes import end_on_signals, require_programs
from verified_load.system import Middleware
from verified_load.verifier import read_statistics
from verified_queues.client import Client, Rules
from verified_queues.ledger import Lane, Ledger

LIVE = [Lane(f"live-{queue}", receiver) for queue in range(4) for receiver in ("", "r1", "r2")]
KEPT = [Lane(f"kept-{queue}", receiver) for queue in range(3) for receiver in ("", "r1")]
FAULTS = ("database killed", "middleware killed", "both killed")
SENDERS_EACH, TAKERS_EACH = 4, 4
LOAD_S, DOWN_S, FAULTS_EACH = 1.0, 0.3, 2
RECOVERY_TIMEOUT_S = 20
SERVER_TIMEOUT_S = 2.0


def main() -> None:
    """Run all repetitions, print a line of each; exit status 1 if something was wrong."""
    arguments = _parse_arguments()
    require_programs("java")
    end_on_signals()
    began_s = time.monotonic()
    repetitions = []
    with tempfile.TemporaryDirectory(prefix="queues-") as folder, ExitStack() as stack:
        Path(folder).chmod(0o755)  # PostgreSQL runs as another user than root
        postgres = Postgres(Path(folder) / "postgres")
        stack.callback(postgres.end)
        postgres.start()
        for number in range(arguments.times):
            place = Path(folder) / f"repetition-{number}"
            place.mkdir()
            repetition = Repetition(number, arguments.seed, postgres, place)
            asyncio.run(repetition.run())
            repetitions.append(repetition)
            print(repetition, flush=True)
            for objection in repetition.objections[:10]:
                print(f"  {objection}", file=sys.stderr, flush=True)
    failures = sum(bool(repetition.objections) for repetition in repetitions)
    sent = sum(repetition.ledger.num_sent for repetition in repetitions)
    notes = (
        f"{', '.join(FAULTS)}, in turns, {arguments.times} times, seed {arguments.seed}; "
        f"takes whose end nobody knows: {sum(one.ledger.num_unknown for one in repetitions):,}; "
        f"longest answer {max(repetition.rules.longest_s for repetition in repetitions):.1f} s"
    )
    stand.print_result("queues", sent, failures, time.monotonic() - began_s, notes)
    if failures:
        sys.exit(1)


class Repetition:
    """Load, faults, recovery, and the count."""

    def __init__(self, number: int, seed: int, postgres: Postgres, folder: Path):
        self.ledger = Ledger(seed + number)
        self.objections: list[str] = []
        self._rng = random.Random(f"{seed}/{number}")
        self._number = number
        self._postgres = postgres
        self._locks = ("skip-locked", "row-locks")[number % 2]
        self._fault = FAULTS[number % len(FAULTS)]
        names = [f"queues_{number}_{part}" for part in range(1 + number // 2 % 2)]
        urls = [postgres.create_database(name) for name in names]
        self.rules = Rules(
            bound_s=3 * SERVER_TIMEOUT_S + 5,
            databases=[url.partition("@")[2] for url in urls],
        )
        options = (
            f"--backend postgresql --prepare-database --locks {self._locks} -t 8 "
            f"--server-timeout {SERVER_TIMEOUT_S:.0f}s --database {' '.join(urls)}"
        )
        self._middlewares = []
        for index in range(2):
            place = folder / str(index)
            place.mkdir()
            self._middlewares.append(Middleware(options.split(), place))

    def __str__(self) -> str:
        """Tell what came of it in a line."""
        verdict = f"{len(self.objections)} OBJECTIONS" if self.objections else "all is well"
        return (
            f"{self._number:>2} {self._fault:<17} {self._locks:<11} "
            f"{len(self.rules.databases)} databases: {self.ledger.num_sent:,} sent, "
            f"{self.ledger.num_acknowledged:,} acknowledged, "
            f"{self.ledger.num_unknown} takes of unknown end, "
            f"{self.rules.errors:,} errors: {verdict}"
        )

    async def run(self) -> None:
        """Run it to its end; what was wrong is in `objections`."""
        try:
            for middleware in self._middlewares:
                await asyncio.to_thread(middleware.start)
            await self._load()
            await self._recover()
            await self._count()
        finally:
            for middleware in self._middlewares:
                middleware.end()
        self.objections = [*self.rules.complaints, *self.ledger.objections()]

    async def _load(self) -> None:
        stopped = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for index in range(SENDERS_EACH):
                for client in self._clients(f"s{index}"):
                    group.create_task(client.send_to(LIVE + KEPT, stopped))
            for index in range(TAKERS_EACH):
                for client in self._clients(f"t{index}"):
                    group.create_task(client.take_from(LIVE, stopped))
            for _ in range(FAULTS_EACH):
                await asyncio.sleep(self._rng.uniform(0.5, 1.5) * LOAD_S)
                await self._befall()
            await asyncio.sleep(LOAD_S)
            stopped.set()

    async def _befall(self) -> None:
        middleware = self._rng.choice(self._middlewares)
        if self._fault != "database killed":
            middleware.send(signal.SIGKILL)
            await asyncio.to_thread(middleware.wait)
        if self._fault != "middleware killed":
            await asyncio.to_thread(self._postgres.kill)
        await asyncio.sleep(DOWN_S)
        if self._fault != "middleware killed":
            await asyncio.to_thread(self._postgres.start)
        if self._fault != "database killed":
            await asyncio.to_thread(middleware.start)

    async def _recover(self) -> None:
        """Wait until every worker of both middlewares has its connections again."""
        deadline_s = time.monotonic() + RECOVERY_TIMEOUT_S
        for middleware in self._middlewares:
            while not await self._is_up(middleware):
                if time.monotonic() > deadline_s:
                    self.rules.complain(f"not recovered within {RECOVERY_TIMEOUT_S} s")
                    return
                await asyncio.sleep(0.1)

    async def _is_up(self, middleware: Middleware) -> bool:
        told = await read_statistics(middleware.port)
        names = [f"mw_server:{name}:connections" for name in self.rules.databases]
        return all(told[name] == told[f"{name}_up"] for name in names)

    async def _count(self) -> None:
        """Take everything: what was only sent to by one taker, in order; nothing may fail now."""
        self.rules.is_calm = True
        one, other = (self._client(middleware, "end") for middleware in self._middlewares)
        await asyncio.gather(one.empty(KEPT), other.empty(LIVE))
        for client in (one, other):
            await client.empty(LIVE + KEPT)
            client.close()

    def _clients(self, name: str) -> Sequence[Client]:
        return [self._client(middleware, name) for middleware in self._middlewares]

    def _client(self, middleware: Middleware, name: str) -> Client:
        index = self._middlewares.index(middleware)
        return Client(middleware.port, self.rules, self.ledger, f"{self._number}/{index}/{name}")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20, help="repetitions")
    parser.add_argument("--seed", type=int, default=1, help="of all that is left to chance")
    return parser.parse_args()


if __name__ == "__main__":
    main()
