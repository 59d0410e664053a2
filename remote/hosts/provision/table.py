"""What every host of a fleet has of what it needs, as a table for notebooks and the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from remote.errors import HostUnreachable, RemoteError
from remote.hosts.group import Fleet
from remote.hosts.inventory import Host
from remote.hosts.provision.tools import (
    BARRED,
    PRESENT,
    Found,
    Tool,
    find_tools,
    is_needed,
    tools_for,
)
from remote.hosts.ssh.handshake import ssh_command

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("host", "role", "state", "tool", "needed", "present", "version", "remedy")
UP, DOWN = "up", "down"


def hosts_table(fleet: Fleet, hosts: Iterable[Host] | None = None) -> pd.DataFrame:
    """Check each host of the fleet, by default all; a host that is down is a row, no exception.

    Returns
    -------
    One row for each host and tool with the columns ``host``, ``role``, ``state`` (``up``, or
    ``down: `` and the reason), ``tool`` (empty if the host is down), ``needed`` (by its role),
    ``present`` (in a sufficient version), ``version``, ``remedy`` (the command that installs what
    is missing, also for captures).
    """
    chosen = fleet.inventory.hosts if hosts is None else tuple(hosts)
    outcomes = fleet.try_each(find_tools, chosen)
    rows = [row for host in chosen for row in _rows(host, outcomes[host.name])]
    import pandas as pd  # slow to import

    return pd.DataFrame(rows, columns=list(COLUMNS))


def is_ready(table: pd.DataFrame) -> bool:
    """Whether every host is up and has all that its role needs."""
    lacking = table["needed"] & ~table["present"]
    return bool((table["state"] == UP).all() and not lacking.any())


def _rows(host: Host, outcome: dict[str, Found] | RemoteError) -> Iterator[dict[str, Any]]:
    common = {"host": host.name, "role": host.role}
    if isinstance(outcome, RemoteError):
        reason = outcome.reason if isinstance(outcome, HostUnreachable) else str(outcome)
        remedy = outcome.remedy if isinstance(outcome, HostUnreachable) else ssh_command(host)
        yield {
            **common,
            "state": f"{DOWN}: {reason}",
            "tool": "",
            "needed": True,
            "present": False,
            "version": "",
            "remedy": remedy,
        }
        return
    tools = {tool.program: tool for tool in tools_for(host.role)}
    for program, own in outcome.items():
        present, barred = own.state == PRESENT, may_not(host, program)
        tool = tools.get(program)  # none for the real generator, which no host needs
        lacks = tool is not None and not present and is_needed(tool, outcome, captures=True)
        yield {
            **common,
            "state": UP,
            "tool": program,
            "needed": tool is not None and is_needed(tool, outcome),
            "present": present,
            "version": f"{own.version}: {barred}" if own.state == BARRED else own.version,
            "remedy": install_command(host, tool) if tool and lacks else "",
        }


def may_not(host: Host, program: str) -> str:
    """Say who is not let use a program for what it is for."""
    return f"{host.user} may not {'capture' if program == 'tcpdump' else program}"


def install_command(host: Host, tool: Tool) -> str:
    """Return the command, to be given on this machine, that installs `tool` on `host`."""
    return f"{ssh_command(host)} {shlex.quote(tool.install_command(host.user))}"
