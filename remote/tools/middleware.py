"""The middleware under test: frozen options to its command line."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

PORT = 11212
READY_LINE = "listening on"
# The first compiler only: it is done within the first second, while the second one goes on for five
# and takes the CPUs that all hosts of the local lab share.
JAVA_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms256m", "-Xmx1g")


@dataclass(frozen=True, kw_only=True)
class MiddlewareOptions:
    """One middleware: where it listens, its workers and its servers.

    Parameters
    ----------
    jar : path of middleware.jar on the host.
    address : address to listen on.
    workers : number of worker coroutines.
    sharded : cut multi-gets into parts, one for each server.
    servers : ``address:port`` of each memcached.
    stats_dir : folder for the results, relative to the job's.
    """

    jar: str
    address: str
    workers: int
    servers: tuple[str, ...]
    sharded: bool = False
    stats_dir: str = "middleware"

    def command(self) -> str:
        """Return the command line."""
        arguments = ["java", *JAVA_OPTIONS, "-jar", self.jar]
        arguments += ["-l", self.address, "-p", str(PORT), "-t", str(self.workers)]
        arguments += ["-s", str(self.sharded).lower(), "-m", *self.servers]
        arguments += ["--stats-dir", self.stats_dir]
        return shlex.join(arguments)
