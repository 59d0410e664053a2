"""How this machine can delay packets, and the process that does it where the kernel cannot."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from records.paths import PROJECT
from remote.errors import LabError
from remote.processors import pinned_command
from remote.programs import run
from remote.providers.local_lab.cgroups import enter_command
from remote.providers.local_lab.links.wiring import CONTROL_PORT, SWITCH_NAMESPACE, Delay, port_of
from remote.providers.local_lab.rootless.holder import inside, unshare_command
from remote.providers.local_lab.topology import Topology

SOURCES = Path(__file__).with_name("delay")
PROGRAM = PROJECT / "build" / "delay-line"
COMPILER_FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror")
LIBRARIES = ("-lm",)

# Frames go in batches, each at most half of this off its time: waking a process is what costs.
_COALESCE_NS = 200_000
_NS_PER_MS = 1e6
_NS_PER_US = 1e3

# `struct shared` in delay/delay_line.c: counters, then settings.
_COUNTERS = struct.Struct("=5Q")
_COALESCE = struct.Struct("=Q")
_PORT = struct.Struct("=3Qd")


@dataclass(frozen=True, kw_only=True)
class LineCounters:
    """Frames that the delay line has received, sent, lost and refused, and its process's wake-ups.

    A frame is lost that comes while 1024 wait at the same port, and refused if it is too long or a
    device does not take it. TCP hands over up to 7 KiB as one frame.
    """

    frames: int
    sent: int
    lost: int
    refused: int
    wakeups: int


def choose(topology: Topology) -> Delay:
    """Choose what delays packets: netem if the kernel has it and it suffices, or the delay line."""
    if topology.rtt_ms == 0:
        return Delay.NONE
    if topology.has_processors:
        return Delay.LINE
    return Delay.NETEM if _kernel_has_netem() else Delay.LINE


def build_line() -> Path:
    """Compile the delay line unless that has been done, and return its path."""
    sources = sorted(SOURCES.glob("*.[ch]"))
    newest = max(path.stat().st_mtime for path in sources)
    if PROGRAM.exists() and PROGRAM.stat().st_mtime > newest:
        return PROGRAM
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise LabError(
            "this kernel has no netem, and there is no C compiler to build what delays packets "
            "in its place",
            "On Debian: apt-get install -y gcc libc6-dev. Or use a topology with rtt_ms = 0, such "
            "as `lab up --topology unshaped`",
        )
    PROGRAM.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PROGRAM.parent) as folder:
        built = Path(folder) / PROGRAM.name
        files = [str(path) for path in sources if path.suffix == ".c"]
        run(
            [compiler, *COMPILER_FLAGS, "-o", str(built), *files, *LIBRARIES],
            remedy="On Debian: apt-get install -y gcc libc6-dev linux-libc-dev",
        )
        built.replace(PROGRAM)
    return PROGRAM


def start_line(
    topology: Topology,
    shared: Path,
    pid_file: Path,
    groups: Sequence[Path],
    processors: Sequence[int],
) -> None:
    """Start the delay line in the switch's namespace and return when frames pass.

    Parameters
    ----------
    shared : file for its settings and counters.
    pid_file : where it notes its process.
    groups : `cgroup.procs` files of the control groups that it enters.
    """
    shared.write_bytes(bytes(_COUNTERS.size) + settings(topology))
    ports = [port_of(host) for host in topology.hosts]
    line = [str(build_line()), str(shared), str(pid_file), CONTROL_PORT, *ports]
    started = ["ip", "netns", "exec", SWITCH_NAMESPACE, *line]
    command = enter_command(groups, pinned_command(processors, started))
    run(inside(command, stays=True))


def settings(topology: Topology) -> bytes:
    """Give the settings as the delay line reads them: of batches, then of the port of each host."""
    delays_ns = [round(topology.delay_ms(host) * _NS_PER_MS) for host in topology.hosts]
    coalesce_ns = round(min(_COALESCE_NS * topology.time_dilation, min(delays_ns) / 2))
    ports = [_PORT.pack(0, 0, 0, 0.0)]  # of the control host
    for host, delay_ns in zip(topology.hosts, delays_ns, strict=True):
        times_ns, exponent = [0, 0], 0.0
        if host.processor is not None:
            per_us = _NS_PER_US * topology.time_dilation
            of_each = (host.processor.reply_us, host.processor.forward_us or 0)
            times_ns = [round(per_us * us) for us in of_each]
            exponent = host.processor.exponent or 0.0
        ports.append(_PORT.pack(delay_ns, *times_ns, exponent))
    return _COALESCE.pack(coalesce_ns) + b"".join(ports)


def change_line(topology: Topology, shared: Path) -> None:
    """Give the running delay line other delays; frames under way follow the new ones."""
    with shared.open("r+b") as stream:
        stream.seek(_COUNTERS.size)
        stream.write(settings(topology))


def read_counters(shared: Path) -> LineCounters:
    """Read what the delay line has counted."""
    values = _COUNTERS.unpack_from(shared.read_bytes())
    names = ("frames", "sent", "lost", "refused", "wakeups")
    return LineCounters(**dict(zip(names, values, strict=True)))


def _kernel_has_netem() -> bool:
    """Try it in a network namespace that ends with the try; `tc` loads the module if there is."""
    attempt = "tc qdisc add dev lo root netem delay 1ms"
    result = subprocess.run(
        [*unshare_command("--net"), *attempt.split()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return result.returncode == 0
