"""How the lab that is there is, and the way into its hosts; nothing is changed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from remote.errors import LabError
from remote.hosts.ssh.handshake import CONNECT_TIMEOUT_S
from remote.hosts.ssh.link import KEEPALIVE_S, SILENCE_S
from remote.hosts.ssh.sockets import greets, route_leaves_by
from remote.providers.common import HostState
from remote.providers.local_lab import processes, requirements
from remote.providers.local_lab.cgroups import Groups
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.links import delay_line
from remote.providers.local_lab.links.delay_line import LineCounters
from remote.providers.local_lab.links.wiring import CONTROL_DEVICE, Delay
from remote.providers.local_lab.rootless.holder import connect_command, is_rootless
from remote.providers.local_lab.sshd import user_of_hosts
from remote.providers.local_lab.topology import LabHost, Topology

SWITCH = "switch"
"""What the control group of the delay line is called."""
# A host greets after two round trips; the rest is for a busy machine.
_GREETING_ROUND_TRIPS = 2
_GREETING_TIMEOUT_S = 1.5


@dataclass(frozen=True, kw_only=True)
class HostStatus(HostState):
    """State of one host of the lab.

    Parameters
    ----------
    cpu_s : CPU seconds that the host has used, None if they are not counted.
    cpu_quota : CPUs that it may use, undilated; None for no limit, or a hidden one.
    own_processors : whether no other host runs on its processors.
    """

    rate_mbit_per_s: float | None
    cpu_s: float | None
    cpu_quota: float | None = None
    own_processors: bool = False


@dataclass(frozen=True, kw_only=True)
class SwitchStatus:
    """State of the lab's network.

    Parameters
    ----------
    line_rtt_ms : round trip that packets are delayed by, in ms of the clock.
    wake_up_ms : what the machine adds to it, in ms of the clock; None if that was not measured.
    line_pid, cpu_s, counters : of the delay line, None if there is none.
    is_hidden : whether rates and delays are to be found out, and are not shown.
    """

    delay: Delay
    rtt_ms: float
    line_rtt_ms: float
    wake_up_ms: float | None
    time_dilation: float
    line_pid: int | None
    cpu_s: float | None
    counters: LineCounters | None
    own_rtt_ms: Mapping[str, float] = field(default_factory=dict)
    is_hidden: bool = False

    @property
    def is_up(self) -> bool:
        """Whether packets pass."""
        return self.delay is not Delay.LINE or self.line_pid is not None


def switch_state(files: LabFiles) -> SwitchStatus | None:
    """Return the state of the completed lab's network, None if there is no lab."""
    topology = files.read_topology()
    if topology is None:
        return None
    has_line = files.line_shared.exists()
    line = processes.read_noted(files.line_process) if has_line else None
    return SwitchStatus(
        delay=running_delay(topology, files),
        rtt_ms=topology.rtt_ms,
        line_rtt_ms=topology.line_rtt_ms,
        wake_up_ms=topology.wake_up_ms,
        time_dilation=topology.time_dilation,
        line_pid=line.pid if line is not None else None,
        cpu_s=Groups().cpu_seconds(SWITCH) if has_line else None,
        counters=delay_line.read_counters(files.line_shared) if has_line else None,
        own_rtt_ms=topology.own_rtt_ms,
        is_hidden=bool(topology.is_hidden),
    )


def running_delay(topology: Topology, files: LabFiles) -> Delay:
    """Return what delays packets in the lab that was built."""
    if files.line_shared.exists():
        return Delay.LINE
    return Delay.NETEM if topology.rtt_ms else Delay.NONE


def network_problem(files: LabFiles | None = None) -> str:
    """Return why nothing passes in the lab if its delay line has ended, otherwise ""."""
    state = switch_state(files or LabFiles())
    if state is None or state.is_up:
        return ""
    return (
        "the lab's delay line has ended, so that nothing passes between its hosts. "
        "Build the lab anew: `lab up`"
    )


def host_states(files: LabFiles) -> list[HostStatus]:
    """Return the state of each host of the completed lab; an empty list if there is no lab."""
    topology = files.read_topology()
    if topology is None:
        return []
    groups = Groups()
    passes = not files.line_shared.exists() or processes.read_noted(files.line_process) is not None
    has_several = len(os.sched_getaffinity(0)) > 1

    def state(host: LabHost) -> HostStatus:
        init = processes.read_noted(files.host(host.name) / "init")
        round_trip_s = 2 * topology.delay_ms(host) / 1000
        timeout_s = _GREETING_TIMEOUT_S + _GREETING_ROUND_TRIPS * round_trip_s
        is_reachable = passes and init is not None and _is_reachable(host)
        return HostStatus(
            name=host.name,
            role=host.role,
            address=host.address,
            rate_mbit_per_s=None
            if topology.is_hidden or host.egress is None
            else host.egress.rate_mbit_per_s,
            pid=init.pid if init is not None else None,
            answers_ssh=is_reachable
            and greets(host.address, timeout_s=timeout_s, connect_command=connect_command()),
            cpu_s=groups.cpu_seconds(host.name),
            cpu_quota=None if topology.is_hidden else host.cpu_quota,
            own_processors=host.own_processors and has_several,
        )

    with ThreadPoolExecutor(max_workers=len(topology.hosts)) as pool:
        return list(pool.map(state, topology.hosts))


def _is_reachable(host: LabHost) -> bool:
    """Whether packets to a host go nowhere else."""
    return is_rootless() or route_leaves_by(host.address, CONTROL_DEVICE)


def shell_command(name: str, *command: str) -> list[str]:
    """Give the `ssh` command line that opens a shell, or runs a command, on a host of the lab."""
    requirements.check_linux()
    files = LabFiles()
    hosts = {host.name: host for host in host_states(files)}
    if not hosts:
        raise LabError("the local lab is not up", "Bring it up: `lab up`")
    if name not in hosts:
        raise LabError(f"the lab has no host `{name}`", f"Its hosts are {', '.join(hosts)}")
    if problem := network_problem(files):
        raise LabError(*problem.split(". ", 1))
    if not hosts[name].is_up:
        raise LabError(f"{name} does not answer", "Mend the lab: `lab up`")
    options = {
        "IdentityFile": files.identity,
        "IdentitiesOnly": "yes",
        "UserKnownHostsFile": files.known_hosts,
        "GlobalKnownHostsFile": "/dev/null",
        "StrictHostKeyChecking": "yes",
        "BatchMode": "yes",
        "ConnectTimeout": round(CONNECT_TIMEOUT_S),
        "ServerAliveInterval": KEEPALIVE_S,
        "ServerAliveCountMax": round(SILENCE_S / KEEPALIVE_S),
    }
    if passing := connect_command():
        options |= {"ProxyCommand": passing, "ProxyUseFdpass": "yes"}
    flags = [flag for key, value in options.items() for flag in ("-o", f"{key}={value}")]
    return ["ssh", "-F", "/dev/null", *flags, f"{user_of_hosts()}@{hosts[name].address}", *command]
