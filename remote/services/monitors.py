"""What runs beside an experiment, from before the load until after it: system load, CPU, pings."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Collection, Iterable, Mapping

from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.host import Host
from remote.hosts.jobs import Job, RunningJobs
from remote.hosts.provision import Tools

_INTERRUPTED = 130
MONITORS = {
    "dool": "its CPU, disks, network and memory",
    "cpu-time": "the CPU time of its own processes, where hosts share a machine",
    "ping": "the round trip to each host that it talks to",
}
"""What runs until it is interrupted, by the first words of its jobs' names: what it records."""
_COUNTERS_COMMAND = "date +%s.%N && cat /proc/net/dev"


def monitor_of(job: str) -> str | None:
    """Return which monitor a job of this name is, if it is one."""
    return next((name for name in MONITORS if job == name or job.startswith(f"{name}-")), None)


def ended_well(job: str, exit_status: int) -> bool:
    """Tell whether a job's exit status is as it should be: monitors may tell of our interrupt."""
    return exit_status == 0 or (exit_status == _INTERRUPTED and monitor_of(job) is not None)


def start_monitors(
    hosts: Iterable[Host],
    pinged: Collection[tuple[Host, Host]],
    *,
    jobs: RunningJobs,
    tools: Mapping[str, Tools],
    limit_s: float,
) -> list[Job]:
    """Start dool and the reading of the CPU time on every host, and a ping for each pair."""

    def start(connection: Connection) -> list[Job]:
        host = connection.host
        commands = {
            "dool": dool_command(tools[host.name].dool),
            "cpu-time": cpu_time_command(host.cpu_account),
        }
        for source, target in pinged:
            if source.name == host.name:
                commands[f"ping-{target.name}"] = ping_command(target.data_address)
        return [jobs.start(host, name, text, limit_s=limit_s) for name, text in commands.items()]

    return [job for started in jobs.fleet.for_each(hosts, start).values() for job in started]


def read_counters(fleet: Fleet, hosts: Iterable[Host], keep: Callable[[str, bytes], None]) -> None:
    """Read what the network interfaces of each host have counted.

    The first line is the host's time, and then when it was asked and had answered by the control
    host's: three times in epoch seconds, by which its clock can be checked for ever after.

    Parameters
    ----------
    keep : gets a host's name and the text as soon as it has answered, so that nothing is lost where
        another one does not; at the same time for several hosts.
    """

    def read(connection: Connection) -> None:
        asked_at_s = time.time()
        text = connection.run(_COUNTERS_COMMAND).stdout
        epoch, _, counters = text.partition("\n")
        times = f"{epoch} {asked_at_s:.6f} {time.time():.6f}"
        keep(connection.host.name, f"{times}\n{counters}".encode())

    fleet.for_each(hosts, read)


def dool_command(program: str, *, output: str = "dool.csv") -> str:
    """Return the command that writes one CSV row a second: CPU, disk, network, system, memory.

    It is dool everywhere, uploaded with the jar: Debian's dstat, of which it is the continuation,
    crashes on ``--output``.
    """
    selection = "--epoch --cpu --disk --net --sys --mem --bytes --nocolor"
    return f"{program} {selection} --output {shlex.quote(output)} 1"


def ping_command(address: str, *, interval_s: float = 1.0, count: int | None = None) -> str:
    """Return the command that pings `address` with time stamps, `count` times or until stopped."""
    limit = f" -c {count}" if count else ""
    return f"env LC_ALL=C ping -D -n -i {interval_s:g}{limit} {shlex.quote(address)}"


def cpu_time_command(cpu_account: str | None) -> str:
    """Return the command that prints the CPU time that the host has used, once a second.

    Each line has the seconds since boot and then the kernel's words: those of the control group's
    file `cpu_account`, or where there is none the first line of ``/proc/stat``. The first line of
    all gives the epoch at a time since boot. The shell reads by itself; a program for each reading
    would cost more than what is read. An interrupt ends it at once, not when `sleep` is over.
    """
    source = shlex.quote(cpu_account) if cpu_account else "/proc/stat"
    script = (
        "trap 'kill $! 2> /dev/null; exit 0' INT TERM; read -r up _ < /proc/uptime; "
        'echo "epoch $(date +%s.%N) uptime $up ticks $(getconf CLK_TCK) cores $(nproc)"; '
        f"while read -r up _ < /proc/uptime && read -r words < {source}; "
        'do echo "$up $words"; sleep 1 & wait $!; done'
    )
    return f"sh -c {shlex.quote(script)}"
