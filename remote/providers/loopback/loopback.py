"""The fleet for machines without root or namespaces: one sshd, hosts as addresses 127.x of it.

Nothing is shaped, nothing is isolated: all hosts are this machine, told apart by their address and
their working directory. Good for trying everything out, not for numbers about a network; inventory,
manifests and figures therefore name the fleet `loopback` and the topology `loopback-unshaped`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Self

from analysis.whole_files import written_whole
from remote.errors import LabError, RemoteError
from remote.hosts.connection import Connection
from remote.hosts.inventory import Inventory
from remote.hosts.jobs import JOB_MARK
from remote.hosts.ssh.server import greets
from remote.programs import SEARCH_PATH, find, run
from remote.providers.account import account
from remote.providers.host_state import HostState
from remote.providers.local_lab import processes
from remote.providers.local_lab.lock import alone
from remote.providers.local_lab.processes import Process, parse_stat
from remote.providers.loopback.loopback_files import (
    addresses,
    inventory_text,
    sshd_config,
    state_dir,
)
from remote.waiting import until

_START_TIMEOUT_S = 10.0
_LOG_TAIL_CHARACTERS = 500
_REMEDY = "Install it (`apt-get install openssh-server`, or ask who may)"


class LoopbackLab:
    """The fleet `loopback` of this user; as a context manager it is up inside the block."""

    def __init__(self) -> None:
        self.folder = state_dir()

    @property
    def inventory_path(self) -> Path:
        """Where the inventory is while the fleet is up."""
        return self.folder / "inventory.yml"

    def up(self, progress: Callable[[str], None] | None = None) -> Path:
        """Start the sshd and return the inventory's path; nothing is done if it is up.

        Raises
        ------
        LabError
            A program is missing, this account cannot log in, or the sshd does not start.
        """
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
        """Tell whether its sshd runs; what a crash has left of the fleet does not."""
        return self.inventory_path.exists() and self._listener() is not None

    def status(self) -> list[HostState]:
        """Tell how each host is; all share one process. An empty list if the fleet is down."""
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

    def __enter__(self) -> Self:
        """Bring the fleet up."""
        self.up()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the fleet down."""
        self.down()

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
            run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / key)])
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
        with (self.folder / "log").open("ab") as log:
            subprocess.run(  # in a session of its own: Ctrl-C is not for it
                [find("setsid"), "--fork", sshd, "-D", "-e", "-f", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                check=True,
                cwd="/",
            )
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
            log = (self.folder / "log").read_text(errors="replace").strip()
            raise LabError(
                f"the sshd of the loopback fleet cannot be used: {exc} Its log says: "
                f"{log[-_LOG_TAIL_CHARACTERS:] or '(nothing)'}",
                "Mend that and try again; nothing was left behind",
            ) from exc

    def _listener(self) -> Process | None:
        """Return the sshd that listens; None if it does not run (any more)."""
        try:
            pid = int((self.folder / "sshd.pid").read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            stat = Path(f"/proc/{pid}/stat").read_text()
        except (OSError, ValueError):
            return None
        return parse_stat(stat) if str(self.folder).encode() in command else None

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
    """Return a port that is free on all addresses."""
    with contextlib.ExitStack() as stack:
        port = 0
        for address in listen:
            sock = stack.enter_context(socket.socket())
            sock.bind((address, port))
            port = sock.getsockname()[1]
    return port
