"""What the loopback fleet writes: its place, its addresses, its inventory, its sshd_config."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import yaml

from remote.hosts.ssh.server import COMMON_CONFIG

FLEET = "loopback"
TOPOLOGY = "loopback-unshaped"
HOSTS = {"clients": ("c1", "c2", "c3"), "middlewares": ("m1", "m2"), "servers": ("s1", "s2", "s3")}
_FIRST_NUMBERS = {"clients": 11, "middlewares": 21, "servers": 31}  # as in the local lab


def state_dir() -> Path:
    """Return the folder of the fleet's keys, its inventory and its hosts' working directories."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.access(runtime, os.W_OK):
        return Path(runtime) / "middleware-lab-loopback"
    home = Path("~").expanduser()
    if os.access(home, os.W_OK):
        return home / ".cache" / "middleware-lab" / "loopback"
    return Path(tempfile.gettempdir()) / f"middleware-lab-loopback-{os.getuid()}"


def addresses(uid: int) -> dict[str, str]:
    """Give every host an address of its own, so that ports clash with no one else's: pure."""
    network = f"127.{64 + uid % 128}.0"
    return {
        name: f"{network}.{_FIRST_NUMBERS[role] + number}"
        for role, names in HOSTS.items()
        for number, name in enumerate(names)
    }


def inventory_text(folder: Path, user: str, port: int, address_of: dict[str, str]) -> str:
    """Write the fleet as an inventory in Ansible's format: pure."""
    shared: dict[str, Any] = {
        "ansible_user": user,
        "ansible_port": port,
        "ansible_ssh_private_key_file": str(folder / "id_ed25519"),
        "ansible_ssh_common_args": f"-F none -o UserKnownHostsFile={folder / 'known_hosts'}",
        "ansible_python_interpreter": "/usr/bin/python3",
        "mwlab_known_hosts": str(folder / "known_hosts"),
        "mwlab_route_device": "lo",
        "mwlab_fleet": FLEET,
        "mwlab_topology": TOPOLOGY,
        "mwlab_time_dilation": 1,
        "mwlab_delay": "none",
    }
    children = {
        role: {
            "hosts": {
                name: {
                    "ansible_host": address_of[name],
                    "mwlab_work_dir": str(folder / "work" / name),
                }
                for name in names
            }
        }
        for role, names in HOSTS.items()
    }
    return yaml.safe_dump({"all": {"vars": shared, "children": children}}, sort_keys=False)


def sshd_config(folder: Path, user: str, port: int, listen: list[str], path: str) -> str:
    """Write the sshd_config(5) of a daemon that runs as `user` and lets nobody else in: pure."""
    lines = "".join(f"ListenAddress {address}:{port}\n" for address in listen)
    return f"""\
{lines}HostKey "{folder}/host_key"
AuthorizedKeysFile "{folder}/id_ed25519.pub"
PidFile "{folder}/sshd.pid"
AllowUsers {user}
StrictModes no
{COMMON_CONFIG}
SetEnv "PATH={path}" HISTFILE=/dev/null
"""
