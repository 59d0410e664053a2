"""Running the playbook on a fleet, with the connections that the inventory means for us, too."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from remote.errors import LabError
from remote.hosts.ansible_yaml import Encrypted
from remote.hosts.inventory import Inventory
from remote.hosts.ssh.handshake import ssh_options

PLAYBOOK = Path(__file__).with_name("playbook.yml")
PROGRAM = "ansible-playbook"
INSTALL = "pip install 'middleware-lab[ansible]'"
_ONLY_THIS = ("-F", "none", "-o", "StrictHostKeyChecking=yes")
# One connection a host for all of a call, since slow hosts take seconds to make one. It ends with
# the call: left open it would pass over a changed host key.
_CONNECTIONS = "-o ControlMaster=auto -o ControlPersist=60s"
_SOCKETS = "sockets"


def run_playbook(inventory: Inventory, *, check: bool = False) -> int:
    """Run the playbook on all hosts, with `check` without changes; return Ansible's exit status."""
    program = find_program()
    if program is None:
        by_hand = shlex.join(playbook_command(PROGRAM, inventory.path, check=check))
        raise LabError(
            f"Ansible, which installs programs on hosts, is not installed (`{PROGRAM}`)",
            f"Install it (`{INSTALL}`) and repeat this, or run elsewhere: `{by_hand}`",
        )
    with tempfile.TemporaryDirectory(prefix="mwlab-") as folder:
        connections = Path(folder) / "connections.yml"
        connections.write_text(connections_text(inventory))
        command = playbook_command(program, connections, check=check)
        sockets = Path(folder) / _SOCKETS
        try:
            return subprocess.run(command, env=_environment(folder), check=False).returncode
        finally:
            for socket in sockets.glob("*"):
                end = ["ssh", "-o", f"ControlPath={socket}", "-O", "exit", "-F", "none", "host"]
                subprocess.run(end, capture_output=True, check=False)


def find_program() -> str | None:
    """Return the path of ansible-playbook: beside this Python, or on the PATH."""
    beside = Path(sys.executable).with_name(PROGRAM)
    return str(beside) if beside.is_file() else shutil.which(PROGRAM)


def playbook_command(program: str, inventory: Path, *, check: bool) -> list[str]:
    """Return the command line that runs the playbook (pure)."""
    return [program, "-i", str(inventory), str(PLAYBOOK), *(["--check"] if check else [])]


def connections_text(inventory: Inventory) -> str:
    """Write the hosts, their groups and how we connect to each as an inventory for Ansible: pure.

    Ansible gets no other inventory: it would fill in templates and run scripts of other people on
    this machine, and it does not know `mwlab_known_hosts` and `mwlab_jump_host`.
    """
    hosts: dict[str, Any] = {}
    groups: dict[str, Any] = {}
    for host in inventory.hosts:
        hosts[host.name] = {
            "ansible_host": host.address,
            "ansible_port": host.port,
            "ansible_user": host.user,
            "ansible_ssh_common_args": shlex.join(ssh_options(host, _ONLY_THIS)),
            **dict(host.for_ansible),
        }
        if host.identity_file:
            hosts[host.name]["ansible_ssh_private_key_file"] = str(host.identity_file)
        groups.setdefault(host.role, {"hosts": {}})["hosts"][host.name] = {}
    document = {"all": {"hosts": hosts, "children": groups}}
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=1000)


class _Dumper(yaml.SafeDumper):
    """YAML that leaves encrypted what was: Ansible asks for the password of its vault."""


_Dumper.add_representer(
    Encrypted, lambda dumper, text: dumper.represent_scalar("!vault", str(text), style="|")
)


def _environment(folder: str) -> dict[str, str]:
    return {
        **os.environ,
        "LC_ALL": "C.UTF-8",  # Ansible insists on UTF-8
        "ANSIBLE_HOME": folder,
        "ANSIBLE_HOST_KEY_CHECKING": "True",
        "ANSIBLE_SSH_ARGS": _CONNECTIONS,
        "ANSIBLE_SSH_CONTROL_PATH_DIR": f"{folder}/{_SOCKETS}",
        "ANSIBLE_PIPELINING": "True",
        "ANSIBLE_FORKS": "20",
        "ANSIBLE_INJECT_FACT_VARS": "False",
        "ANSIBLE_PYTHON_INTERPRETER": "auto_silent",
    }
