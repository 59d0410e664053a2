"""Bring the virtual machines up and take them down: the part that changes this machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from records.files.atomic import written_whole
from remote.errors import LabError, RemoteError
from remote.hosts.connection import Connection
from remote.hosts.group import in_parallel
from remote.hosts.host import Host
from remote.hosts.inventory import Inventory
from remote.hosts.ssh.sockets import greets
from remote.programs import find, run
from remote.providers.common import HostState, Lab, alone, make_key
from remote.providers.local_lab import processes
from remote.providers.local_lab.processes import Process
from remote.providers.local_lab.sshd import known_hosts_text
from remote.providers.vm import image
from remote.providers.vm.files import (
    DEVICE,
    JUMP,
    JUMP_ADDRESS,
    MACHINES,
    STATE_DIR,
    chrony_conf,
    inside,
    inventory_text,
    network_commands,
    sshd_config,
)
from remote.providers.vm.machine import VirtualMachine
from remote.waiting import until

_BOOT_TIMEOUT_S = 300.0
_JUMP_TIMEOUT_S = 10.0
_PAUSE_S = 1.0
_REMEDY = "Mend that and try again; nothing was left behind"
# sshd without PAM takes an account whose password is locked for a locked account.
_JUMP_HOST = (
    'mount -n --bind "$1/shadow" /etc/shadow && mkdir -p /run/sshd && exec "$2" -f "$1/sshd_config"'
)


class VmLab(Lab):
    """The fleet `vm`, with the `machines` that `up` boots."""

    def __init__(self, machines: Sequence[VirtualMachine] = MACHINES) -> None:
        self.machines = machines
        self.folder = STATE_DIR

    @property
    def inventory_path(self) -> Path:
        """Where the inventory is while the fleet is up."""
        return self.folder / "inventory.yml"

    @property
    def namespace(self) -> Path:
        """The network of the machines, of the jump host and of their clock."""
        return self.folder / "net"

    def up(self, progress: Callable[[str], None] | None = None) -> Path:
        """Boot the machines and return the inventory's path when all let their user in.

        They are as bare as Debian's image for clouds. The disk image is built first if need be.
        """
        report = progress or (lambda _: None)
        _check_root()
        image.require_programs()
        with alone(self.folder.parent):
            states = self.status()
            if states and all(state.is_up for state in states):
                report("The virtual machines are up already.")
                return self.inventory_path
            self._take_down()
            folder = image.ensure(report)
            try:
                self._boot(folder, report)
            except BaseException:
                self._take_down()
                raise
        return self.inventory_path

    def down(self) -> None:
        """Power all machines off and remove them; the disk image stays, below build/."""
        _check_root()
        with alone(self.folder.parent):
            ended = self._take_down()
        processes.wait_until_reaped(ended)

    def is_running(self) -> bool:
        """Whether any machine runs."""
        return any(self._process(one) is not None for one in self.machines)

    def status(self) -> list[HostState]:
        """Return the state of each machine; an empty list if the fleet is down."""
        if not self.inventory_path.exists():
            return []
        hosts = {host.name: host for host in Inventory.read(self.inventory_path).hosts}
        machines = [one for one in self.machines if one.name in hosts]
        lets_in = in_parallel({one.name: partial(_lets_in, hosts[one.name]) for one in machines})
        return [
            HostState(
                name=one.name,
                role=one.role,
                address=one.address,
                pid=process.pid if (process := self._process(one)) else None,
                answers_ssh=lets_in[one.name],
            )
            for one in machines
        ]

    def _boot(self, disk: Path, report: Callable[[str], None]) -> None:
        started_s = time.monotonic()
        self.folder.mkdir(mode=0o700)
        self.namespace.touch()
        run(["unshare", f"--net={self.namespace}", "true"])
        for command in network_commands(self.namespace, self.machines):
            run(command)
        self._write_files()
        self._start_jump_host()
        (self.folder / "chrony.conf").write_text(chrony_conf(self.folder))
        clock = [find("chronyd"), "-x", "-u", "root", "-f", str(self.folder / "chrony.conf")]
        run(inside(self.namespace, *clock))
        report(f"Booting {len(self.machines)} virtual machines ...")
        for machine in self.machines:
            run(inside(self.namespace, *machine.qemu_command(disk, self.folder)))
        with written_whole(self.inventory_path) as part:
            part.write_text(inventory_text(self.folder, self.machines))
            self._wait_until_booted(Inventory.read(part).hosts)
        report(f"The virtual machines are up after {time.monotonic() - started_s:.0f} s.")

    def _write_files(self) -> None:
        for name in ("id_ed25519", f"{JUMP}.key", *(f"{one.name}.key" for one in self.machines)):
            make_key(self.folder / name)

        def text(name: str) -> str:
            return (self.folder / name).read_text()

        known = {JUMP_ADDRESS: text(f"{JUMP}.key.pub")}
        for machine in self.machines:
            known[machine.address] = text(f"{machine.name}.key.pub")
            host_key = text(f"{machine.name}.key")
            tar = machine.seed_tar(user_key=text("id_ed25519.pub"), host_key=host_key)
            machine.seed(self.folder).write_bytes(tar)
        (self.folder / "known_hosts").write_text(known_hosts_text(known))

    def _start_jump_host(self) -> None:
        (self.folder / "shadow").write_text("root:*:::::::\n")
        (self.folder / "sshd_config").write_text(sshd_config(self.folder))
        words = ["unshare", "--mount", "sh", "-ec", _JUMP_HOST, "jump", str(self.folder)]
        run(inside(self.namespace, *words, find("sshd")))
        if not until(lambda: greets(JUMP_ADDRESS), _JUMP_TIMEOUT_S):
            raise LabError("the jump host of the virtual machines does not answer", _REMEDY)

    def _wait_until_booted(self, hosts: Iterable[Host]) -> None:
        deadline_s = time.monotonic() + _BOOT_TIMEOUT_S
        by_name = {one.name: one for one in self.machines}
        for host in hosts:
            machine = by_name[host.name]
            while not _lets_in(host):
                runs = self._process(machine) is not None
                if runs and time.monotonic() < deadline_s:
                    time.sleep(_PAUSE_S)
                    continue
                what = f"is not up after {_BOOT_TIMEOUT_S:g} s" if runs else "has ended"
                console = machine.console(self.folder).read_text(errors="replace").strip()
                raise LabError(f"{host.name} {what}; its console says: {console[-500:]}", _REMEDY)

    def _process(self, machine: VirtualMachine) -> Process | None:
        return processes.from_pid_file(machine.pid_file(self.folder), str(self.folder))

    def _take_down(self) -> list[Process]:
        """Undo whatever is there, and return the processes that were ended."""
        ended: list[Process] = []
        while found := processes.in_network_namespaces([self.namespace]):
            processes.end(found)
            ended += found
        if DEVICE in {name for _, name in socket.if_nameindex()}:
            run(["ip", "link", "delete", DEVICE])
        with contextlib.suppress(LabError):  # nothing is mounted there
            run(["umount", "--no-mtab", str(self.namespace)])
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.folder)
        return ended


def _check_root() -> None:
    if os.geteuid() != 0:
        raise LabError(
            "virtual machines need root: their network is a namespace of this machine",
            "Run the command with sudo, or take the fleet `local`, which users may have",
        )


def _lets_in(host: Host) -> bool:
    try:
        with Connection(host) as connection:
            connection.run("true")
    except RemoteError:
        return False
    return True
