"""A made-up lab: runs whose results are drawn from a known truth, written as real ones are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from records.manifest import Manifest
from records.verdict import ACCEPTED, PILOT
from remote.campaign import Campaign
from remote.campaign.planning.plan import Plan
from remote.experiment.manifest import write_manifest
from remote.experiment.run import Run
from remote.experiment.section import Config, slug
from remote.experiment.storing import is_pilot
from tests.helpers.campaign import identity

BATCHES = 20  # that tell a run's own error
MOST_RUNS = 5000
SECTION = """
[hosts]
clients = 3
servers = 1
[precision]
{precision}
[factors]
workload = ["get"]
clients_per_thread = {clients}
"""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """A system: its means, and by how much runs differ.

    Parameters
    ----------
    between : relative standard deviation of what runs differ by however long they are.
    within : relative standard deviation of a second of the system.
    machine_ms : what the machine takes of a response time at k = 1.
    """

    throughput: float = 1000.0
    response_time_ms: float = 5.0
    between: float = 0.005
    within: float = 0.02
    machine_ms: float = 0.0


@dataclass
class MadeUpLab:
    """Measures runs in no time.

    Parameters
    ----------
    truth : of a configuration, and of the n-th run that tells its results, counted from 0.
    fails : whether a run is rejected or breaks off, and with which status; nothing if neither.

    Attributes
    ----------
    made : the runs in their order, and what became of them.
    """

    truth: Callable[[Config, int], Truth] = lambda config, number: Truth()
    fails: Callable[[Run], str] = lambda run: ""
    seed: int = 1
    made: list[tuple[Run, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self._told: Counter[str] = Counter()

    def measure(self, run: Run) -> str:
        """Make one attempt at a run, write it, and return its status."""
        attempt = 1 + max((one.attempt for one in run.attempts()), default=0)
        manifest = Manifest(
            **identity(run.folder.parents[2], run.section.name),
            config=dict(run.config),
            repetition=run.repetition,
            attempt=attempt,
            status=self.fails(run) or ACCEPTED,
            is_trial=run.is_trial,
            durations=vars(run.lengths),
            topology={"time_dilation": run.time_dilation},
        )
        if manifest.status == ACCEPTED:
            manifest = manifest.model_copy(update={"results": self._results(run)})
            if is_pilot(run, manifest):
                manifest = manifest.model_copy(update={"status": PILOT})
        status = manifest.status
        suffix = "" if status == ACCEPTED else f".{status}-{attempt}"
        folder = run.folder.with_name(run.folder.name + suffix)
        folder.mkdir(parents=True)
        write_manifest(folder, manifest)
        self.made.append((run, status))
        return status

    def _results(self, run: Run) -> dict[str, float]:
        cell = slug(run.config)
        truth = self.truth(run.config, self._told[cell])
        self._told[cell] += 1
        within = truth.within / (run.lengths.stable_s / run.time_dilation) ** 0.5
        response_time_ms = truth.response_time_ms + truth.machine_ms / run.time_dilation
        means = {
            "client_throughput_ops_per_s": truth.throughput,
            "client_response_time_ms": response_time_ms,
            "client_p99_ms": 3 * response_time_ms,
        }
        results = {}
        for name, mean in means.items():
            noise = self._rng.normal(0, (truth.between, within))
            told = within * (self._rng.chisquare(BATCHES - 1) / (BATCHES - 1)) ** 0.5
            results[name] = float(mean * (1 + noise.sum()))
            results[f"{name}_error"] = float(results[name] * told)
        return results


def write_section(
    folder: Path, precision: str, *, clients: Sequence[int] = (1, 2, 4), more: str = ""
) -> str:
    """Write a section file of gets by numbers of clients and return its path."""
    path = folder / "own.toml"
    path.write_text(more + SECTION.format(precision=precision, clients=list(clients)))
    return str(path)


def measure_all(
    campaign: Campaign, section: str, lab: MadeUpLab, *, runs: int = MOST_RUNS, **options: Any
) -> Plan:
    """Measure what is planned until nothing is, or for a number of runs; return the last plan."""
    left = runs
    while left and (plan := campaign.planned(section, **options)).runs:
        for run in plan.runs[:left]:
            lab.measure(run)
        left -= min(left, len(plan.runs))
    assert left or runs < MOST_RUNS, "measuring does not end"
    return campaign.planned(section, **options)


def labels(lab: MadeUpLab) -> list[str]:
    """Return what was measured: configuration, repetition, k and what became of it."""
    return [
        f"{slug(run.config)} {run.repetition} {run.time_dilation:g} {status}"
        for run, status in lab.made
    ]
