"""Runs on as many hosts as are asked for, measured by a process of its own, and what they took."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from records.manifest import Manifest
from records.paths import PROJECT
from remote.campaign import Campaign
from remote.experiment.manifest import read_manifest
from remote.providers.local_lab import LocalLab, Topology

ROLES = ("clients", "middlewares", "servers")
COUNTS = {8: (3, 2, 3), 30: (18, 3, 9), 100: (60, 10, 30)}
CAMPAIGN = "many"
# Few and small requests: the controller is looked at, on a machine that has all of it to do.
# Seventy JVMs begin to compile before the window, which takes a slow one some seconds.
SECTION = """
title = "Many hosts"
[hosts]
clients = {clients}
middlewares = {middlewares}
servers = {servers}
[generator]
clients_per_thread = 4
think_time_s = 0.8
value_bytes = 128
key_count = 100
[middleware]
workers = 8
[factors]
workload = ["get"]
[profiles.quick]
repetitions = {repetitions}
warm_up_s = 8
stable_s = 3
cool_down_s = 1
"""


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What a run took of time, in s, and of the controller.

    Attributes
    ----------
    starting_s : from the first program of the run to its first request.
    waiting_s : from the last host's being ready to the first request.
    cpu_s, peak_memory_mib : of the controller; the memory is its largest until then.
    """

    hosts: int
    starting_s: float
    waiting_s: float
    fetching_s: float
    cpu_s: float
    peak_memory_mib: float

    @classmethod
    def of(cls, manifest: Manifest) -> "Taken":
        """Read it from a run's manifest."""
        return cls(
            hosts=len(manifest.hosts),
            starting_s=manifest.phases_s["starting"],
            waiting_s=manifest.start_at_epoch_s - manifest.start.ready_epoch_s,
            fetching_s=manifest.phases_s["fetching"],
            **dict(manifest.controller),
        )


def topology(hosts: int) -> Topology:
    """Return the first hosts of `hundred`."""
    plan = Topology.named("hundred").to_dict()
    for role, count in zip(ROLES, COUNTS[hosts], strict=True):
        plan[role]["hosts"] = dict(islice(plan[role]["hosts"].items(), count))
    return Topology.from_dict(plan)


@contextmanager
def find_lab(hosts: int) -> Iterator[float]:
    """Have a lab of so many hosts up, and tell how many seconds that took."""
    lab = LocalLab(topology(hosts))
    begun_s = time.monotonic()
    with lab:
        yield time.monotonic() - begun_s


def measured(hosts: int, folder: Path, *, repetitions: int) -> list[dict[str, Any]]:
    """Measure so many runs on the lab that is up, and return their manifests in order.

    Parameters
    ----------
    folder : of nothing else.
    """
    counts = dict(zip(ROLES, COUNTS[hosts], strict=True))
    section = folder / "many.toml"
    section.write_text(SECTION.format(**counts, repetitions=repetitions))
    command = [sys.executable, "-m", "tests.helpers.many_hosts", str(section)]
    subprocess.run(command, cwd=PROJECT, check=True)
    runs = sorted((folder / CAMPAIGN / section.stem).glob("workload=get/rep-[0-9]"))
    assert len(runs) == repetitions
    return [read_manifest(run) for run in runs]


if __name__ == "__main__":
    path = Path(sys.argv[1])
    campaign = Campaign.open(CAMPAIGN, profile="quick", data_dir=path.parent)
    sys.exit(len(campaign.measure(str(path), progress=False)))
