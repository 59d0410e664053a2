"""The fleet for machines without root or namespaces: one sshd, hosts as addresses 127.x of it.

Nothing is shaped, nothing is isolated: all hosts are this machine, distinguished by their address
and their working directory. Good for trying everything out, not for numbers about a network;
inventory, manifests and figures therefore name the fleet `loopback` and the topology `loopback-
unshaped`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from records.files.atomic import written_whole
from remote.errors import LabError, RemoteError
from remote.hosts.connection import Connection
from remote.hosts.inventory import Inventory
from remote.hosts.jobs import JOB_MARK
from remote.hosts.ssh.sockets import greets
from remote.programs import SEARCH_PATH, find
from remote.providers.common import (
    COMMON_SSHD_CONFIG,
    HostState,
    Lab,
    account,
    alone,
    log_tail,
    make_key,
    start_detached,
)
from remote.providers.local_lab import processes
from remote.providers.local_lab.processes import Process
from remote.waiting import until

FLEET = "loopback"
TOPOLOGY = "loopback-unshaped"
HOSTS = {"clients": ("c1", "c2", "c3"), "middlewares": ("m1", "m2"), "servers": ("s1", "s2", "s3")}
_FIRST_NUMBERS = {"clients": 11, "middlewares": 21, "servers": 31}  # as in the local lab
_START_TIMEOUT_S = 10.0
_REMEDY = "Install it (`apt-get install openssh-server`, or ask who may)"


class LoopbackLab(Lab):
    """The fleet `loopback` of this user."""

    def __init__(self) -> None:
        self.folder = state_dir()

    @property
    def inventory_path(self) -> Path:
        """Where the inventory is while the fleet is up."""
        return self.folder / "inventory.yml"

    def up(self, progress: Callable[[str], None] | None = None) -> Path:
        """Start the sshd and return the inventory's path; nothing is done if it is up."""
        report = progress or (lambda _: None)
        user = account()
        with alone(self.folder.parent):
            if self._is_up():
                report("The loopback fleet is up already.")
                return self.inventory_path
            self._take_down()
            try:
                self._start(user)
            except BaseException:
                self._take_down()
                raise
        report(f"The loopback fleet is up: unshaped, all hosts are this machine as user {user}.")
        return self.inventory_path

    def down(self) -> None:
        """End the sshd and every job, remove all files; harmless if it is down."""
        if self.folder.exists():
            with alone(self.folder.parent):
                self._take_down()

    def is_running(self) -> bool:
        """Whether the fleet's sshd runs; what a crash has left of the fleet does not."""
        return self.inventory_path.exists() and self._listener() is not None

    def status(self) -> list[HostState]:
        """Return the state of each host, all of one process; an empty list if it is down."""
        if not self.inventory_path.exists():
            return []
        listener = self._listener()
        return [
            HostState(
                name=host.name,
                role=host.role,
                address=f"{host.address}:{host.port}",
                pid=listener.pid if listener else None,
                answers_ssh=greets(host.address, host.port),
            )
            for host in Inventory.read(self.inventory_path).hosts
        ]

    def _is_up(self) -> bool:
        states = self.status()
        return bool(states) and all(state.is_up for state in states)

    def _start(self, user: str) -> None:
        sshd = find("sshd", remedy=_REMEDY)
        find("ssh-keygen", remedy=_REMEDY)
        self.folder.mkdir(mode=0o700)
        address_of = addresses(os.getuid())
        port = _free_port(list(address_of.values()))
        for key in ("host_key", "id_ed25519"):
            make_key(self.folder / key)
        public = " ".join((self.folder / "host_key.pub").read_text().split()[:2])
        (self.folder / "known_hosts").write_text(
            "".join(f"[{address}]:{port} {public}\n" for address in address_of.values())
        )
        config = self.folder / "sshd_config"
        config.write_text(
            sshd_config(self.folder, user, port, list(address_of.values()), SEARCH_PATH)
        )
        for name in address_of:
            (self.folder / "work" / name).mkdir(parents=True)
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # root's sshd insists on it
        command = [find("setsid"), "--fork", sshd, "-D", "-e", "-f", str(config)]
        start_detached(command, self.folder / "log")
        with written_whole(self.inventory_path) as part:
            part.write_text(inventory_text(self.folder, user, port, address_of))
            self._wait_until_usable(part)

    def _wait_until_usable(self, inventory: Path) -> None:
        host = Inventory.read(inventory).hosts[0]
        until(lambda: greets(host.address, host.port), _START_TIMEOUT_S)
        try:
            with Connection(host) as connection:
                connection.run("true")
        except RemoteError as exc:
            raise LabError(
                f"the sshd of the loopback fleet cannot be used: {exc} Its log says: "
                f"{log_tail(self.folder / 'log')}",
                "Mend that and try again; nothing was left behind",
            ) from exc

    def _listener(self) -> Process | None:
        return processes.from_pid_file(self.folder / "sshd.pid", str(self.folder))

    def _take_down(self) -> None:
        listener = self._listener()
        mark = f"{JOB_MARK}={self.folder}/"
        while found := [
            *(processes.with_descendants(listener) if listener else ()),
            *processes.with_environment(mark),
        ]:
            processes.end(found)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.folder)


def _free_port(listen: list[str]) -> int:
    with contextlib.ExitStack() as stack:
        port = 0
        for address in listen:
            sock = stack.enter_context(socket.socket())
            sock.bind((address, port))
            port = sock.getsockname()[1]
    return port


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
{COMMON_SSHD_CONFIG}
SetEnv "PATH={path}" HISTFILE=/dev/null
"""
