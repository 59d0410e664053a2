"""What runs beside an experiment: system load, CPU time, network round-trip times."""

from __future__ import annotations

import shlex

_INTERRUPTED = 130


def is_monitor(job: str) -> bool:
    """Tell whether a job of this name runs beside an experiment, until it is interrupted."""
    return job in ("dool", "cpu-time") or job.startswith("ping-")


def ended_well(job: str, exit_status: int) -> bool:
    """Tell whether a job's exit status is as it should be: monitors may tell of our interrupt."""
    return exit_status == 0 or (is_monitor(job) and exit_status == _INTERRUPTED)


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


def counters_command() -> str:
    """Return the command that prints the counters of all network interfaces of the host."""
    return "date +%s.%N && cat /proc/net/dev"
