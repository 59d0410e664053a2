"""One machine of an experiment."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from remote.hosts.ssh.options import SSH_PORT, KeyOptions

JUMP_ROLE = "jump"
DEFAULT_WORK_DIR = "middleware-lab"


@dataclass(frozen=True, kw_only=True)
class Host:
    """One machine of an experiment and how to reach it.

    Parameters
    ----------
    name : the inventory's name, used in commands, folders and messages.
    role : ``clients``, ``middlewares``, ``servers`` or ``databases``; ``jump`` for a jump host.
    address : where SSH connects to.
    data_address : where measured traffic goes; the same as `address` unless the inventory says so.
    identity_file : key that is offered first; a public key if an agent holds the private key.
    keys : what else ssh_config states about the keys of its user.
    work_dir : folder on the host below which all files of the lab are kept; relative to the home of
        `user` unless it is absolute.
    route_device : if set, packets to the host must leave by this network device; otherwise nothing
        is sent. Keeps traffic for a lab that is down off the default route.
    rate_mbit_per_s : limit of the host's outgoing link in undilated time, None where it is not
        known.
    own_rtt_ms : emulated round trip between it and hosts that have none of their own, undilated;
        None where it is as far away as they are.
    cpu_quota : CPUs that all its processes together may use in undilated time, None for no limit.
    processor : emulated one of the local lab, as `mwlab_processor` tells it; None without.
    cpu_account : path, on the host, of the kernel's file with the CPU time that the host has used;
        `remote.providers.local_lab.cgroups.parse_cpu_seconds` reads it. None on real machines.
    program_user : whom root becomes on the host to run middlewares and generators; None to run them
        as `user`.
    for_ansible : variables that only Ansible needs, such as how it becomes root, with their values.
    jump : the host through which this one is reached, itself perhaps through another.
    connect_command : connects to its sshd where this machine cannot, and passes the socket on:
        ssh_config's ProxyCommand with ProxyUseFdpass. None to connect from here.
    """

    name: str
    role: str
    address: str
    port: int = SSH_PORT
    user: str = "root"
    identity_file: Path | None = None
    known_hosts: Path
    work_dir: str = DEFAULT_WORK_DIR
    route_device: str | None = None
    data_address: str
    rate_mbit_per_s: float | None = None
    own_rtt_ms: float | None = None
    cpu_quota: float | None = None
    processor: str | None = None
    cpu_account: str | None = None
    program_user: str | None = None
    for_ansible: tuple[tuple[str, str | bool], ...] = field(default=(), repr=False)  # secrets, too
    jump: Host | None = None
    connect_command: str | None = None
    keys: KeyOptions = field(default_factory=KeyOptions)
