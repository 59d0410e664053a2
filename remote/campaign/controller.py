"""The one process that measures a campaign: it keeps others out and takes section after section."""

from __future__ import annotations

import contextlib
import shutil
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from analysis.tables.manifests import PARTIAL_SUFFIX
from analysis.whole_files import make_folder, written_whole
from remote.campaign.control_facts import control_facts
from remote.campaign.database_cpus import DatabaseCpus, require_changeable
from remote.campaign.dilation import dilate, time_dilations, undilated
from remote.campaign.measuring import Attempts, Session
from remote.campaign.planning.plan import Plan
from remote.campaign.record import RECORD, Record, conditions_of, topology_of
from remote.campaign.states import sole
from remote.campaign.view.live_view import Watch
from remote.campaign.view.progress import Progress
from remote.experiment.manifest import git_state
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.experiment.section_file import KEPT
from remote.experiment.sessions.link_session import LinksSession
from remote.experiment.sessions.load import LoadSession
from remote.experiment.sessions.network import NetworkSession
from remote.hosts.group import Fleet
from remote.hosts.inventory import Host, Inventory
from remote.hosts.lease import Leases
from remote.hosts.provision import ROOT, Tools, provision
from remote.hosts.public import require_private
from remote.phases import Phases
from remote.processors import wake_up_bound_us
from remote.providers.fleets import inventory_path
from remote.providers.sole_control import sole_controller
from remote.services.middleware_file import kept_folder, read_middleware_file

OpenSession = Callable[[Fleet, Section, Mapping[str, Tools]], AbstractContextManager[Session]]


def _load_session(fleet: Fleet, section: Section, tools: Mapping[str, Tools]) -> LoadSession:
    return LoadSession(fleet, section, tools, undilated=partial(undilated, fleet))


SESSIONS: Mapping[str, OpenSession] = {
    "load": _load_session,
    "network": NetworkSession,
}
"""What each kind of section needs up while its runs are measured."""


class Planner(Protocol):
    """Plans what is measured next of a section."""

    def __call__(self, *, time_dilation: float | None, given_up: Collection[str]) -> Plan:
        """See `remote.campaign.Campaign.planned`."""


@dataclass(frozen=True, kw_only=True)
class Todo:
    """A section of which runs are missing.

    Parameters
    ----------
    links : the measurements of its links that are missing.
    plan : plans what is measured next from what is on disk.
    """

    section: Section
    links: Sequence[Run]
    plan: Planner


@dataclass(frozen=True, kw_only=True)
class Controller:
    """Measures the runs of the campaign in `path`.

    Parameters
    ----------
    begun : what the campaign is, or is to be, begun with.
    own_files : section files that are not shipped; the campaign keeps them as they are measured.
    own_middlewares : the same of middlewares, with the files that they name.
    progress : show it, and the running experiment.
    afresh : forget the attempts that were made before.
    allow_public : hosts may listen on addresses that the Internet routes.
    """

    path: Path
    begun: Record
    own_files: Sequence[Path] = ()
    own_middlewares: Sequence[Path] = ()
    progress: bool = True
    afresh: bool = False
    allow_public: bool = False

    def measure(self, todo: Sequence[Todo], *, time_dilation: float | None = None) -> None:
        """Measure what is missing of sections, one section after the other.

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
        sections = [one.section for one in todo]
        dilations = time_dilations(sections, inventory, time_dilation)
        used = dict.fromkeys(host for section in sections for host in _hosts(inventory, section))
        if not self.allow_public:
            require_private(used, inventory.path)
        require_changeable(sections, inventory)
        with self.alone(inventory, list(used)) as leases:
            fleet = leases.fleet
            self.extend_record(inventory, sections, dilations)
            plans = [
                one.plan(time_dilation=dilations[one.section.name], given_up=()) for one in todo
            ]
            links = [run for one in todo for run in one.links]
            with (
                Progress(plans, links, self.progress) as bar,
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
                    k = dilations[one.section.name]
                    self._measure_section(leases, one, k, bar, on_start, phases)

    def clear(self, inventory: Inventory) -> None:
        """Clear the hosts that answer and are free of what an earlier controller left there.

        Raises
        ------
        ConfigError
            Another process measures the campaign, or on the fleet.
        """
        with self.alone(inventory, []):
            pass

    def _measure_section(
        self,
        leases: Leases,
        todo: Todo,
        time_dilation: float | None,
        bar: Progress,
        on_start: Callable[[Run], None],
        phases: Phases,
    ) -> None:
        fleet, section = leases.fleet, todo.section

        def next_runs() -> Sequence[Run]:
            plan = todo.plan(time_dilation=time_dilation, given_up=attempts.given_up)
            bar.planned(plan)
            return plan.runs

        def identity() -> Mapping[str, object]:
            return {**common, "topology": topology_of(fleet.inventory)}

        bar.show(f"section {section.name}: preparing hosts")
        hosts = _hosts(fleet.inventory, section)
        bring = partial(provision, fleet, hosts, captures=section.is_observed)
        tools = fleet.patiently(bring, on_silence=bar.waits)
        common = self._identity(fleet.inventory)
        attempts = Attempts(
            fleet,
            hosts,
            identity,
            phases,
            bar.settled,
            afresh=self.afresh,
            on_silence=bar.waits,
            require_hosts=partial(leases.require, now=True),
        )
        if todo.links:
            k = time_dilation or 1.0
            links = deque([[replace(run, time_dilation=k) for run in todo.links]])
            open_links = partial(LinksSession, fleet, todo.links[0].section, tools)
            attempts.measure(lambda: links.popleft() if links else (), open_links, on_start)
        as_measured = replace(section, time_dilation=time_dilation)
        open_session = partial(SESSIONS[section.kind], fleet, as_measured, tools)
        attempts.measure(next_runs, open_session, on_start)

    def _identity(self, inventory: Inventory) -> dict[str, object]:
        return {
            "campaign": self.path.name,
            "seed": self.begun.seed,
            "fleet": inventory.fleet,
            "git": git_state(ROOT),
            "control": {**control_facts(), "wake_up_bound_us": wake_up_bound_us()},
        }

    def extend_record(
        self,
        inventory: Inventory,
        sections: Sequence[Section],
        dilations: Mapping[str, float | None],
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
        kept = self.path / KEPT
        for file in self.own_files:
            _keep(file, kept)
        for file in self.own_middlewares:
            for name in (file.name, *read_middleware_file(file).files):
                _keep(file.with_name(name), kept_folder(kept, file.stem))

    @contextlib.contextmanager
    def alone(self, inventory: Inventory, hosts: Sequence[Host]) -> Iterator[Leases]:
        """Keep other controllers out; clear what an earlier one of this campaign left half written.

        Raises
        ------
        ConfigError
            Another process measures the campaign, or on the fleet.
        RemoteError
            A host does not answer, or another controller has it.
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
