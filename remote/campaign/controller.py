"""The one process that measures a campaign: it keeps others out and takes section after section."""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from analysis.tables.tidying import PARTIAL_SUFFIX
from analysis.whole_files import written_whole
from remote.campaign.control_facts import control_facts
from remote.campaign.dilation import dilate, is_local_lab, time_dilations
from remote.campaign.measuring import Attempts, Session
from remote.campaign.record import Record, conditions_of, topology_of
from remote.campaign.states import LOCK, exclusive
from remote.campaign.view.live_view import Watch
from remote.campaign.view.progress import Progress
from remote.errors import RemoteError
from remote.experiment.manifest import git_state
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.experiment.sessions.link_session import LinksSession
from remote.experiment.sessions.load import LoadSession
from remote.experiment.sessions.network import NetworkSession
from remote.hosts.group import Fleet
from remote.hosts.inventory import Host, Inventory
from remote.hosts.jobs import clear_jobs
from remote.hosts.provision import ROOT, Tools, provision
from remote.phases import Phases
from remote.providers.fleets import inventory_path

OpenSession = Callable[[Fleet, Section, Mapping[str, Tools]], AbstractContextManager[Session]]
SESSIONS: Mapping[str, OpenSession] = {
    "load": LoadSession,
    "network": NetworkSession,
    "links": LinksSession,
}
"""What each kind of section needs up while its runs are measured."""

KEPT = "sections"  # folder of a campaign with the section files of the user's own
Missing = Sequence[tuple[Section, Sequence[Run]]]


@dataclass(frozen=True, kw_only=True)
class Controller:
    """Measures the runs of the campaign in `path`.

    Parameters
    ----------
    begun : what the campaign is, or is to be, begun with.
    own_files : section files that are not shipped; the campaign keeps them as they are measured.
    progress : show it, and the running experiment.
    afresh : forget the attempts that were made before.
    """

    path: Path
    begun: Record
    own_files: Sequence[Path] = ()
    progress: bool = True
    afresh: bool = False

    def measure(self, missing: Missing, *, time_dilation: float | None = None) -> None:
        """Measure the missing runs of sections, in the order that they have.

        Parameters
        ----------
        time_dilation : k for all sections instead of what each says; the local lab only.

        Raises
        ------
        RemoteError, ConfigError
            A host is gone or the campaign cannot start; what is done stays done.
        """
        phases = Phases()
        inventory = Inventory.read(inventory_path(self.begun.fleet))
        sections = [section for section, _ in missing]
        dilations = time_dilations(sections, inventory, time_dilation)
        with self.alone(inventory), Fleet(inventory) as fleet:
            self.extend_record(inventory, sections, dilations)
            _end_leftovers(fleet, sections)
            planned = [run for _, runs in missing for run in runs]
            with (
                Progress(planned, self.progress) as bar,
                Watch(fleet, bar.note, enabled=self.progress) as watch,
            ):
                for section, runs in missing:
                    dilate(fleet, dilations[section.name])
                    self._measure_section(fleet, section, runs, bar, watch, phases)

    def _measure_section(
        self,
        fleet: Fleet,
        section: Section,
        runs: Sequence[Run],
        bar: Progress,
        watch: Watch,
        phases: Phases,
    ) -> None:
        def on_start(run: Run) -> None:
            bar.started(run)
            watch.begin(run)

        bar.show(f"section {section.name}: preparing hosts")
        hosts = _hosts(fleet, section)
        tools = provision(fleet, hosts)
        identity = self._identity(fleet.inventory)
        attempts = Attempts(fleet, hosts, identity, phases, bar.settled, afresh=self.afresh)
        for kind, of_kind in itertools.groupby(runs, key=lambda run: run.section.kind):
            of_this = list(of_kind)
            open_session = partial(SESSIONS[kind], fleet, of_this[0].section, tools)
            attempts.measure(of_this, open_session, on_start)

    def _identity(self, inventory: Inventory) -> dict[str, object]:
        return {
            "campaign": self.path.name,
            "seed": self.begun.seed,
            "fleet": inventory.fleet,
            "topology": topology_of(inventory),
            "git": git_state(ROOT),
            "control": control_facts(),
        }

    def extend_record(
        self,
        inventory: Inventory,
        sections: Sequence[Section],
        dilations: Mapping[str, float],
    ) -> None:
        """Add to the campaign's record the conditions under which `sections` are measured.

        Raises
        ------
        ConfigError
            They are not what the campaign was begun with.
        """
        conditions = conditions_of(inventory, sections, dilations)
        known = Record.read(self.path) or self.begun
        known.extended(self.path, conditions).write(self.path)
        for file in self.own_files:
            kept = self.path / KEPT / file.name
            kept.parent.mkdir(exist_ok=True)
            if not (kept.exists() and kept.samefile(file)):
                with written_whole(kept) as part:
                    shutil.copyfile(file, part)

    @contextlib.contextmanager
    def alone(self, inventory: Inventory) -> Iterator[None]:
        """Keep other controllers out; clear what an earlier one of this campaign left half written.

        A fleet has one controller: two would end each other's jobs and measure each other's load.

        Raises
        ------
        ConfigError
            Another process measures the campaign, or on the fleet.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        lock = self.path / LOCK
        lock.touch()
        with (
            exclusive(lock, "measures this campaign"),
            exclusive(_fleet_lock(inventory), "measures on this fleet"),
        ):
            for leftover in self.path.glob(f"*/*/*{PARTIAL_SUFFIX}"):
                shutil.rmtree(leftover)
            for mark in self.path.glob("*/*/*.running"):
                mark.unlink()
            yield


def _fleet_lock(inventory: Inventory) -> Path:
    """Return what stands for the fleet: the lab's folder, as its inventory is written anew."""
    return inventory.path.parent if is_local_lab(inventory) else inventory.path


def _hosts(fleet: Fleet, section: Section) -> list[Host]:
    return [
        host for role, count in section.hosts.items() for host in fleet.inventory.take(role, count)
    ]


def _end_leftovers(fleet: Fleet, sections: Sequence[Section]) -> None:
    """End what an earlier control process left running on any host of the fleet that answers."""
    needed = {host for section in sections for host in _hosts(fleet, section)}
    fleet.for_each(needed, clear_jobs)
    with contextlib.suppress(RemoteError):
        fleet.for_each(set(fleet.inventory.hosts) - needed, clear_jobs)
