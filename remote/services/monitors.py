"""What runs beside an experiment, from before the load until after it: system load, CPU, pings."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from records.manifest_entries import JobOutcome
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.host import Host
from remote.hosts.jobs import Job, RunningJobs, Task, claim, job_folder
from remote.hosts.provision import Tools

_INTERRUPTED = 130
MONITORS = {
    "dool": "its CPU, disks, network and memory",
    "cpu-time": "the CPU time of its own processes, where hosts share a machine",
    "ping": "the round trip to each host that it talks to",
}
"""What runs until it is interrupted, by the first words of its jobs' names: what it records."""
_MAIN_FILES = {"dool": ("dool.csv", 7)}
"""What a monitor writes and how many lines of it tell what the others mean; else NAME.out and 1."""
_CUT = (
    "{ lines[FILENAME] = FNR } "
    'kept && (FNR <= head || FNR > since) { print >> (to "/" FILENAME) } '
    "END { for (file in lines) print file, lines[file] }"
)
Pairs = Collection[tuple[Host, Host]]
_COUNTERS_COMMAND = "date +%s.%N && cat /proc/net/dev"


def monitor_of(job: str) -> str | None:
    """Return which monitor a job of this name is, if it is one."""
    return next((name for name in MONITORS if job == name or job.startswith(f"{name}-")), None)


def ended_well(job: str, exit_status: int | None, may_be: Collection[int] = (0,)) -> bool:
    """Whether a job's exit status is as it should be, one of `may_be` unless the job is a monitor.

    Monitors run on, or may report our interrupt.
    """
    if monitor_of(job) is None:
        return exit_status in may_be
    return exit_status in (None, 0, _INTERRUPTED)


class Monitors:
    """dool and the reading of the CPU time on every host, and a ping for each pair of hosts.

    They run on from one run of a section to the next, since starting and ending them takes longer
    than most of what a run needs; each run gets its part of what they have written.
    """

    def __init__(self, fleet: Fleet, tools: Mapping[str, Tools], name: str) -> None:
        self._tools = tools
        self._jobs = RunningJobs(fleet, f"{name}-monitors")
        self._recordings: dict[Host, dict[str, _Recording]] = {}

    def ensure(self, hosts: Iterable[Host], pinged: Pairs, *, limit_s: float) -> None:
        """Start those that do not run yet; the hosts end them after `limit_s` seconds."""

        def start(connection: Connection) -> None:
            host = connection.host
            running = self._recordings.setdefault(host, {})
            for name, text in self._commands(host, pinged).items():
                if name not in running:
                    running[name] = _Recording(
                        self._jobs.start(host, Task(name, text), limit_s=limit_s)
                    )

        self._jobs.fleet.for_each(hosts, start)

    def cut(self, hosts: Collection[Host], pinged: Pairs, run: str) -> list[JobOutcome]:
        """Copy what was written since the last run into the job folder `run` on each of `hosts`.

        Returns the outcome of each monitor, without an exit status while it runs on. One that has
        ended will be started again.
        """

        def cut(connection: Connection) -> list[JobOutcome]:
            host = connection.host
            running = self._recordings[host]
            if not running:
                return []
            own = self._commands(host, pinged) if host in hosts else {}
            wanted = [name for name in own if name in running]
            command = cut_command(
                job_folder(host, self._jobs.name),
                {name: recording.lines for name, recording in running.items()},
                wanted=wanted,
                target=job_folder(host, run),
            )
            ended: dict[str, int] = {}
            shown = f"copy what the monitors wrote to {run}"
            told = connection.run(command, shown=shown).read(
                lambda text: [_count(line, running) for line in text.splitlines()]
            )
            for name, file, number in told:
                if file.endswith(".exit"):
                    ended[name] = number
                else:
                    running[name].lines[file] = number
            outcomes = [running[name].job.outcome(ended.get(name)) for name in wanted]
            for name in ended:
                del running[name]
            return outcomes

        found = self._jobs.fleet.for_each(self._recordings, cut)
        return [outcome for outcomes in found.values() for outcome in outcomes]

    def kill(self) -> None:
        """End all of them at once."""
        self._jobs.kill_all()

    def _commands(self, host: Host, pinged: Pairs) -> dict[str, str]:
        targets = [target for source, target in pinged if source.name == host.name]
        return {
            "dool": dool_command(self._tools[host.name].dool),
            "cpu-time": cpu_time_command(host.cpu_account),
            **{f"ping-{target.name}": ping_command(target.data_address) for target in targets},
        }


@dataclass(frozen=True)
class _Recording:
    """A monitor on a host, and how many lines its files had when they were cut the last time."""

    job: Job
    lines: dict[str, int] = field(default_factory=dict)


def cut_command(
    folder: str, cut: Mapping[str, Mapping[str, int]], *, wanted: Collection[str], target: str
) -> str:
    """Return the command that copies what monitors wrote since the last cut, with its head.

    It prints every file's name and number of lines, and the exit status of monitors that have
    ended: ``dool.csv 93``, ``ping-s1.exit 1``.

    Parameters
    ----------
    folder, target : where the monitors write, and where the copies go.
    cut : by monitor how many lines its files had the last time.
    wanted : the monitors whose files are copied; lines of the others are counted only.
    """
    operands, files = [], []
    for name, lines in cut.items():
        main, head = _MAIN_FILES.get(name, (f"{name}.out", 1))
        for file, length in ((main, head), (f"{name}.err", 0)):
            operands += [f"kept={int(name in wanted)}", f"head={length}"]
            operands += [f"since={lines.get(file, 0)}", file]
            files.append(file)
    return (
        f"{claim(target)} && cd {shlex.quote(folder)} "
        f"&& touch {shlex.join(files)} "  # of one that ended before it wrote anything
        f"&& awk -v to={shlex.quote(target)} {shlex.quote(_CUT)} {shlex.join(operands)} "
        f"&& for job in {shlex.join(cut)}; do "
        '[ ! -f "$job.exit" ] || { read -r status < "$job.exit"; echo "$job.exit $status"; }; done'
    )


def read_counters(fleet: Fleet, hosts: Iterable[Host], keep: Callable[[str, bytes], None]) -> None:
    """Read what the network interfaces of each host have counted; `keep` gets each text at once.

    The first line has three times in epoch seconds, by which the host's clock can be checked: the
    host's, and when it was asked and had answered by the control host's.
    """

    def read(connection: Connection) -> None:
        asked_at_s = time.time()
        text = connection.run(_COUNTERS_COMMAND).stdout
        epoch, _, counters = text.partition("\n")
        times = f"{epoch} {asked_at_s:.6f} {time.time():.6f}"
        keep(connection.host.name, f"{times}\n{counters}".encode())

    fleet.for_each(hosts, read)


def _count(line: str, known: Collection[str]) -> tuple[str, str, int]:
    """Read name, file and number of a line of `cut_command`; ValueError if it is none."""
    file, number = line.rsplit(" ", 1)
    name = file.rsplit(".", 1)[0]
    if name not in known:
        raise ValueError(name)
    return name, file, int(number)


def dool_command(program: str) -> str:
    """Return the command that writes one CSV row a second: CPU, disk, network, system, memory.

    It is dool everywhere, uploaded with the jar: Debian's dstat, of which it is the continuation,
    crashes on ``--output``. Its ``--cpu`` would count interrupts, soft ones too, as user time.
    """
    selection = "--epoch --cpu-adv --disk --net --sys --mem --bytes --nocolor"
    return f"{program} {selection} --output dool.csv 1"


def ping_command(address: str, *, interval_s: float = 1.0, count: int | None = None) -> str:
    """Return the command that pings `address` with time stamps, `count` times or until stopped."""
    limit = f" -c {count}" if count else ""
    return f"env LC_ALL=C ping -D -n -i {interval_s:g}{limit} {shlex.quote(address)}"


def cpu_time_command(cpu_account: str | None) -> str:
    """Return the command that prints the CPU time that the host has used, once a second.

    Each line has the seconds since boot and then the first line of the control group's file
    `cpu_account`, or else of ``/proc/stat``. The first line of all gives the epoch at a time since
    boot. The shell reads by itself, as a program for each reading would cost more than it reads. An
    interrupt ends it at once, not when `sleep` is over.
    """
    source = shlex.quote(cpu_account) if cpu_account else "/proc/stat"
    script = (
        "trap 'kill $! 2> /dev/null; exit 0' INT TERM; read -r up _ < /proc/uptime; "
        'echo "epoch $(date +%s.%N) uptime $up ticks $(getconf CLK_TCK) cores $(nproc)"; '
        f"while read -r up _ < /proc/uptime && read -r words < {source}; "
        'do echo "$up $words"; sleep 1 & wait $!; done'
    )
    return f"sh -c {shlex.quote(script)}"
