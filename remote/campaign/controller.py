"""The one process that measures a campaign: it keeps others out and takes section after section."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import shutil
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import metadata
from pathlib import Path

from analysis.results.manifests import PARTIAL_SUFFIX
from records.files.atomic import make_folder, written_whole
from records.manifest import UnfinishedManifest
from records.manifest_entries import Control
from records.paths import PROJECT
from remote.campaign.attempts import Attempts, Session
from remote.campaign.lab import (
    DatabaseCpus,
    dilate,
    require_changeable,
    time_dilations,
    undilated,
)
from remote.campaign.opened_section import OpenedSection
from remote.campaign.planning.plan import Plan
from remote.campaign.record import RECORD, Record, topology_of
from remote.campaign.states import sole
from remote.campaign.view.live import Watch
from remote.campaign.view.progress import Progress
from remote.experiment.manifest import git_state
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.experiment.section_file import KEPT
from remote.experiment.sessions.links import LinksSession
from remote.experiment.sessions.load import LoadSession
from remote.experiment.sessions.network import NetworkSession
from remote.hosts.group import Fleet
from remote.hosts.inventory import Host, Inventory
from remote.hosts.lease import Leases
from remote.hosts.provision import OWN_FILES, Tools, provision
from remote.hosts.public import require_private
from remote.phases import Phases
from remote.processors import wake_up_bound_us
from remote.providers.fleets import inventory_path
from remote.providers.sole_control import sole_controller

OpenSession = Callable[[Fleet, Section, Mapping[str, Tools]], AbstractContextManager[Session]]


PACKAGES = ("middleware-lab", "paramiko", "pandas", "dool")  # told of in manifests
SESSIONS: Mapping[str, OpenSession] = {
    "load": lambda *what: LoadSession(*what, undilated=partial(undilated, what[0])),
    "network": NetworkSession,
}
"""What each kind of section needs up while its runs are measured."""


@dataclass(frozen=True, kw_only=True)
class Todo:
    """What is missing of a section when measuring begins, and with which k it is measured."""

    opened: OpenedSection
    links: Sequence[Run]
    plan: Plan
    time_dilation: float | None


@dataclass(frozen=True, kw_only=True)
class Controller:
    """Measures the runs of the campaign in `path`.

    Parameters
    ----------
    begun : what the campaign is, or is to be, begun with.
    progress : show it, and the running experiment.
    afresh : forget the attempts that were made before.
    allow_public : hosts may listen on addresses that the Internet routes.
    """

    path: Path
    begun: Record
    progress: bool = True
    afresh: bool = False
    allow_public: bool = False

    def measure(
        self,
        opened: Sequence[OpenedSection],
        own_files: Iterable[tuple[Path, Path]] = (),
        *,
        time_dilation: float | None = None,
        on_section: Callable[[str], None] | None = None,
    ) -> None:
        """Measure what is missing of sections, one section after the other.

        Parameters
        ----------
        own_files : files of the user's own, with the folder in which the campaign keeps each.
        time_dilation : k of all sections instead of what each says; the local lab only.
        on_section : called with each section when nothing of it is left to measure.

        Raises
        ------
        RemoteError, ConfigError
            As `remote.campaign.Campaign.measure`.
        """
        phases = Phases()
        inventory = Inventory.read(inventory_path(self.begun.fleet))
        sections = [one.section for one in opened]
        dilations = time_dilations(sections, inventory, time_dilation)
        used = dict.fromkeys(host for section in sections for host in _hosts(inventory, section))
        if not self.allow_public:
            require_private(used, inventory.path)
        require_changeable(sections, inventory)
        with self.alone(inventory, list(used)) as leases:
            fleet = leases.fleet
            self.begun.extend(self.path, inventory, sections, dilations)
            for file, folder in own_files:
                _keep(file, folder)
            todo = [
                Todo(
                    opened=one,
                    links=one.missing_links(retry=self.afresh),
                    plan=one.plan(inventory, retry=self.afresh, time_dilation=dilations[one.name]),
                    time_dilation=dilations[one.name],
                )
                for one in opened
            ]
            links = [run for one in todo for run in one.links]
            with (
                Progress([one.plan for one in todo], links, self.progress) as bar,
                Watch(fleet, bar.note, enabled=self.progress) as watch,
                DatabaseCpus(fleet) as cpus,
            ):

                def on_start(run: Run) -> None:
                    leases.require()
                    dilate(fleet, run.time_dilation)
                    cpus.give(run)
                    bar.started(run)
                    watch.begin(run)

                for one in todo:
                    self._measure_section(leases, one, bar, on_start, phases)
                    if on_section is not None:
                        bar.show(f"section {one.opened.section.name}: done")
                        on_section(one.opened.section.name)

    def _measure_section(
        self,
        leases: Leases,
        todo: Todo,
        bar: Progress,
        on_start: Callable[[Run], None],
        phases: Phases,
    ) -> None:
        fleet, section, k = leases.fleet, todo.opened.section, todo.time_dilation
        plan_again = partial(todo.opened.plan, retry=self.afresh, time_dilation=k)
        first = [todo.plan]

        def next_runs() -> Sequence[Run]:
            given_up = attempts.given_up
            plan = first.pop() if first else plan_again(fleet.inventory, given_up=given_up)
            bar.planned(plan)
            return plan.runs

        def new_manifest() -> UnfinishedManifest:
            return UnfinishedManifest(
                campaign=self.path.name,
                seed=self.begun.seed,
                fleet=fleet.inventory.fleet,
                git=git,
                control=control,
                topology=topology_of(fleet.inventory),
            )

        bar.show(f"section {section.name}: preparing hosts")
        hosts = _hosts(fleet.inventory, section)
        bring = partial(provision, fleet, hosts, captures=section.is_observed)
        tools = fleet.patiently(bring, on_silence=bar.waits)
        git = git_state(PROJECT)
        control = _control().model_copy(update={"wake_up_bound_us": wake_up_bound_us()})
        attempts = Attempts(
            fleet,
            hosts,
            new_manifest,
            phases,
            bar.settled,
            afresh=self.afresh,
            on_silence=bar.waits,
            require_hosts=partial(leases.require, now=True),
        )
        if todo.links:
            batches = [[replace(run, time_dilation=k or 1.0) for run in todo.links]]
            open_links = partial(LinksSession, fleet, todo.links[0].section, tools)
            attempts.measure(lambda: batches.pop() if batches else (), open_links, on_start)
        as_measured = replace(section, time_dilation=k)
        open_session = partial(SESSIONS[section.kind], fleet, as_measured, tools)
        attempts.measure(next_runs, open_session, on_start)

    @contextlib.contextmanager
    def alone(self, inventory: Inventory, hosts: Sequence[Host]) -> Iterator[Leases]:
        """Keep other controllers out; clear what an earlier one of this campaign left half written.

        Raises
        ------
        ConfigError, RemoteError
            Another process measures the campaign or on the fleet, or a host does not answer.
        """
        make_folder(self.path)
        purpose = f"campaign {self.path.name}"
        with sole(self.path), sole_controller(inventory, hosts, purpose) as leases:
            _clear_half_written(self.path)
            yield leases


def _clear_half_written(campaign_dir: Path) -> None:
    """Remove what a controller that was killed has left of a campaign's runs and files."""
    half = (f"*/*/rep-*{PARTIAL_SUFFIX}", f"{KEPT}/**/*{PARTIAL_SUFFIX}", f"{RECORD}.*")
    for pattern in (*half, "*/*/rep-*.running"):
        for leftover in campaign_dir.glob(pattern):
            if leftover.is_dir():
                shutil.rmtree(leftover)
            else:
                leftover.unlink()


def _keep(file: Path, folder: Path) -> None:
    """Copy a file into a folder, whole or not at all; harmless if it stands there."""
    kept = folder / file.name
    if not (kept.exists() and kept.samefile(file)):
        with written_whole(kept) as part:
            shutil.copyfile(file, part)


def _hosts(inventory: Inventory, section: Section) -> list[Host]:
    """Return the hosts of a section; ConfigError if there are fewer."""
    return [host for role, count in section.hosts.items() for host in inventory.take(role, count)]


@cache
def _control() -> Control:
    """Return name, system and versions, and the checksums of what is uploaded to hosts."""
    return Control(
        host=socket.gethostname(),
        system=platform.platform(),
        python=platform.python_version(),
        packages={name: metadata.version(name) for name in PACKAGES},
        sha256={
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in OWN_FILES
            if path.is_file()
        },
    )
