"""Which programs a role needs, which packages have them, what a host has; the data is tools.yml."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from remote.hosts.connection import Connection

FOLDER = Path(__file__).parent
PROBE = FOLDER / "probe.sh"
PRESENT, MISSING, OLD, BARRED = "present", "missing", "old", "barred"
REAL_GENERATOR = "memtier_benchmark"
"""Taken where a client has it; everywhere else our drop-in is uploaded, which needs Java."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A program and the packages that have it, the first available one to be taken.

    Attributes
    ----------
    for_captures : only runs that are observed by packets need it.
    for_users : the shell command that lets a user run it who is not root, to be run by sudo.
    """

    program: str
    roles: tuple[str, ...]
    packages: tuple[str, ...]
    for_captures: bool = False
    for_users: str = ""

    def install_command(self, user: str) -> str:
        """Return the shell command that installs it for `user`, to be run by root."""
        install = " || ".join(f"apt-get install -y {package}" for package in self.packages)
        if len(self.packages) > 1:
            install = f"{{ {install}; }}"
        command = f"apt-get update && {install}"  # a bare host knows of no package
        if user == "root":
            return command
        mended = f"{command} && {self.for_users}" if self.for_users else command
        return f"sudo sh -c {shlex.quote(mended)}"


@dataclass(frozen=True, kw_only=True)
class Found:
    """What probe.sh tells of one program on one host; `path` and `version` may be empty."""

    program: str
    state: str
    path: str
    version: str


@cache
def all_tools() -> tuple[Tool, ...]:
    """Return every tool of every role."""
    rows = yaml.safe_load((FOLDER / "tools.yml").read_text())["tools"]
    lists = ("roles", "packages")
    return tuple(Tool(**{**row, **{name: tuple(row[name]) for name in lists}}) for row in rows)


def tools_for(role: str) -> tuple[Tool, ...]:
    """Return the tools that hosts of `role` need."""
    return tuple(tool for tool in all_tools() if role in tool.roles)


def find_tools(connection: Connection) -> dict[str, Found]:
    """Look at a host for the tools of its role and, on clients, for the real generator."""
    role = connection.host.role
    programs = [tool.program for tool in tools_for(role)]
    programs += [REAL_GENERATOR] if role == "clients" else []
    result = connection.run(
        probe_command(programs), stdin=PROBE.read_text(), shown="probe.sh", idempotent=True
    )
    nothing = {name: Found(program=name, state=MISSING, path="", version="") for name in programs}
    return nothing | parse_probe(result.stdout)


def is_needed(tool: Tool, found: Mapping[str, Found], *, captures: bool = False) -> bool:
    """Whether a host needs a tool of its role, Java on clients only for the drop-in.

    Parameters
    ----------
    captures : whether packets are to be captured on it.
    """
    if tool.for_captures and not captures:
        return False
    real = found.get(REAL_GENERATOR)
    return tool.program != "java" or real is None or real.state != PRESENT


def probe_command(programs: Iterable[str]) -> str:
    """Return the command that runs probe.sh, given on standard input."""
    return shlex.join(["sh", "-s", "--", *programs])


def parse_probe(text: str) -> dict[str, Found]:
    r"""Read the lines of probe.sh by program.

    The input is::

        java\tpresent\t/usr/bin/java\topenjdk version "17.0.19" 2026-04-21
        memcached\tmissing\t\t
    """
    rows = (line.split("\t") for line in text.splitlines())
    return {
        row[0]: Found(program=row[0], state=row[1], path=row[2], version=row[3])
        for row in rows
        if len(row) == 4
    }
