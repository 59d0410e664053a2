"""The systems that are compared: memcached alone, and behind one proxy or another."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from processes import Address, free_port, memcached, memcached_command, running

MIDDLEWARE = Path(__file__).parents[1] / "bin" / "middleware"
DIRECT, TWEMPROXY, MEMCACHED_PROXY = "direct", "twemproxy", "memcached's proxy"
MEMCACHED_WITH_PROXY = Path(__file__).parents[2] / "build" / "peers" / "memcached"  # `make peers`
RELAY = "relay"  # the least that a pipelining proxy can do, see relay.c
RELAY_EACH = "relay, a connection each"  # the same for one that sends one request after the other
RELAY_SOURCE = Path(__file__).parent / "relay.c"
SEQUENTIAL_64, PIPELINED = "sequential-64", "pipelined"
UNINSTRUMENTED = "pipelined, uninstrumented"
FOLLOWING = "pipelined, one of 100 followed"
PIPELINED_KTOR, SEQUENTIAL_64_KTOR = "pipelined, ktor", "sequential-64, ktor"
UNIX, DIRECT_UNIX = "pipelined, Unix sockets", "direct, Unix socket"
OURS = {
    SEQUENTIAL_64: "--dispatch sequential -t 64",
    PIPELINED: "--dispatch pipelined",
}
# Each option that earlier builds lack, with the systems that show what it does.
VARIANTS = {
    "--instrumentation": {UNINSTRUMENTED: f"{OURS[PIPELINED]} --instrumentation off"},
    "--follow": {FOLLOWING: f"{OURS[PIPELINED]} --follow 1/100"},
    "--transport": {
        PIPELINED_KTOR: f"{OURS[PIPELINED]} --transport ktor",
        SEQUENTIAL_64_KTOR: f"{OURS[SEQUENTIAL_64]} --transport ktor",
    },
}
# Its own defaults but for the timeout, and connected before the first request, as ours is.
NUTCRACKER_YAML = """bench:
  listen: 127.0.0.1:{port}
  hash: fnv1a_64
  distribution: ketama
  timeout: 3000
  backlog: 4096
  preconnect: true
  server_connections: 1
  servers:
{servers}
"""

# The least that forwards every command about a key: one pool, keys to servers by its default hash.
MEMCACHED_PROXY_LUA = """function mcp_config_pools()
    return mcp.pool({{ {servers} }})
end

function mcp_config_routes(pool)
    mcp.attach(mcp.CMD_ANY_STORAGE, function(request) return pool(request) end)
end
"""


@dataclass(frozen=True, kw_only=True)
class System:
    """A system to send load to; `proxies` are the processes between clients and servers."""

    name: str
    num_servers: int
    address: Address
    proxies: Sequence[int]
    servers: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class Java:
    """How ours is started: the jars by name ("" for the one under test), further JVM options."""

    jars: Mapping[str, Path]
    options: Sequence[str] = ()

    def middleware(self, jar: Path, options: str) -> list[str]:
        """Command line of the middleware with these options of its own."""
        setting = [f"MIDDLEWARE_JAR={jar}", f"JAVA_OPTS={' '.join(self.options)}"]
        return ["env", *setting, str(MIDDLEWARE), *options.split()]


@contextmanager
def start_all(java: Java, directory: Path) -> Iterator[list[System]]:
    """Start every system: each with one server, the proxies with three as well."""
    with ExitStack() as stack:
        backends = [stack.enter_context(memcached()) for _ in range(3)]
        systems = [
            System(
                name=DIRECT,
                num_servers=1,
                address=backends[0][0],
                proxies=[],
                servers=[backends[0][1]],
            )
        ]
        for num_servers in (1, 3):
            ports = [port for port, _ in backends[:num_servers]]
            for name, command, port in _proxies(java, ports, directory):
                log = directory / f"{name}-{num_servers}.log".replace(" ", "-")
                pid = stack.enter_context(running(command, port, log))
                servers = [server for _, server in backends[:num_servers]]
                systems.append(
                    System(
                        name=name,
                        num_servers=num_servers,
                        address=port,
                        proxies=[pid],
                        servers=servers,
                    )
                )
        if "unix:" in _help(java, java.jars[""]):
            systems += _on_unix_sockets(java, directory, stack)
        yield systems


def _on_unix_sockets(java: Java, directory: Path, stack: ExitStack) -> list[System]:
    """Start a memcached and ours before it, all connections by Unix domain sockets."""
    sockets = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-sockets-")))
    sockets.chmod(0o777)  # memcached makes its socket as nobody
    behind, before = sockets / "memcached", sockets / "middleware"
    server = stack.enter_context(running(memcached_command(behind), behind))
    options = f"-l unix:{before} {OURS[PIPELINED]} --max-clients 12000 -m unix:{behind}"
    command = java.middleware(java.jars[""], f"{options} --stats-dir {directory / 'results-unix'}")
    proxy = stack.enter_context(running(command, before, directory / "unix.log"))
    return [
        System(name=name, num_servers=1, address=address, proxies=proxies, servers=[server])
        for name, address, proxies in ((DIRECT_UNIX, behind, []), (UNIX, before, [proxy]))
    ]


def _proxies(
    java: Java, servers: Sequence[int], directory: Path
) -> Iterator[tuple[str, list[str], int]]:
    yield TWEMPROXY, *_twemproxy(servers, directory)
    if MEMCACHED_WITH_PROXY.exists():
        yield MEMCACHED_PROXY, *_memcached_proxy(servers, directory)
    if len(servers) == 1:
        relay = str(compile_relay(directory))
        for name, how in ((RELAY, []), (RELAY_EACH, ["each"])):
            port = free_port()
            yield name, [relay, str(port), str(servers[0]), *how], port
    targets = " ".join(f"127.0.0.1:{server}" for server in servers)
    # Keys owned by one of the servers each, as with twemproxy.
    routing = "--routing consistent-hash" if len(servers) > 1 else ""
    for jar_name, jar in java.jars.items():
        for name, mode in _modes(java, jar_name, len(servers)).items():
            port = free_port()
            results = directory / f"results-{name}-{len(servers)}".replace(" ", "-")
            options = (
                f"-p {port} {mode} {routing} --max-clients 12000 --stats-dir {results} -m {targets}"
            )
            yield name, java.middleware(jar, options), port


def _modes(java: Java, jar_name: str, num_servers: int) -> dict[str, str]:
    if jar_name:
        return {f"{mode} {jar_name}": OURS[mode] for mode in (PIPELINED, SEQUENTIAL_64)}
    modes = dict(OURS)
    if num_servers == 1:
        known = _help(java, java.jars[jar_name])
        for option, variants in VARIANTS.items():
            modes |= variants if option in known else {}
    return modes


def _twemproxy(servers: Sequence[int], directory: Path) -> tuple[list[str], int]:
    port = free_port()
    lines = "\n".join(f"   - 127.0.0.1:{server}:1" for server in servers)
    config = directory / f"nutcracker-{len(servers)}.yml"
    config.write_text(NUTCRACKER_YAML.format(port=port, servers=lines), encoding="utf-8")
    log = directory / f"nutcracker-{len(servers)}.txt"
    return f"nutcracker -c {config} -a 127.0.0.1 -s {free_port()} -o {log}".split(), port


def _memcached_proxy(servers: Sequence[int], directory: Path) -> tuple[list[str], int]:
    port = free_port()
    backends = (f'mcp.backend("server-{server}", "127.0.0.1", {server})' for server in servers)
    config = directory / f"memcached-proxy-{len(servers)}.lua"
    directory.chmod(0o755)  # memcached reads the file as nobody
    config.write_text(MEMCACHED_PROXY_LUA.format(servers=", ".join(backends)), encoding="utf-8")
    command = memcached_command(port, str(MEMCACHED_WITH_PROXY))
    return [*command, "-o", f"proxy_config={config}"], port


def compile_relay(directory: Path) -> Path:
    """Build the relay into the directory; returns the program."""
    relay = directory / "relay"
    subprocess.run(["gcc", "-O2", "-o", str(relay), str(RELAY_SOURCE)], check=True)
    return relay


def _help(java: Java, jar: Path) -> str:
    command = java.middleware(jar, "--help")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
