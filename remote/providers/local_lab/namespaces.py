"""Build the local lab and take it down: the part that changes this machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from records.files.atomic import written_whole
from remote.errors import LabError
from remote.hosts.ssh.sockets import greets, route_leaves_by
from remote.processors import split_processors
from remote.programs import run, side_by_side
from remote.providers.common import Lab, alone, log_tail
from remote.providers.local_lab import processes, requirements, sshd
from remote.providers.local_lab.cgroups import Groups
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.links import congestion, delay_line, shaping
from remote.providers.local_lab.links.wiring import (
    ADDING,
    CONTROL_DEVICE,
    NAMESPACE_PREFIX,
    Delay,
    host_commands,
    switch_commands,
)
from remote.providers.local_lab.processes import Process
from remote.providers.local_lab.rootless import holder
from remote.providers.local_lab.rootless.holder import inside, is_rootless
from remote.providers.local_lab.status import (
    SWITCH,
    HostStatus,
    SwitchStatus,
    host_states,
    network_problem,
    switch_state,
)
from remote.providers.local_lab.topology import DEFAULT_TOPOLOGY, LabHost, Topology
from remote.waiting import until

_NETNS_DIR = Path("/run/netns")
_START_TIMEOUT_S = 30.0  # a hundred hosts on two processors take a third of it


class LocalLab(Lab):
    """The hosts of a topology on this machine; there is one local lab a machine.

    Parameters
    ----------
    topology : what `up` builds, by default `azure`; `down` and `status` are about the lab that is
        there, whatever its topology.
    """

    def __init__(self, topology: Topology | None = None) -> None:
        self.topology = topology or Topology.named(DEFAULT_TOPOLOGY)
        self._files = LabFiles()

    def up(self, progress: Callable[[str], None] | None = None) -> Path:
        """Build the lab unless it is up; return its inventory when every host answers.

        A lab that only differs in its time dilation is reshaped in place. What a crash has left is
        taken down first. If building fails or is interrupted, all of it is taken down again.
        """
        report = progress or (lambda _: None)
        requirements.check_all()
        requirements.check_quotas(self.topology)
        with alone(self._files.directory.parent):
            states = host_states(self._files)
            if any(state.pid is not None for state in states):
                self._refuse_other_topology()
            broken = [state.name for state in states if not state.is_up]
            problem = network_problem(self._files)
            if states and not broken and not problem:
                report("The lab is up already.")
                dilated = self.running().dilated(self.topology.time_dilation)
                shaping.reshape(dilated, self._files)
                return self._files.inventory
            if problem:
                report("Building the lab anew: its delay line has ended.")
            elif broken:
                report(f"Building the lab anew: no answer from {', '.join(broken)}.")
            _take_down(self._files)
            try:
                self._build(report)
            except BaseException:
                _take_down(self._files)
                raise
        return self._files.inventory

    def down(self) -> None:
        """End all processes of the lab and remove all of it, however much there is."""
        requirements.check_linux()
        with alone(self._files.directory.parent):
            ended = _take_down(self._files)
        processes.wait_until_reaped(ended)

    def dilate(self, time_dilation: float, *, mixed: bool = False) -> Path:
        """Change the time dilation while packets pass; return the inventory.

        Parameters
        ----------
        time_dilation : k, by which rates are divided and delays multiplied; ValueError if out of
            range.
        mixed : until the next change no host has processors of its own.
        """
        requirements.check_linux()
        with alone(self._files.directory.parent):
            shaping.reshape(self.running().dilated(time_dilation), self._files, mixed=mixed)
        return self._files.inventory

    def reshape(self, topology: Topology) -> Path:
        """Give the lab rates, delays, quotas and dilation of a topology with the same hosts.

        The calibration stays. Returns the path of the inventory.
        """
        requirements.check_linux()
        with alone(self._files.directory.parent):
            running = self.running()
            if topology.built() != running.built():
                raise LabError(
                    f"the lab that is up has other hosts than `{topology.name}`, or other limits",
                    "Take it down first: `lab down`",
                )
            shaping.reshape(topology.calibrated(running.wake_up_ms), self._files)
        return self._files.inventory

    def calibrate(self, progress: Callable[[str], None] | None = None) -> Path:
        """Measure again what the machine's wake-ups take of a round trip; return the inventory.

        It takes some seconds; nothing else should run on the machine. `up` does it for a new lab.
        """
        requirements.check_linux()
        with alone(self._files.directory.parent):
            report = progress or (lambda _: None)
            calibrated = shaping.calibrate(self.running(), self._files, report)
            shaping.write_down(calibrated, self._files)
        return self._files.inventory

    def status(self) -> list[HostStatus]:
        """Return the state of each host of the lab; an empty list if there is no lab."""
        requirements.check_linux()
        return host_states(self._files)

    def is_running(self) -> bool:
        """Whether any host of the lab runs; what a crash has left of a lab does not."""
        return any(state.pid is not None for state in self.status())

    def switch(self) -> SwitchStatus | None:
        """Return the state of the network between the hosts; None if there is no lab."""
        requirements.check_linux()
        return switch_state(self._files)

    def _refuse_other_topology(self) -> None:
        running = self._files.read_topology()
        if running is None:
            return
        wanted = self.topology.calibrated(running.wake_up_ms)
        if running.dilated(wanted.time_dilation) != wanted:
            raise LabError(
                f"a lab of topology `{running.name}` is up, which is not the `{self.topology.name}`"
                " that was asked for",
                "Take it down first: `lab down`",
            )

    def _build(self, report: Callable[[str], None]) -> None:
        started_s = time.monotonic()
        hosts, groups = self.topology.hosts, Groups()
        apart, others = split_processors(self.topology.cpus_apart, os.sched_getaffinity(0))
        mechanism = delay_line.choose(self.topology)
        if mechanism is Delay.LINE:
            delay_line.build_line()
        self._files.directory.mkdir(mode=0o700)
        self._files.write_topology(self.topology)
        if is_rootless():
            holder.start(self._files)
        else:
            _prepare_machine(self._files)
        report(f"Connecting {len(hosts)} hosts to a switch ...")
        for command in switch_commands(self.topology, mechanism):
            run(inside(command))
        adding = holder.namespace_command(sshd.user_of_hosts()) if is_rootless() else ADDING

        def connect(host: LabHost) -> None:
            for command in host_commands(host, self.topology, mechanism, adding):
                run(inside(command))
            if not is_rootless():  # in whose lab's namespaces there is nothing else
                _check_route(host)

        side_by_side(connect, hosts)
        if mechanism is Delay.LINE:
            files = self._files
            entered = groups.make(SWITCH)
            delay_line.start_line(
                self.topology, files.line_shared, files.line_process, entered, others
            )
        report("Starting the hosts ...")
        sshd.write_files(self.topology, self._files)

        def start(host: LabHost) -> None:
            entered = [
                *groups.make(host.name),
                *shaping.limit_cpu(groups, host, self.topology),
            ]
            processors = apart if host.own_processors else others
            sshd.start(host, self._files, self.topology.work_dir_mib, groups, entered, processors)

        side_by_side(start, hosts)
        _wait_until_answering(hosts, self._files)
        calibrated = shaping.calibrate(self.topology, self._files, report)
        self._files.write_topology(calibrated)
        with written_whole(self._files.inventory) as part:
            part.write_text(shaping.inventory_of(calibrated, self._files), encoding="utf-8")
        report(f"The lab is up after {time.monotonic() - started_s:.1f} s.")
        if is_rootless():
            report(holder.WITHOUT_ROOT)

    def running(self) -> Topology:
        """Return the topology of the lab that is up; LabError if there is none."""
        running = self._files.read_topology()
        if running is None:
            raise LabError("the local lab is not up", "Bring it up: `lab up`")
        return running


def _check_route(host: LabHost) -> None:
    if not route_leaves_by(host.address, CONTROL_DEVICE):
        raise LabError(
            f"packets to {host.address} ({host.name}) would not leave by {CONTROL_DEVICE}: "
            "something else on this machine uses that address",
            "Copy the topology file, change its network, and bring that one up",
        )


def _wait_until_answering(hosts: Sequence[LabHost], files: LabFiles) -> None:
    waiting = list(hosts)

    def is_decided() -> bool:
        command = holder.connect_command()
        waiting[:] = [h for h in waiting if not greets(h.address, connect_command=command)]
        return not waiting or any(_has_ended(files, host) for host in waiting)

    until(is_decided, _START_TIMEOUT_S)
    for host in sorted(waiting, key=lambda host: not _has_ended(files, host)):
        what = "ended while it started" if _has_ended(files, host) else "does not answer"
        log = log_tail(files.host(host.name) / "log")
        raise LabError(
            f"{host.name} {what}; its log says: {log}",
            "Mend that and run `lab up` again; nothing was left behind",
        )


def _has_ended(files: LabFiles, host: LabHost) -> bool:
    init_file = files.host(host.name) / "init"
    return init_file.exists() and processes.read_noted(init_file) is None


def _take_down(files: LabFiles) -> list[Process]:
    """Undo whatever is there, from the inside out; return the ended processes."""
    namespaces = [] if is_rootless() else sorted(_NETNS_DIR.glob(f"{NAMESPACE_PREFIX}*"))
    ended: list[Process] = []
    while found := _processes(files, namespaces):  # again: one may have forked meanwhile
        processes.end(found)
        ended += found
    if not is_rootless():  # whose namespaces have ended with their processes
        _restore_machine(files, namespaces)
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(files.directory)
    return ended


def _prepare_machine(files: LabFiles) -> None:
    if not _NETNS_DIR.exists():
        files.netns_dir_is_new.touch()
    congestion.allow(files.congestion_control)


def _restore_machine(files: LabFiles, namespaces: Sequence[Path]) -> None:
    _delete_control_device()
    side_by_side(lambda namespace: run(["ip", "netns", "delete", namespace.name]), namespaces)
    if files.netns_dir_is_new.exists():
        _remove_netns_dir()
    Groups().remove()
    congestion.restore(files.congestion_control)


def _processes(files: LabFiles, namespaces: Sequence[Path]) -> list[Process]:
    """List what is in the lab's namespaces or holds them, and hosts whose namespace has no name."""
    noted = [*files.directory.glob("hosts/*/init"), files.line_process]
    inits = [processes.read_noted(path) for path in noted]
    members = [*processes.in_network_namespaces(namespaces), *holder.find_processes(files)]
    return list({*members, *(init for init in inits if init is not None)})


def _delete_control_device() -> None:
    """Delete it, unless it is gone or just going with the switch's namespace."""
    if _has_control_device():
        try:
            run(["ip", "link", "delete", CONTROL_DEVICE])
        except LabError:
            if _has_control_device():
                raise


def _has_control_device() -> bool:
    return CONTROL_DEVICE in {name for _, name in socket.if_nameindex()}


def _remove_netns_dir() -> None:
    """Remove what `ip netns add` made for the first namespace, unless others use it by now."""
    if _NETNS_DIR.exists() and not any(_NETNS_DIR.iterdir()):
        with contextlib.suppress(LabError):  # not mounted: `ip netns add` was killed early
            run(["umount", "--no-mtab", str(_NETNS_DIR)])
        with contextlib.suppress(OSError):
            _NETNS_DIR.rmdir()
