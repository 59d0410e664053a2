"""One run: one configuration, one repetition; its place on disk and how it comes to be there."""

from __future__ import annotations

import re
import resource
import shutil
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from analysis.results.manifests import PARTIAL_SUFFIX, is_packed, run_names
from records.files.atomic import make_folder, sync_to_disk
from records.manifest import Manifest, UnfinishedManifest
from records.manifest_entries import ClockReading, Controller
from records.verdict import ACCEPTED, FAILED, PILOT, REJECTED
from remote.experiment.checks import evaluate
from remote.experiment.checks.duration import is_long_enough
from remote.experiment.checks.latency import machine_share
from remote.experiment.checks.links import silent_hosts
from remote.experiment.lengths import Lengths
from remote.experiment.manifest import read_manifest, utc, write_files, write_manifest
from remote.experiment.section import Config, Section, slug
from remote.hosts.clocks import read_clocks
from remote.hosts.group import Fleet
from remote.hosts.host import Host
from remote.hosts.ssh.received import Received
from remote.phases import Phases

START, END = "start", "end"  # when clocks are read


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is to be measured: a configuration of a section and the number of its repetition.

    Parameters
    ----------
    time_dilation : k that it is measured with.
    planned : how long it lasts; None for as long as the section says at this time dilation.
    is_trial : it is made to choose the time dilation and counts as no repetition.
    may_be_short : it counts although it lasts for fewer response times than a run should.
    """

    section: Section
    config: Config
    repetition: int
    campaign_dir: Path
    time_dilation: float = 1.0
    planned: Lengths | None = None
    is_trial: bool = False
    may_be_short: bool = False

    @property
    def lengths(self) -> Lengths:
        """How long it lasts, in seconds of the clock."""
        is_dilated = self.section.kind == "load"  # networks are measured for seconds of the clock
        k = self.time_dilation if is_dilated else 1.0
        return self.planned or self.section.fixed.of_clock(k)

    @cached_property
    def folder(self) -> Path:
        """Where the accepted run stands."""
        return self.campaign_dir / self.section.name / slug(self.config) / f"rep-{self.repetition}"

    @property
    def partial(self) -> Path:
        """Where the run is written until it is complete."""
        return self.folder.with_name(self.folder.name + PARTIAL_SUFFIX)

    @property
    def label(self) -> str:
        """Short text for progress lines and messages."""
        return run_label(self.section.name, self.config, self.repetition)

    def is_done(self) -> bool:
        """Tell whether an accepted run stands on disk; ConfigError if its manifest is damaged."""
        is_there = self.folder.is_dir() or is_packed(self.folder)
        return is_there and read_manifest(self.folder).status == ACCEPTED

    def attempts(self) -> list[Manifest]:
        """Return the manifests of the attempts that do not count so far, the earliest first."""
        attempt = re.compile(rf"{re.escape(self.folder.name)}\..*-[0-9].*")
        folder = self.folder.parent
        names = run_names(folder.parent, folder.name)
        found = [read_manifest(folder / name) for name in names if attempt.fullmatch(name)]
        return sorted(found, key=lambda manifest: manifest.attempt)


def run_label(section: str, config: Config, repetition: int) -> str:
    """Return how messages name a run."""
    return f"{section} {slug(config)} rep {repetition}"


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
