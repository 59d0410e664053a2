"""What the fleet writes: its place, its network's commands, its jump host, its inventory. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from remote.hosts.ssh.options import SSH_PORT
from remote.providers.common import COMMON_SSHD_CONFIG
from remote.providers.vm.machine import (
    BRIDGE_ADDRESS,
    HOME,
    NETWORK,
    USER,
    VirtualMachine,
)

FLEET = "vm"
TOPOLOGY = "vm-emulated"
STATE_DIR = Path("/run/middleware-lab-vm")
MACHINES = (
    VirtualMachine(name="c1", role="clients"),
    VirtualMachine(name="m1", role="middlewares"),
    VirtualMachine(name="s1", role="servers"),
)
"""One of each role: a machine that is emulated takes a whole core while it works."""
DEVICE = "mwlab-vm"
"""The only device in the machine's own network; the jump host is at its other end."""
JUMP, JUMP_ADDRESS = "jump", "198.19.78.2"
_CONTROL_ADDRESS = "198.19.78.1"
_BRIDGE = "br0"


def inside(namespace: Path, *command: str) -> list[str]:
    """Return a command as it runs in the fleet's network."""
    return ["nsenter", f"--net={namespace}", *command]


def network_commands(namespace: Path, machines: Sequence[VirtualMachine]) -> list[list[str]]:
    """List the commands that connect the machines with a bridge, in a network of their own.

    From outside nothing leads to the bridge but the jump host, and nothing out.
    """
    ip = inside(namespace, "ip")
    link = [DEVICE, "type", "veth", "peer", "name", JUMP, "netns", str(namespace)]
    commands = [
        ["ip", "link", "add", *link],
        ["ip", "address", "add", f"{_CONTROL_ADDRESS}/30", "dev", DEVICE],
        ["ip", "link", "set", DEVICE, "up"],
        [*ip, "address", "add", f"{JUMP_ADDRESS}/30", "dev", JUMP],
        [*ip, "link", "set", JUMP, "up"],
        [*ip, "link", "set", "lo", "up"],
        [*ip, "link", "add", _BRIDGE, "type", "bridge"],
        [*ip, "address", "add", f"{BRIDGE_ADDRESS}/{NETWORK.prefixlen}", "dev", _BRIDGE],
        [*ip, "link", "set", _BRIDGE, "up"],
    ]
    for machine in machines:
        commands.append([*ip, "tuntap", "add", "dev", machine.tap, "mode", "tap"])
        commands.append([*ip, "link", "set", machine.tap, "master", _BRIDGE, "up"])
    return commands


def sshd_config(folder: Path) -> str:
    """Write the sshd_config(5) of the jump host."""
    return f"""\
ListenAddress {JUMP_ADDRESS}:{SSH_PORT}
HostKey {folder}/{JUMP}.key
AuthorizedKeysFile {folder}/id_ed25519.pub
PidFile none
PermitRootLogin prohibit-password
AllowUsers root
{COMMON_SSHD_CONFIG}
SetEnv HISTFILE=/dev/null
"""


def chrony_conf(folder: Path) -> str:
    """Write the chrony.conf(5) of what tells the machines the time of this one, and sets none."""
    return f"""\
local stratum 5
allow {NETWORK}
bindaddress {BRIDGE_ADDRESS}
cmdport 0
bindcmdaddress /
pidfile {folder}/chronyd.pid
"""


def inventory_text(folder: Path, machines: Sequence[VirtualMachine]) -> str:
    """Write the machines as a user would write machines of theirs, in Ansible's format."""
    shared = {
        "ansible_user": USER,
        "ansible_ssh_private_key_file": str(folder / "id_ed25519"),
        "mwlab_known_hosts": str(folder / "known_hosts"),
        "mwlab_work_dir": f"{HOME}/middleware-lab",
        "mwlab_fleet": FLEET,
        "mwlab_topology": TOPOLOGY,
        "mwlab_delay": "netem",
        "mwlab_rtt_ms": 2 * machines[0].delay_ms,
    }
    jump = {"ansible_host": JUMP_ADDRESS, "ansible_user": "root"}
    groups: dict[str, Any] = {"gates": {"hosts": {JUMP: jump}}}
    for machine in machines:
        group = groups.setdefault(machine.role, {"vars": {"mwlab_jump_host": JUMP}, "hosts": {}})
        group["hosts"][machine.name] = {"ansible_host": machine.address}
    return yaml.safe_dump({"all": {"vars": shared, "children": groups}}, sort_keys=False)
