"""How the lab is shaped while packets pass: link rates, delays, CPU quotas, processors."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from remote.processors import move, split_processors
from remote.programs import run
from remote.providers.local_lab import sshd
from remote.providers.local_lab.cgroups import Groups
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.inventory_file import inventory_text
from remote.providers.local_lab.links import delay_line
from remote.providers.local_lab.links.calibration import measure_wake_ups_ms
from remote.providers.local_lab.links.wiring import Delay, shaping_commands
from remote.providers.local_lab.rootless.holder import connect_command, inside
from remote.providers.local_lab.status import SWITCH, running_delay
from remote.providers.local_lab.topology import LabHost, Topology


def reshape(topology: Topology, files: LabFiles, *, mixed: bool = False) -> None:
    """Give a lab that is up the numbers of a topology, and note so; nothing if it has them.

    With `mixed` no host has processors of its own until the next change.
    """
    _place(topology, mixed=mixed)
    if topology == files.read_topology():
        return
    _shape_links(topology, files)
    for host in topology.hosts:
        limit_cpu(Groups(), host, topology)
    write_down(topology, files)


def calibrate(topology: Topology, files: LabFiles, report: Callable[[str], None]) -> Topology:
    """Measure the wake-ups, take them off the delays, and return the topology with them."""

    def shape(other: Topology) -> None:
        _shape_links(other, files)

    try:
        wake_up_ms, seen_ms = measure_wake_ups_ms(topology, shape)
    except BaseException:
        shape(topology)
        raise
    found = topology.calibrated(wake_up_ms)
    shape(found)
    if wake_up_ms is not None:
        report(
            f"A client sees a round trip of {seen_ms:.3f} ms, {topology.rtt_ms:g} wanted: "
            f"{wake_up_ms:.3f} ms of wake-ups are taken off its delays."
        )
    return found


def limit_cpu(groups: Groups, host: LabHost, topology: Topology) -> list[Path]:
    """Limit the CPU time of a host if its topology does; the files by which processes enter."""
    if host.cpu_quota is None:
        return []
    return groups.limit(host.name, host.cpu_quota / topology.time_dilation)


def write_down(topology: Topology, files: LabFiles) -> None:
    """Write down how the lab is shaped; its inventory stays the same file, as it may be locked."""
    files.write_topology(topology)
    with files.inventory.open("r+", encoding="utf-8") as stream:
        stream.write(inventory_of(topology, files))
        stream.truncate()


def inventory_of(topology: Topology, files: LabFiles) -> str:
    """Write the inventory of the lab that is up."""
    counted = all(sshd.counts_cpu(files.host(host.name)) for host in topology.hosts)
    return inventory_text(
        topology,
        files,
        running_delay(topology, files),
        counts_cpu=counted,
        num_processors=len(os.sched_getaffinity(0)),
        user=sshd.user_of_hosts(),
        program_user=sshd.user_of_programs(),
        connect_command=connect_command(),
    )


def _place(topology: Topology, *, mixed: bool) -> None:
    """Move what runs on hosts to their processors; nothing where none has its own."""
    if not topology.cpus_apart:
        return
    groups, all_of_them = Groups(), os.sched_getaffinity(0)
    apart, others = split_processors(topology.cpus_apart, all_of_them)
    own = {host.name: host.own_processors for host in topology.hosts}
    for name, is_apart in {**own, SWITCH: False}.items():
        processors = all_of_them if mixed else apart if is_apart else others
        move(partial(groups.threads, name), processors)


def _shape_links(topology: Topology, files: LabFiles) -> None:
    mechanism = running_delay(topology, files)
    for host in topology.hosts:
        for command in shaping_commands(host, topology, mechanism):
            run(inside(command))
    if mechanism is Delay.LINE:
        delay_line.change_line(topology, files.line_shared)
