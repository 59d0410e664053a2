"""The running lab as an inventory in Ansible's YAML format, so that it is one fleet of many."""

from __future__ import annotations

import shlex
from typing import Any

import yaml

from records.fleets import LOCAL_LAB
from remote.providers.local_lab.files import CPU_ACCOUNT, WORK_DIR, LabFiles
from remote.providers.local_lab.links.wiring import CONTROL_DEVICE, Delay
from remote.providers.local_lab.topology import LabHost, Topology

# For Ansible, whose ssh would read the user's settings and know no host of the lab.
_SSH_ARGUMENTS = "-F none -o UserKnownHostsFile={} -o IdentitiesOnly=yes"


def inventory_text(
    topology: Topology,
    files: LabFiles,
    delay: Delay,
    *,
    counts_cpu: bool,
    num_processors: int = 2,
    user: str = "root",
    program_user: str | None = None,
    connect_command: str | None = None,
) -> str:
    """Write the inventory of a lab as YAML, without rates and delays if the topology is hidden.

    Parameters
    ----------
    counts_cpu : whether the CPU time of each host is counted.
    num_processors : processors that the lab may use; with one no host has its own.
    user, program_user : account on the hosts, and the one that middlewares and generators run in.
    connect_command : passes on sockets to the hosts; None where this machine reaches them.
    """
    groups: dict[str, Any] = {}
    for host in topology.hosts:
        group = groups.setdefault(host.role, {"hosts": {}})
        group["hosts"][host.name] = _host_variables(host, is_told=not topology.is_hidden)
    shared: dict[str, Any] = {
        "ansible_user": user,
        "ansible_ssh_private_key_file": str(files.identity),
        "ansible_ssh_common_args": _SSH_ARGUMENTS.format(files.known_hosts),
        "ansible_python_interpreter": "/usr/bin/python3",
        "mwlab_known_hosts": str(files.known_hosts),
        "mwlab_work_dir": str(WORK_DIR),
        "mwlab_topology": topology.name,
        "mwlab_fleet": LOCAL_LAB,
        "mwlab_time_dilation": topology.time_dilation,
        "mwlab_delay": delay.value,
    }
    if connect_command is None:
        shared["mwlab_route_device"] = CONTROL_DEVICE
    else:
        passing = shlex.quote(f"ProxyCommand={connect_command}")
        shared["ansible_ssh_common_args"] += f" -o {passing} -o ProxyUseFdpass=yes"
    if delay is not Delay.NONE and not topology.is_hidden:
        shared["mwlab_rtt_ms"] = topology.rtt_ms
    apart = {host.role for host in topology.hosts if host.own_processors}
    if apart and num_processors > 1:
        shared["mwlab_own_processors"] = " ".join(sorted(apart))
    if topology.wake_up_ms is not None and not topology.is_hidden:
        shared["mwlab_wake_up_ms"] = topology.wake_up_ms
    if program_user is not None:
        shared["mwlab_program_user"] = program_user
    if counts_cpu:
        shared["mwlab_cpu_account"] = str(CPU_ACCOUNT)
    return yaml.safe_dump({"all": {"vars": shared, "children": groups}}, sort_keys=False)


def _host_variables(host: LabHost, *, is_told: bool) -> dict[str, Any]:
    variables: dict[str, Any] = {"ansible_host": host.address}
    if not is_told:
        return variables
    if host.egress is not None:
        variables["mwlab_rate_mbit_per_s"] = host.egress.rate_mbit_per_s
    if host.own_rtt_ms is not None:
        variables["mwlab_own_rtt_ms"] = host.own_rtt_ms
    if host.cpu_quota is not None:
        variables["mwlab_cpu_quota"] = host.cpu_quota
    if host.processor is not None:
        variables["mwlab_processor"] = str(host.processor)
    return variables
