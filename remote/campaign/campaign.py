"""A campaign: all runs of one or more sections in one profile, measured, kept and resumed.

What is on disk is the state (`remote.campaign.states`). Nothing that is done is measured again;
what was interrupted leaves no run folder and is measured anew.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from remote.campaign.control_facts import control_facts
from remote.campaign.dilation import dilate, is_local_lab, time_dilations
from remote.campaign.live_view import Watch
from remote.campaign.measuring import Attempts, Session
from remote.campaign.progress import Progress, show_left
from remote.campaign.record import Record, conditions_of, exclusive, topology_of
from remote.campaign.states import LOCK, RunState, State, is_controlled, state_of
from remote.errors import ConfigError, RemoteError
from remote.fleets import inventory_path
from remote.group import Fleet
from remote.inventory import Host, Inventory
from remote.jobs import clear_jobs
from remote.manifest import git_state
from remote.phases import Phases
from remote.provision import ROOT, Tools, provision
from remote.run import PARTIAL_SUFFIX, Run
from remote.runs.links import LinksSession, links_section
from remote.runs.load import LoadSession
from remote.runs.network import NetworkSession
from remote.section import PROFILES, Section

DATA_DIR = ROOT / "data"
NO_FLEET = "none"  # shows what is measured and touches no host
OpenSession = Callable[[Fleet, Section, Mapping[str, Tools]], AbstractContextManager[Session]]
SESSIONS: dict[str, OpenSession] = {
    "load": LoadSession,
    "network": NetworkSession,
    "links": LinksSession,
}
"""What each kind of section needs up while its runs are measured."""


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A folder of runs measured with one profile.

    Parameters
    ----------
    path : the campaign's folder; its name is the campaign's name.
    profile : ``smoke``, ``quick`` or ``paper``.
    fleet : ``local`` for the local lab, ``loopback`` for the rootless fleet, ``none`` to only show
        what is measured, else the path of an inventory.
    seed : of the order of the runs.
    plans : sections by name that are not those of the section files.
    """

    path: Path
    profile: str
    fleet: str
    seed: int
    plans: Mapping[str, Section] = field(default_factory=dict)

    @classmethod
    def open(
        cls,
        name: str,
        *,
        profile: str = "smoke",
        fleet: str = "local",
        data_dir: Path = DATA_DIR,
    ) -> Campaign:
        """Open campaign `name`, creating its folder if it is new.

        Raises
        ------
        ConfigError
            The name or the profile is wrong, or the campaign was begun with another profile or
            on another fleet.
        """
        path = data_dir / name
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) or name == "published":
            raise ConfigError(path, "a campaign's name consists of letters, digits, `.`, `_`, `-`")
        if profile not in PROFILES:
            raise ConfigError(path, f"no profile `{profile}`; there are {', '.join(PROFILES)}")
        record = Record.read(path)
        if fleet == NO_FLEET:
            if not path.is_dir():
                raise ConfigError(path, "no such campaign, and fleet `none` measures nothing")
            known = record or Record(profile=profile, seed=0, fleet=fleet)
            return cls(path=path, profile=known.profile, fleet=NO_FLEET, seed=known.seed)
        if record is None:
            seed = random.SystemRandom().randrange(2**32)
            record = Record(profile=profile, seed=seed, fleet=fleet)
        record.require(path, profile=profile, fleet=fleet)
        return cls(path=path, profile=profile, fleet=fleet, seed=record.seed)

    def plan(self, section: str) -> Section:
        """Return the section of that name in the campaign's profile."""
        return self.plans.get(section) or Section.read(section, self.profile)

    def runs(self, section: str) -> list[Run]:
        """Return the runs of a section in their order: shuffled in blocks of one repetition."""
        plan = self.plan(section)
        order: list[Run] = []
        for repetition in range(1, plan.durations.repetitions + 1):
            block = plan.configs()
            random.Random(f"{self.seed}/{section}/{repetition}").shuffle(block)
            order += [
                Run(section=plan, config=config, repetition=repetition, campaign_dir=self.path)
                for config in block
            ]
        return order

    def links(self, section: str) -> list[Run]:
        """Return the measurements of the links that precede the runs of a section under load."""
        plan = self.plan(section)
        if plan.kind != "load":
            return []
        return [
            Run(section=links, config=config, repetition=1, campaign_dir=self.path)
            for links in [links_section(plan)]
            for config in links.configs()
        ]

    def states(self, section: str) -> list[RunState]:
        """Return the state of every run of a section, in the order of measuring."""
        alive = is_controlled(self.path)
        runs = [*self.links(section), *self.runs(section)]
        return [state_of(run, is_controlled=alive) for run in runs]

    def missing(self, section: str, *, retry: bool = False) -> list[Run]:
        """Return the runs of a section that are to be measured.

        Those that were given up after as many attempts as are made are only among them with
        `retry`.
        """
        return [
            state.run
            for state in self.states(section)
            if state.state != State.DONE and (retry or not state.is_given_up)
        ]

    def measure(
        self,
        *sections: str,
        progress: bool = True,
        retry: bool = False,
        time_dilation: float | None = None,
    ) -> list[RunState]:
        """Measure what is missing of `sections`; a finished campaign needs no host at all.

        On fleet ``none`` nothing is measured, whatever is missing.

        Parameters
        ----------
        retry : make new attempts at the runs that were given up, too.
        time_dilation : k for all `sections` instead of what each section file says; the local lab
            only.

        Returns
        -------
        The runs that are not done: given up, or on fleet ``none`` never measured. They are also
        shown, so that nobody takes the campaign for complete.

        Raises
        ------
        RemoteError, ConfigError
            A host is gone or the campaign cannot start; what is done stays done.
        """
        missing = {
            section: runs for section in sections if (runs := self.missing(section, retry=retry))
        }
        if missing and self.fleet != NO_FLEET:
            self._measure(missing, progress=progress, retry=retry, time_dilation=time_dilation)
        left = [s for section in sections for s in self.states(section) if s.state != State.DONE]
        show_left(left)
        return left

    def _measure(
        self,
        missing: Mapping[str, list[Run]],
        *,
        progress: bool,
        retry: bool,
        time_dilation: float | None,
    ) -> None:
        phases = Phases()
        inventory = Inventory.read(inventory_path(self.fleet))
        sections = [self.plan(section) for section in missing]
        dilations = time_dilations(sections, inventory, time_dilation)
        with self._alone(inventory), Fleet(inventory) as fleet:
            self._extend_record(inventory, sections, dilations)
            _end_leftovers(fleet, sections)
            planned = [run for runs in missing.values() for run in runs]
            with (
                Progress(planned, progress) as bar,
                Watch(fleet, bar.note, enabled=progress) as watch,
            ):
                for name, runs in missing.items():
                    dilate(fleet, dilations[name])
                    self._measure_section(fleet, runs, bar, watch, phases, retry=retry)

    def _measure_section(
        self,
        fleet: Fleet,
        runs: Sequence[Run],
        bar: Progress,
        watch: Watch,
        phases: Phases,
        *,
        retry: bool,
    ) -> None:
        def on_start(run: Run) -> None:
            bar.started(run)
            watch.begin(run)

        section = runs[-1].section
        bar.show(f"section {section.name}: preparing hosts")
        hosts = _hosts(fleet, section)
        tools = provision(fleet, hosts)
        identity = self._identity(fleet.inventory)
        attempts = Attempts(fleet, hosts, identity, phases, bar.settled, afresh=retry)
        for kind, of_kind in itertools.groupby(runs, key=lambda run: run.section.kind):
            of_this = list(of_kind)
            open_session = partial(SESSIONS[kind], fleet, of_this[0].section, tools)
            attempts.measure(of_this, open_session, on_start)

    def _identity(self, inventory: Inventory) -> dict[str, object]:
        return {
            "campaign": self.path.name,
            "seed": self.seed,
            "fleet": inventory.fleet,
            "topology": topology_of(inventory),
            "git": git_state(ROOT),
            "control": control_facts(),
        }

    def _extend_record(
        self,
        inventory: Inventory,
        sections: Sequence[Section],
        dilations: Mapping[str, float],
    ) -> None:
        known = Record.read(self.path)
        record = known or Record(profile=self.profile, seed=self.seed, fleet=self.fleet)
        conditions = conditions_of(inventory, sections, dilations)
        record.extended(self.path, conditions).write(self.path)

    @contextlib.contextmanager
    def _alone(self, inventory: Inventory) -> Iterator[None]:
        """Keep other controllers out; clear what an earlier one of this campaign left half written.

        A fleet has one controller: two would end each other's jobs and measure each other's load.
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
