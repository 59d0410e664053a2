"""A campaign: which runs it has, in which order, and which of them are still to be measured.

What is on disk is the state (`remote.campaign.states`). Nothing that is done is measured again;
what was interrupted leaves no run folder and is measured anew.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from records.names import NAME, NAME_RULE
from records.section import PROFILES
from records.settings import OWN_MIDDLEWARE
from remote.campaign.controller import Controller, Todo
from remote.campaign.known_runs import cells, without
from remote.campaign.planning.plan import Conditions, Plan, plan_section
from remote.campaign.received import require_plain_files
from remote.campaign.record import Record
from remote.campaign.states import RunState, State, is_controlled, state_of, was_killed
from remote.campaign.view.progress import show_left
from remote.errors import ConfigError
from remote.experiment.manifest import require_whole_manifests
from remote.experiment.rules import require_possible
from remote.experiment.run import Run
from remote.experiment.section import Section, with_follow, with_middleware
from remote.experiment.section_file import KEPT, SECTIONS_DIR, read_section, section_file
from remote.experiment.sessions.link_session import SECONDS_BY_PROFILE, links_section
from remote.hosts.inventory import Inventory
from remote.hosts.provision import ROOT
from remote.providers.fleets import LOCAL, OTHERS, inventory_path
from remote.services.middleware_file import (
    FOLDER,
    SUFFIX,
    find_middleware_file,
    middleware_file,
    read_middleware_file,
)

DATA_DIR = ROOT / "data"
OF_MIDDLEWARES = "middlewares"  # folder of a campaign with those of other middlewares
NO_FLEET = "none"  # shows what is measured and touches no host


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A folder of runs measured with one profile.

    Parameters
    ----------
    path : the campaign's folder; its name is the campaign's name.
    profile : ``smoke``, ``quick`` or ``paper``.
    fleet : ``local`` for the local lab, ``loopback`` for this machine alone, ``none`` to only
        show what is measured, else the path of an inventory.
    seed : of the order of the runs.
    plans : sections by name that are not those of the section files.
    middleware : file of the one that is measured in place of this project's own.
    follow : one of so many requests of each connection is followed in all sections, 0 for none;
        None for what each section says.
    allow_public : hosts may listen on addresses that the Internet routes.
    """

    path: Path
    profile: str
    fleet: str
    seed: int
    plans: Mapping[str, Section] = field(default_factory=dict)
    middleware: Path | None = None
    follow: int | None = None
    allow_public: bool = False

    @classmethod
    def open(
        cls,
        name: str,
        *,
        profile: str = "smoke",
        fleet: str = "local",
        data_dir: Path = DATA_DIR,
        middleware: str = "",
        follow: int | None = None,
        allow_public: bool = False,
    ) -> Campaign:
        """Open campaign `name`, creating its folder if it is new.

        Parameters
        ----------
        middleware : name or file of the one to measure in place of this project's own. What is
            measured of it is a campaign of its own, ``<name>/middlewares/<middleware>``, which
            may also be given as `name`.
        follow, allow_public : see the class.

        Raises
        ------
        ConfigError
            The name, the profile or the middleware is wrong, the campaign was begun with another
            profile or on another fleet, or its folder holds symbolic links; where nothing is
            measured also if the manifest of a run is not whole.
        """
        named = re.fullmatch(rf"({NAME})(?:/{OF_MIDDLEWARES}/({NAME}))?", name)
        if named is None or named[1] == "published":
            raise ConfigError(data_dir / name, f"a campaign's name consists of {NAME_RULE}")
        middleware = middleware or named[2] or OWN_MIDDLEWARE
        path, file = data_dir / named[1], None
        if (stem := Path(middleware).name.removesuffix(SUFFIX)) != OWN_MIDDLEWARE:
            path = path / OF_MIDDLEWARES / stem
            file = find_middleware_file(middleware, [Path.cwd(), path / KEPT])
        if profile not in PROFILES:
            raise ConfigError(path, f"no profile `{profile}`; there are {', '.join(PROFILES)}")
        require_plain_files(data_dir / named[1])
        record = Record.read(path)
        if fleet == NO_FLEET:
            if not path.is_dir():
                raise ConfigError(path, "no such campaign, and fleet `none` measures nothing")
            require_whole_manifests(path)
            known = record or Record(profile=profile, seed=0, fleet=fleet)
            return cls(
                path=path,
                profile=known.profile,
                fleet=NO_FLEET,
                seed=known.seed,
                middleware=file,
                follow=follow,
            )
        if record is None:
            seed = random.SystemRandom().randrange(2**32)
            record = Record(profile=profile, seed=seed, fleet=fleet)
        record.require(path, profile=profile, fleet=fleet)
        return cls(
            path=path,
            profile=profile,
            fleet=fleet,
            seed=record.seed,
            middleware=file,
            follow=follow,
            allow_public=allow_public,
        )

    def plan(self, section: str) -> Section:
        """Return the section of that name, or in the file of that path, in its profile."""
        if section in self.plans:
            return self.plans[section]
        asked = self._as_asked(section)
        record = Record.read(self.path)
        if record is None:
            return asked
        if self.follow is not None:
            record.require_trace(self.path, asked)
        return record.as_begun(self.path, asked)

    def _as_asked(self, section: str) -> Section:
        path = self.file(section)
        read = read_section(path.stem, self.profile, folder=path.parent)
        read = self.with_own_middleware(read, path)
        if self.follow is None:
            return read
        try:
            return with_follow(read, self.follow or None)
        except ValueError as exc:
            raise ConfigError(path, f"{exc}: measure it without --trace") from exc

    def with_own_middleware(self, section: Section, path: Path) -> Section:
        """Return a section of the file `path` with the middleware that this campaign measures."""
        if self.middleware is None or section.kind != "load":
            return section
        try:
            section = with_middleware(section, read_middleware_file(self.middleware))
        except ValueError as exc:
            raise ConfigError(path, f"{exc}: measure it without --middleware") from exc
        require_possible(section, path)
        return section

    @property
    def middleware_name(self) -> str:
        """Name of the middleware that is measured where a section does not say which."""
        return self.middleware.stem if self.middleware else OWN_MIDDLEWARE

    def cannot_be_told(self, section: str) -> list[str]:
        """Return the settings of a section that its middleware cannot be told, and so lacks."""
        if self.middleware is None:
            return []
        path, of = self.file(section), read_middleware_file(self.middleware)
        read = read_section(path.stem, self.profile, folder=path.parent)
        return [name for name in {**read.factors, **read.constants} if not of.takes(name)]

    def file(self, section: str) -> Path:
        """Return the file of a section; one of the user's own is kept with what it has measured."""
        return section_file(section, kept_in=self.path / KEPT)

    def planned(
        self,
        section: str,
        *,
        retry: bool = False,
        time_dilation: float | None = None,
        given_up: Collection[str] = (),
    ) -> Plan:
        """Return what is known of a section and what is measured next.

        Parameters
        ----------
        retry : measure what was given up, too.
        time_dilation : k of all configurations instead of the section's.
        given_up : labels of runs that are not measured even so.
        """
        plan = self.plan(section)
        conditions = Conditions(
            campaign_dir=self.path,
            seed=self.seed,
            time_dilation=time_dilation or plan.time_dilation,
            inventory=self._inventory(),
        )
        known = cells(plan, self.path, retry=retry)
        made = plan_section(plan, known, conditions)
        if any(run.label in given_up for run in made.runs):
            again = [without(cell, plan.name, given_up) for cell in known]
            made = plan_section(plan, again, conditions)
        return made

    def runs(self, section: str) -> list[Run]:
        """Return the runs of a section in their order: those that are done, and the next ones."""
        planned = self.planned(section, retry=True)
        done = [
            Run(
                section=planned.section,
                config=cell.config,
                repetition=one.repetition,
                campaign_dir=self.path,
                time_dilation=one.time_dilation,
                planned=one.lengths,
            )
            for cell in planned.cells
            for one in cell.repetitions
        ]
        return [*done, *planned.runs]

    def links(self, section: str) -> list[Run]:
        """Return the measurements of the links that precede the runs of a section under load.

        None in profile smoke, which leaves links to section 0.
        """
        plan = self.plan(section)
        if plan.kind != "load" or plan.profile not in SECONDS_BY_PROFILE:
            return []
        return [
            Run(
                section=links,
                config=config,
                repetition=1,
                campaign_dir=self.path,
                time_dilation=plan.time_dilation or 1.0,
            )
            for links in [links_section(plan)]
            for config in links.configs()
        ]

    def states(self, section: str) -> list[RunState]:
        """Return the state of every run of a section, in the order of measuring."""
        alive = is_controlled(self.path)
        of_runs = [state_of(run, is_controlled=alive) for run in self.runs(section)]
        return [*self.states_of_links(section), *of_runs]

    def states_of_links(self, section: str) -> list[RunState]:
        """Return the states of the measurements of a section's links."""
        alive = is_controlled(self.path)
        return [state_of(run, is_controlled=alive) for run in self.links(section)]

    def missing(self, section: str, *, retry: bool = False) -> list[Run]:
        """Return the runs of a section that are to be measured.

        Those that were given up after as many attempts as are made are only among them with
        `retry`.
        """
        planned = self.planned(section, retry=retry)
        return [*self._missing_links(section, retry=retry), *planned.runs]

    def require_hosts(self, *sections: str) -> None:
        """Raise ConfigError if the fleet lacks hosts for what is missing of `sections`.

        The local lab is brought up with what they ask for; of a fleet of this machine that is down
        nothing is known.
        """
        missing = [section for section in sections if self.missing(section)]
        inventory = self._inventory()
        if not missing or self.fleet in (LOCAL, NO_FLEET):
            return
        if inventory is None and self.fleet in OTHERS:
            return
        inventory = inventory or Inventory.read(inventory_path(self.fleet))  # tells what is wrong
        for section in missing:
            for role, count in self.plan(section).hosts.items():
                inventory.take(role, count)

    def measure(
        self,
        *sections: str,
        progress: bool = True,
        retry: bool = False,
        time_dilation: float | None = None,
    ) -> list[RunState]:
        """Measure what is missing of `sections`; a finished campaign needs no host at all.

        What a killed controller may have left on hosts is ended either way.

        On fleet ``none`` nothing is measured, whatever is missing.

        Parameters
        ----------
        sections : names, or paths of section files.
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
        sections = tuple(dict.fromkeys(sections))
        missing = [name for name in sections if self.missing(name, retry=retry)]
        if missing and self.fleet != NO_FLEET:
            begun = Record(profile=self.profile, seed=self.seed, fleet=self.fleet)
            files = [self.file(section) for section in sections]
            own = [file for file in files if file.resolve().parent != SECTIONS_DIR]
            controller = Controller(
                path=self.path,
                begun=begun,
                own_files=own,
                own_middlewares=self._own_middlewares(sections),
                progress=progress,
                afresh=retry,
                allow_public=self.allow_public,
            )
            todo = [self._todo(section, retry=retry) for section in missing]
            controller.measure(todo, time_dilation=time_dilation)
        elif was_killed(self.path):
            self._clear_hosts()
        left = [s for section in sections for s in self.states(section) if s.state != State.DONE]
        show_left(left)
        return left

    def _clear_hosts(self) -> None:
        """End what a controller left on the hosts that was killed after its last run was stored."""
        inventory = self._inventory()
        if inventory is not None:
            begun = Record(profile=self.profile, seed=self.seed, fleet=self.fleet)
            with contextlib.suppress(ConfigError):  # who measures there now has cleared them
                Controller(path=self.path, begun=begun).clear(inventory)

    def _own_middlewares(self, sections: Collection[str]) -> list[Path]:
        """Return the files of middlewares that are not shipped."""
        found = set()
        for section in sections:
            beside = self.file(section).parent
            for name in self.plan(section).middlewares:
                is_given = self.middleware is not None and self.middleware.stem == name
                found.add(
                    self.middleware
                    if is_given
                    else middleware_file(name, [beside, self.path / KEPT])
                )
        return sorted(file for file in found if file and file.resolve().parent != FOLDER)

    def _inventory(self) -> Inventory | None:
        """Return the hosts as far as they are known without touching them."""
        with contextlib.suppress(ConfigError):
            path = inventory_path(self.fleet)
            return Inventory.read(path) if path.is_file() else None
        return None

    def _todo(self, section: str, *, retry: bool) -> Todo:
        return Todo(
            section=self.plan(section),
            links=self._missing_links(section, retry=retry),
            plan=partial(self.planned, section, retry=retry),
        )

    def _missing_links(self, section: str, *, retry: bool) -> list[Run]:
        return [
            state.run
            for state in self.states_of_links(section)
            if state.state != State.DONE and (retry or not state.is_given_up)
        ]
