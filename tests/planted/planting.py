"""Truths planted in the local lab, and what a campaign that does not know of them finds."""

import re
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from analysis.statistics.precision.stopping import Standing
from analysis.units import BITS_PER_MBIT
from remote.campaign import Campaign
from remote.campaign.planning.standing import Verdict
from remote.providers.local_lab import LocalLab, Topology
from remote.providers.local_lab.links.wiring import HOST_DEVICE, namespace_of
from remote.providers.local_lab.topology import LabHost

_POLL_S = 0.05


def azure(share: float = 1.0) -> Topology:
    """The studies' topology, its servers' links at a share of their rate."""
    data = Topology.named("azure").to_dict()
    data["servers"]["egress"]["rate_mbit_per_s"] *= share
    return Topology.from_dict(data)


def measured(text: str, folder: Path, topology: Topology) -> Campaign:
    """Measure a section on a lab of its own until it is known or its budget is spent."""
    folder.mkdir(exist_ok=True)
    path = folder / "own.toml"
    path.write_text(text)
    with LocalLab(topology):
        campaign = Campaign.open("planted", data_dir=folder)
        assert campaign.measure(str(path), progress=False) == []
    return campaign


def goals(campaign: Campaign) -> dict[str, Standing]:
    """How the only configuration stands, by what was asked for."""
    (one,) = campaign.planned("own").standings
    assert one.verdict == Verdict.KNOWN
    return dict(one.goals)


@contextmanager
def planted_pauses(
    program: str, pause_s: float, every_s: float
) -> Iterator[list[tuple[float, float]]]:
    """Stop a program again and again, and tell from when until when, in epoch seconds.

    Parameters
    ----------
    program : pattern of its command line, such as `memcached_of` or `middleware_of` gives.
    """
    stopped_s: list[tuple[float, float]] = []

    def pause() -> None:
        due_s = time.monotonic() + every_s
        if subprocess.run(["pkill", "-STOP", "-f", program]).returncode == 0:
            began_s = time.time()
            time.sleep(pause_s)
            subprocess.run(["pkill", "-CONT", "-f", program])
            stopped_s.append((began_s, time.time()))
        time.sleep(max(0.0, due_s - time.monotonic()))

    with _meanwhile(pause):
        yield stopped_s


def memcached_of(topology: Topology, host: str) -> str:
    """Return the pattern of the command line of a server's memcached."""
    return f"^memcached -l {re.escape(_named(topology, host).address)} "


def middleware_of(topology: Topology, host: str) -> str:
    """Return the pattern of the command line of our middleware on a host."""
    return f"^[^ ]*java .* -l {re.escape(_named(topology, host).address)} "


@contextmanager
def planted_rate(
    topology: Topology, host: str, mbit_per_s: float, repetitions: Collection[int], folder: Path
) -> Iterator[None]:
    """Give the link of a host another rate, undilated, in some repetitions of a campaign."""
    changed = _named(topology, host)
    usual = changed.egress
    assert usual is not None
    seen: set[Path] = set()

    def shape() -> None:
        marks: set[Path] = set()
        with suppress(FileNotFoundError):  # a run's folder is renamed when it is whole
            marks.update(folder.rglob("rep-*.running"))
        for mark in marks - seen:
            seen.add(mark)
            number = int(mark.stem.removeprefix("rep-"))
            rate = mbit_per_s if number in repetitions else usual.rate_mbit_per_s
            rate_bit_per_s = round(rate * BITS_PER_MBIT / topology.time_dilation)
            bucket = f"burst {usual.burst_kib}kb limit {usual.queue_kib}kb"
            device = f"-n {namespace_of(changed)} qdisc replace dev {HOST_DEVICE} root"
            subprocess.run(f"tc {device} tbf rate {rate_bit_per_s}bit {bucket}".split(), check=True)
        time.sleep(_POLL_S)

    with _meanwhile(shape):
        yield


def _named(topology: Topology, host: str) -> LabHost:
    (found,) = [one for one in topology.hosts if one.name == host]
    return found


@contextmanager
def _meanwhile(step: Callable[[], None]) -> Iterator[None]:
    """Repeat a step in a thread of its own while the block runs."""
    ended = threading.Event()

    def run() -> None:
        while not ended.is_set():
            step()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
