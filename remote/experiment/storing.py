"""What a run has yielded, and how it comes to disk: written, checked and renamed."""

from __future__ import annotations

import resource
import shutil
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from records.files.atomic import make_folder, sync_to_disk
from records.manifest import Manifest, UnfinishedManifest
from records.manifest_entries import ClockReading, Controller
from records.verdict import ACCEPTED, FAILED, PILOT, REJECTED
from remote.experiment.checks.duration import is_long_enough
from remote.experiment.checks.latency import machine_share
from remote.experiment.checks.links import silent_hosts
from remote.experiment.checks.run import evaluate
from remote.experiment.manifest import utc, write_files, write_manifest
from remote.experiment.run import Run
from remote.hosts.clocks import read_clocks
from remote.hosts.group import Fleet
from remote.hosts.host import Host
from remote.hosts.ssh.received import Received
from remote.phases import Phases

START, END = "start", "end"  # when clocks are read


@dataclass(kw_only=True)
class Collected:
    """What a run has yielded so far; filled step by step so that a failure keeps the rest.

    Attributes
    ----------
    manifest : has the entries that are known so far.
    files : by relative path, uncompressed.
    phases : the clock of the run's phases.
    cpu_began_s : CPU time that this process had used when the run began.
    when_stored : removes from the hosts what is on this machine's disk by then.
    """

    manifest: UnfinishedManifest
    files: Received = field(default_factory=Received)
    phases: Phases = field(default_factory=Phases)
    when_stored: Callable[[], object] = field(default=lambda: None)
    cpu_began_s: float = field(default_factory=time.process_time)

    def note_clocks(self, fleet: Fleet, hosts: Sequence[Host], when: str) -> None:
        """Read the clocks of `hosts` and keep them under ``clocks``, by host and by `when`."""
        clocks = dict(self.manifest.clocks)

        def keep(name: str, reading: ClockReading) -> None:
            clocks[name] = {**clocks.get(name, {}), when: reading.rounded()}

        try:
            read_clocks(fleet, hosts, keep)
        finally:
            self.manifest.clocks = clocks

    def used(self) -> Controller:
        """Return what the run has taken of this process so far, and its largest memory ever."""
        peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return Controller(
            cpu_s=round(time.process_time() - self.cpu_began_s, 3),
            peak_memory_mib=round(peak_kib / 1024, 1),
        )


def is_pilot(run: Run, manifest: Manifest) -> bool:
    """Tell whether a run that its checks accept counts as no repetition."""
    if run.is_trial or run.section.precision is None or run.may_be_short:
        return run.is_trial
    return not is_long_enough(manifest)


def store(
    run: Run, collected: Collected, error: str = "", unreachable: Collection[str] = ()
) -> Path:
    """Write a run to disk under a temporary name, check it, and rename it: whole or not at all.

    An accepted run becomes ``rep-<n>``; a pilot (a trial, or too short for its own response times),
    a rejected one (a check did not pass) and a failed one (`error` says why it broke off)
    ``rep-<n>.<status>-<attempt>``. `unreachable` names the hosts that were gone meanwhile; where a
    run is rejected, those whose pings show it are added.
    """
    collected.phases.enter("storing")
    manifest = collected.manifest
    _describe(run, manifest)
    shutil.rmtree(run.partial, ignore_errors=True)
    make_folder(run.partial)
    manifest.finished_at = utc(time.time())
    manifest.files = write_files(run.partial, collected.files)
    manifest.error = error
    manifest.unreachable = sorted(unreachable)
    collected.phases.enter("checking")
    if not error:
        manifest = _judged(run, manifest)
    manifest.controller = collected.used()
    manifest.phases_s = collected.phases.take()
    write_manifest(run.partial, manifest)
    target = run.folder
    if manifest.status != ACCEPTED:
        target = run.folder.with_name(f"{run.folder.name}.{manifest.status}-{manifest.attempt}")
    renamed = run.partial.rename(target)
    sync_to_disk([target.parent], target.parent)
    return renamed


def _describe(run: Run, manifest: UnfinishedManifest) -> None:
    """Set what the manifest records of the run itself, which has failed so far."""
    manifest.status = FAILED
    manifest.attempt = max((known.attempt for known in run.attempts()), default=0) + 1
    manifest.section = run.section.name
    manifest.title = run.section.title
    manifest.profile = run.section.profile
    manifest.repetition = run.repetition
    manifest.config = dict(run.config)
    manifest.is_trial = run.is_trial
    manifest.plan = asdict(run.section)


def _judged(run: Run, manifest: UnfinishedManifest) -> UnfinishedManifest:
    """Return the manifest of the run in ``run.partial`` with what its checks say."""
    judged = manifest.judged(evaluate(run.partial, manifest))
    judged.unreachable = []
    if judged.results:
        judged.machine_share = machine_share(judged, judged.results)
    if judged.status == REJECTED:
        silent = silent_hosts(run.partial, judged)
        judged.unreachable = sorted({*silent, *manifest.unreachable})
    elif is_pilot(run, judged):
        judged.status = PILOT
    return judged
