"""Read the kernel's counters of a host: CPU time every second, packets at start and end."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import parse_count, parse_finite, read_text

_HEADER_WORDS = ("epoch", "uptime", "ticks", "cores")
_IDLE = (4, 5)  # the words of /proc/stat's first line that are idle and waiting for the disk
_GUEST = 9  # and those from here on are counted twice by the kernel
_INTERFACE_COLUMNS = {
    "receive_bytes": 0,
    "receive_packets": 1,
    "receive_errors": 2,
    "receive_drops": 3,
    "send_bytes": 8,
    "send_packets": 9,
    "send_errors": 10,
    "send_drops": 11,
}
_INTERFACE_WORDS = 16


@dataclass(frozen=True, kw_only=True, eq=False)
class CpuTime:
    """CPU time of one host.

    Attributes
    ----------
    cores
        CPUs that the host may use.
    of_machine
        True if the CPU time is that of the whole machine, False if it is that of this host alone.
    seconds
        One row per reading: `epoch_s`, `cpu_s` (total so far).
    """

    cores: int
    of_machine: bool
    seconds: pd.DataFrame

    def used_s(self, start_epoch_s: float, end_epoch_s: float) -> tuple[float, float]:
        """CPU seconds used between two times, and the time between the readings next to them."""
        inside = self.seconds[self.seconds["epoch_s"].between(start_epoch_s, end_epoch_s)]
        if len(inside) < 2:
            raise ValueError(f"no two readings of the CPU time from {start_epoch_s} s on")
        span = inside.iloc[-1] - inside.iloc[0]
        return float(span["cpu_s"]), float(span["epoch_s"])


def read_cpu_time(path: Path | str) -> CpuTime:
    """Read the CPU time of a host.

    The first line is the header. All others are readings of the same kind: of a control group's
    ``cpuacct.usage`` (ns), of its ``cpu.stat``, or of the kernel's ``/proc/stat``::

        epoch 1795228658.453215000 uptime 5120.11 ticks 100 cores 2
        5120.11 5832047182
        5121.12 usage_usec 5832047
        5122.12 cpu 9120 0 1340 70211 12 0 4 0 0 0
    """
    path = Path(path)
    lines = read_text(path).split("\n")[:-1]  # a line without its end may be cut
    header = lines[0].split() if lines else []
    if tuple(header[::2]) != _HEADER_WORDS:
        raise ParseError(path, 1, "does not begin with epoch, uptime, ticks, cores")
    try:
        epoch_s, uptime_s, ticks, cores = map(parse_finite, header[1::2])
    except ValueError as exc:
        raise ParseError(path, 1, f"four numbers are expected: {lines[0]!r}") from exc
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        words = line.split()
        try:
            rows.append((epoch_s + parse_finite(words[0]) - uptime_s, _cpu_s(words[1:], ticks)))
        except (ValueError, IndexError) as exc:
            if number == len(lines):  # the reading that was going on when the monitor was ended
                break
            raise ParseError(path, number, f"no reading of CPU time: {line[:60]!r}") from exc
    seconds = pd.DataFrame(rows, columns=["epoch_s", "cpu_s"])
    of_machine = len(lines) > 1 and lines[1].split()[1:2] == ["cpu"]
    return CpuTime(cores=int(cores), of_machine=of_machine, seconds=seconds)


def _cpu_s(words: list[str], ticks_per_s: float) -> float:
    if len(words) == 1:
        return parse_count(words[0]) / 1e9
    if words[0] == "usage_usec":
        return parse_count(words[1]) / 1e6
    if words[0] != "cpu":
        raise ValueError(words[0])
    busy = [parse_count(w) for i, w in enumerate(words) if i and i < _GUEST and i not in _IDLE]
    return sum(busy) / ticks_per_s


def read_interfaces(path: Path | str) -> pd.DataFrame:
    """Read the counters of a host's network interfaces at one time.

    The first line has the time at which the host read the counters, by its own clock. Where they
    were recorded, the times follow at which the control host sent its request and received the
    answer, by the control host's clock::

        1795228658.453215000 1795228658.448113 1795228658.461702
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs ...
            lo:       0       0    0    0    0     0          0         0        0       0    0 ...
          eth0:  104214    1021    0    0    0     0          0         0    98211     870    0 ...

    Index `interface`; `epoch_s`, and `receive_` and `send_` `bytes`, `packets`, `errors`, `drops`,
    counted since the interface was created.
    """
    path = Path(path)
    lines = read_text(path).splitlines()
    rows = {}
    try:
        epoch_s = parse_finite(lines[0].split()[0])
        if sum("|" in line for line in lines[1:3]) < 2:
            raise ValueError("the two lines of titles are missing")
        for line in lines[3:]:
            name, _, counters = line.partition(":")
            numbers = [parse_count(word) for word in counters.split()]
            if len(numbers) != _INTERFACE_WORDS:
                raise ValueError(f"{len(numbers)} counters of {name.strip()}")
            rows[name.strip()] = {
                "epoch_s": epoch_s,
                **{column: numbers[at] for column, at in _INTERFACE_COLUMNS.items()},
            }
    except (ValueError, IndexError) as exc:
        raise ParseError(path, None, f"no counters of network interfaces: {exc}") from exc
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("interface")


def read_counter_times(path: Path | str) -> tuple[float, float, float] | None:
    """Read the times at which the counters of `read_interfaces` were read.

    The times are in epoch seconds: the host's reading by its own clock, then the control host's
    request and the arrival of the answer by the control host's clock. None where only the first was
    recorded.
    """
    path = Path(path)
    lines = read_text(path).splitlines()
    try:
        times = [parse_finite(word) for word in lines[0].split()] if lines else []
    except ValueError as exc:
        raise ParseError(path, 1, f"times are expected: {lines[0][:80]!r}") from exc
    if len(times) not in (1, 3):
        raise ParseError(path, 1, f"one time or three are expected, there are {len(times)}")
    return (times[0], times[1], times[2]) if len(times) == 3 else None
