"""Hosts made ready for an experiment: tools checked, our own uploaded, clocks compared."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import dool

from records.paths import PROJECT
from remote.errors import ClockOffset, ConfigError, MissingTool
from remote.hosts.clocks import LARGEST_CLOCK_OFFSET_S, read_clock
from remote.hosts.connection import Connection
from remote.hosts.group import TRANSFERS_AT_ONCE, Fleet
from remote.hosts.inventory import Host
from remote.hosts.provision.table import install_command, may_not
from remote.hosts.provision.tools import (
    BARRED,
    OLD,
    PRESENT,
    REAL_GENERATOR,
    Found,
    find_tools,
    is_needed,
    tools_for,
)
from remote.hosts.upload import Upload, bring

JAR = PROJECT / "middleware-kotlin" / "target" / "middleware.jar"
LAUNCHERS = PROJECT / "middleware-kotlin" / "bin"
MIDDLEWARE = LAUNCHERS / "middleware"
GENERATOR = LAUNCHERS / "memtier_benchmark"
OWN_FILES = {
    JAR: 0o644,
    MIDDLEWARE: 0o755,
    GENERATOR: 0o755,
    LAUNCHERS / "launch.sh": 0o644,  # what the two share
}
"""What is uploaded to clients and middlewares, side by side, with its mode."""
DOOL = Path(dool.__file__).with_name("__main__.py")  # the whole program is this one file
_NAMES = {DOOL: "dool.py"}  # of what is not called on hosts as it is here

DROP_IN = "drop-in memtier_benchmark"
_NOT_PLAIN = re.compile(r"[^\w .,:;+/=@~%()'\"-]")
_LONGEST_FACT = 200  # characters
_FIRST_START_S = 120.0  # of Java programs, beside those of other hosts that are this machine, too
PROGRAMS = ("java", "memcached", "postgres")  # whose versions manifests tell


@dataclass(frozen=True, kw_only=True)
class Tools:
    """Paths of the programs on one host, and facts that every manifest records.

    The generator is the real memtier_benchmark if the host has it, otherwise the drop-in.
    """

    bin_dir: str
    generator: str
    generator_name: str
    facts: Mapping[str, str]

    @property
    def middleware(self) -> str:
        """Path of the program that starts the middleware on the host."""
        return f"{self.bin_dir}/{MIDDLEWARE.name}"

    @property
    def dool(self) -> str:
        """Command that runs dool on the host: one Python file, uploaded, and compiled but once."""
        return f"env PYTHONPATH={shlex.quote(self.bin_dir)} python3 -m dool"


# That of a route comes before that of the host.
_CONGESTION_CONTROL = (
    "ip route | grep -o 'congctl [a-z0-9_]*' | cut -d ' ' -f 2 | head -n 1 | grep . "
    "|| cat /proc/sys/net/ipv4/tcp_congestion_control"
)


def provision(fleet: Fleet, hosts: Iterable[Host], *, captures: bool = False) -> dict[str, Tools]:
    """Check the tools of all `hosts` and upload jar, launchers and dool where they differ.

    Parameters
    ----------
    captures : whether packets are to be captured on middlewares and servers.
    """
    remedies = dict.fromkeys(OWN_FILES, "git checkout middleware-kotlin")
    for path, remedy in (remedies | {JAR: "make jar", DOOL: "make setup"}).items():
        if not path.is_file():
            raise ConfigError(path, f"does not exist: run `{remedy}` first")
    own = {DOOL: Upload(content=DOOL.read_bytes())}
    own |= {path: Upload(content=path.read_bytes(), mode=m) for path, m in OWN_FILES.items()}
    prepare = partial(_provision_host, own=own, captures=captures)
    return fleet.for_each(hosts, prepare, at_once=TRANSFERS_AT_ONCE)


def _provision_host(connection: Connection, *, own: Mapping[Path, Upload], captures: bool) -> Tools:
    connection.settle()
    host = connection.host
    found = find_tools(connection)
    require_tools(host, found, captures=captures)
    _require_right_clock(connection)
    bin_dir = f"{host.work_dir}/bin"
    wanted = (DOOL, *(OWN_FILES if host.role in ("clients", "middlewares") else ()))
    bring(connection, bin_dir, {_NAMES.get(path, path.name): own[path] for path in wanted})
    drop_in = f"{bin_dir}/{GENERATOR.name}"
    real = found.get(REAL_GENERATOR)
    has_real = real is not None and real.state == PRESENT
    generator = real.path if real is not None and has_real else drop_in
    return Tools(
        bin_dir=bin_dir,
        generator=generator,
        generator_name=REAL_GENERATOR if has_real else DROP_IN,
        facts=_facts(connection, found, bin_dir, generator),
    )


def require_tools(host: Host, found: Mapping[str, Found], *, captures: bool = False) -> None:
    """Raise MissingTool for the first tool that the host needs and has not."""
    for tool in tools_for(host.role):
        own = found[tool.program]
        if own.state != PRESENT and is_needed(tool, found, captures=captures):
            command = install_command(host, tool)
            remedy = f"Mend that: `{command}`, or `lab provision` for all hosts."
            if tool.for_captures:
                remedy += ' Without it a middleware is measured with `observed = "none"`.'
            state = {
                OLD: f"too old: {own.version}",
                BARRED: f"there, but {may_not(host, tool.program)}",
            }
            raise MissingTool(host.name, tool.program, remedy, state.get(own.state, "missing"))


def _require_right_clock(connection: Connection) -> None:
    """Raise ClockOffset if the host's clock is certainly off by more than checks of runs allow."""
    reading = read_clock(connection)
    if reading.certain_offset_s > LARGEST_CLOCK_OFFSET_S:
        raise ClockOffset(connection.host.name, reading.offset_s)


def plain(text: str) -> str:
    """Return the description of a host without what means something in Markdown, HTML or TeX."""
    return _NOT_PLAIN.sub("?", text[:_LONGEST_FACT])


def _facts(
    connection: Connection, found: Mapping[str, Found], bin_dir: str, generator: str
) -> dict[str, str]:
    commands = {
        "kernel": "uname -r",
        "processor": "sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1",
        "cores": "nproc",
        "memory_mb": "awk '/MemTotal/ {print int($2/1024)}' /proc/meminfo",
        "tcp_congestion_control": _CONGESTION_CONTROL,
    }
    if connection.host.role == "clients":
        commands["generator"] = f"{shlex.quote(generator)} --version | head -n 1"
    if connection.host.role == "middlewares":  # which keeps what makes its next start short
        program = shlex.quote(f"{bin_dir}/{MIDDLEWARE.name}")
        commands["middleware"] = f"{program} --version | head -n 1"
    script = "; ".join(f"echo {name}=$({command})" for name, command in commands.items())
    lines = connection.run(script, timeout_s=_FIRST_START_S).stdout.splitlines()
    told = {name: text for name, _, text in (line.partition("=") for line in lines)}
    facts = {name: plain(told[name]) for name in commands if told.get(name)}
    versions = {name: found[name].version for name in PROGRAMS if name in found}
    return facts | {name: plain(version) for name, version in versions.items() if version}
