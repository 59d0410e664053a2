"""How the lab that is there is, and the way into its hosts; nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from remote.errors import LabError
from remote.testbed import requirements, sshd
from remote.testbed.files import LabFiles
from remote.testbed.network import CONTROL_DEVICE
from remote.testbed.processes import Process, parse_stat
from remote.testbed.routes import route_leaves_by
from remote.testbed.topology import LabHost


@dataclass(frozen=True, kw_only=True)
class HostStatus:
    """How one host of the lab is.

    Parameters
    ----------
    sshd_pid : the host's first process as this machine numbers it, None if it does not run.
    answers_ssh : whether an SSH server greets at the host's address.
    """

    name: str
    role: str
    address: str
    rate_mbit_per_s: float | None
    sshd_pid: int | None
    answers_ssh: bool

    @property
    def is_up(self) -> bool:
        """Whether the host can be used."""
        return self.sshd_pid is not None and self.answers_ssh


def host_states(files: LabFiles) -> list[HostStatus]:
    """Tell how each host of the completed lab is; an empty list if there is no lab."""
    topology = files.read_topology()
    return [] if topology is None else [_host_state(host, files) for host in topology.hosts]


def _host_state(host: LabHost, files: LabFiles) -> HostStatus:
    init = read_init(files.host(host.name) / "init")
    reachable = init is not None and route_leaves_by(host.address, CONTROL_DEVICE)
    return HostStatus(
        name=host.name,
        role=host.role,
        address=host.address,
        rate_mbit_per_s=host.egress.rate_mbit_per_s if host.egress else None,
        sshd_pid=init.pid if init is not None else None,
        answers_ssh=reachable and sshd.answers(host.address),
    )


def read_init(path: Path) -> Process | None:
    """Read what host.sh has noted of itself; None if that process does not run (any more)."""
    try:
        init = parse_stat(path.read_text())
    except (FileNotFoundError, IndexError, ValueError):
        return None
    return init if init.is_running else None


def shell_command(name: str, *command: str) -> list[str]:
    """Give the `ssh` command line that opens a shell, or runs a command, on a host of the lab.

    Raises
    ------
    LabError
        There is no lab, or no such host in it, or the host is down.
    """
    requirements.check_root()
    files = LabFiles()
    hosts = {host.name: host for host in host_states(files)}
    if not hosts:
        raise LabError("the local lab is not up", "Bring it up: `lab up`")
    if name not in hosts:
        raise LabError(f"the lab has no host `{name}`", f"Its hosts are {', '.join(hosts)}")
    if not hosts[name].is_up:
        raise LabError(f"{name} does not answer", "Mend the lab: `lab up`")
    options = {
        "IdentityFile": files.identity,
        "IdentitiesOnly": "yes",
        "UserKnownHostsFile": files.known_hosts,
        "GlobalKnownHostsFile": "/dev/null",
        "StrictHostKeyChecking": "yes",
        "BatchMode": "yes",
    }
    flags = [flag for key, value in options.items() for flag in ("-o", f"{key}={value}")]
    return ["ssh", "-F", "/dev/null", *flags, f"root@{hosts[name].address}", *command]
