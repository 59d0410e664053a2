"""The monitors of a run: on every host that takes part, from before the load until after it."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping

from remote.experiment.run import Collected
from remote.experiment.sessions.pairs import Pair
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.inventory import Host
from remote.hosts.jobs import Job, RunningJobs
from remote.hosts.provision import Tools
from remote.services import monitors


def start_monitors(
    fleet: Fleet,
    hosts: Iterable[Host],
    pinged: Collection[Pair],
    *,
    jobs: RunningJobs,
    tools: Mapping[str, Tools],
    limit_s: float,
) -> list[Job]:
    """Start dool and the reading of the CPU time on every host, and a ping for each pair."""

    def start(connection: Connection) -> list[Job]:
        host = connection.host
        commands = {
            "dool": monitors.dool_command(tools[host.name].dool),
            "cpu-time": monitors.cpu_time_command(host.cpu_account),
        }
        for source, target in pinged:
            if source.name == host.name:
                commands[f"ping-{target.name}"] = monitors.ping_command(target.data_address)
        return [jobs.start(host, name, text, limit_s=limit_s) for name, text in commands.items()]

    return [job for started in fleet.for_each(hosts, start).values() for job in started]


def read_counters(fleet: Fleet, hosts: Iterable[Host], when: str, collected: Collected) -> None:
    """Keep what the network interfaces of every host have counted so far, and its clock's offset.

    The smallest of all that were found stands in the manifest: a late answer looks like an offset.
    """
    command = monitors.counters_command()

    def read(connection: Connection) -> None:
        name, asked_at_s = connection.host.name, time.time()
        text = connection.run(command).stdout
        answered_at_s = time.time()
        collected.files[f"{name}/interfaces-{when}.txt"] = text.encode()
        offset_s = float(text.split()[0]) - (asked_at_s + answered_at_s) / 2
        clocks = collected.manifest.setdefault("clock_offsets_s", {})
        clocks[name] = min(clocks.get(name, offset_s), offset_s, key=abs)

    fleet.for_each(hosts, read)
