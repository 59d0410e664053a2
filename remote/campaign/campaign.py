"""A campaign: which runs it has, in which order, and which of them are still to be measured.

What is on disk is the state (`remote.campaign.states`). Nothing that is done is measured again;
what was interrupted leaves no run folder and is measured anew.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from records.names import NAME, NAME_RULE
from records.paths import DATA, MIDDLEWARES
from records.section import PROFILES
from records.settings import OWN_MIDDLEWARE
from remote.campaign.opened_section import OpenedSection
from remote.campaign.plain_files import require_plain_files
from remote.campaign.planning.plan import Plan
from remote.campaign.record import Record
from remote.campaign.states import RunState, State, was_killed
from remote.campaign.view.progress import show_left
from remote.errors import ConfigError
from remote.experiment.manifest import require_whole_manifests
from remote.experiment.rules import require_possible
from remote.experiment.run import Run
from remote.experiment.section import Section, with_follow, with_middleware
from remote.experiment.section_file import KEPT, read_section, section_file
from remote.hosts.inventory import Inventory
from remote.providers.fleets import LOCAL, OTHERS, inventory_path
from remote.services.middleware_file import SUFFIX, find_middleware_file, read_middleware_file

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
    _read: dict[tuple[Path, int], OpenedSection] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def open(
        cls,
        name: str,
        *,
        profile: str = "smoke",
        fleet: str = "local",
        data_dir: Path = DATA,
        middleware: str = "",
        follow: int | None = None,
        allow_public: bool = False,
    ) -> Campaign:
        """Open campaign `name`, whose folder is made when something is measured.

        Parameters
        ----------
        middleware : name or file of the one to measure in place of this project's own. What is
            measured of it is a campaign of its own, whose `name` is
            ``<name>/middlewares/<middleware>``.

        Raises
        ------
        ConfigError
            The name, the profile or the middleware is wrong, the campaign was begun with another
            profile or on another fleet, its folder holds symbolic links, or on fleet ``none`` a
            manifest is not whole.
        """
        named = re.fullmatch(rf"({NAME})(?:/{MIDDLEWARES}/({NAME}))?", name)
        if named is None or named[1] == "published":
            raise ConfigError(data_dir / name, f"a campaign's name consists of {NAME_RULE}")
        middleware = middleware or named[2] or OWN_MIDDLEWARE
        path, file = data_dir / named[1], None
        if (stem := Path(middleware).name.removesuffix(SUFFIX)) != OWN_MIDDLEWARE:
            path = path / MIDDLEWARES / stem
            file = find_middleware_file(middleware, [Path.cwd(), path / KEPT])
        if profile not in PROFILES:
            raise ConfigError(path, f"no profile `{profile}`; there are {', '.join(PROFILES)}")
        require_plain_files(data_dir / named[1])
        record = Record.read(path)
        if fleet == NO_FLEET:
            if not path.is_dir():
                raise ConfigError(path, "no such campaign, and fleet `none` measures nothing")
            require_whole_manifests(path)
            record = record or Record(profile=profile, seed=0, fleet=fleet)
        else:
            seed = random.SystemRandom().randrange(2**32)
            record = record or Record(profile=profile, seed=seed, fleet=fleet)
            record.require(path, profile=profile, fleet=fleet)
        return cls(
            path=path,
            profile=record.profile,
            fleet=fleet,
            seed=record.seed,
            middleware=file,
            follow=follow,
            allow_public=allow_public,
        )

    def opened(self, section: str) -> OpenedSection:
        """Open the section of that name, or in the file of that path, in the campaign's profile.

        A file is read once, as long as it is not written anew.
        """
        path = section_file(section, kept_in=self.path / KEPT)
        version = path, path.stat().st_mtime_ns if path.is_file() else 0
        if version not in self._read:
            self._read[version] = self._as_asked(section, path)
        asked = self._read[version]
        record = Record.read(self.path)
        if record is None or section in self.plans:
            return asked
        if self.follow is not None:
            record.require_trace(self.path, asked.section)
        return replace(asked, section=record.as_begun(self.path, asked.section))

    def _as_asked(self, section: str, path: Path) -> OpenedSection:
        """Read a section as it is asked for, whatever the campaign was begun with."""
        untold: list[str] = []
        if section in self.plans:
            asked = self.plans[section]
        else:
            written = read_section(path.stem, self.profile, folder=path.parent)
            if self.middleware is not None:
                takes = read_middleware_file(self.middleware).takes
                names = {**written.factors, **written.constants}
                untold = [name for name in names if not takes(name)]
            asked = self.with_own_middleware(written, path)
            if self.follow is not None:
                try:
                    asked = with_follow(asked, self.follow or None)
                except ValueError as exc:
                    raise ConfigError(path, f"{exc}: measure it without --trace") from exc
        return OpenedSection(
            section=asked,
            file=path,
            campaign_dir=self.path,
            seed=self.seed,
            middleware=self.middleware,
            untold=tuple(untold),
        )

    def plan(self, section: str) -> Section:
        """Return a section as the campaign measures it."""
        return self.opened(section).section

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

    def cannot_be_told(self, section: str) -> Sequence[str]:
        """Return the settings of a section that its middleware cannot be told, and so lacks."""
        return self.opened(section).untold

    def file(self, section: str) -> Path:
        """Return the file of a section; one of the user's own is kept with what it has measured."""
        return self.opened(section).file

    def planned(
        self, section: str, *, retry: bool = False, time_dilation: float | None = None
    ) -> Plan:
        """Return what is known of a section and what is measured next; see `OpenedSection.plan`."""
        opened = self.opened(section)
        return opened.plan(self._inventory(), retry=retry, time_dilation=time_dilation)

    def runs(self, section: str) -> list[Run]:
        """Return the runs of a section in their order: those that are done, and the next ones."""
        return self.opened(section).runs(self._inventory())

    def states(self, section: str) -> list[RunState]:
        """Return the state of every run of a section, in the order of measuring."""
        return self.opened(section).states(self._inventory())

    def states_of_links(self, section: str) -> list[RunState]:
        """Return the states of the measurements of a section's links."""
        return self.opened(section).states_of_links()

    def missing(self, section: str, *, retry: bool = False) -> list[Run]:
        """Return the runs of a section that are to be measured; see `OpenedSection.missing`."""
        return self.opened(section).missing(self._inventory(), retry=retry)

    def require_hosts(self, *sections: str) -> None:
        """Raise ConfigError if the fleet lacks hosts for what is missing of `sections`.

        The local lab is brought up with what they ask for; of a fleet of this machine that is down
        nothing is known.
        """
        inventory = self._inventory()
        if self.fleet in (LOCAL, NO_FLEET) or (inventory is None and self.fleet in OTHERS):
            return
        missing = [section for section in sections if self.missing(section)]
        if not missing:
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
        on_section: Callable[[str], None] | None = None,
    ) -> list[RunState]:
        """Measure what is missing of `sections`; a finished campaign needs no host at all.

        What a killed controller may have left on hosts is ended either way. On fleet ``none``
        nothing is measured.

        Parameters
        ----------
        sections : names, or paths of section files.
        retry : make new attempts at the runs that were given up, too.
        time_dilation : k of all `sections` instead of what each says; the local lab only.
        on_section : called with each section that was measured now, before the next one.

        Returns
        -------
        The runs that are not done, which are also shown: given up, or on fleet ``none`` missing.

        Raises
        ------
        RemoteError, ConfigError
            A host is gone or the campaign cannot start; what is done stays done.
        """
        from remote.campaign.controller import Controller  # SSH is slow to import

        inventory = self._inventory()
        opened = {name: self.opened(name) for name in sections}
        missing = [one for one in opened.values() if one.missing(inventory, retry=retry)]
        begun = Record(profile=self.profile, seed=self.seed, fleet=self.fleet)
        controller = Controller(
            path=self.path,
            begun=begun,
            progress=progress,
            afresh=retry,
            allow_public=self.allow_public,
        )
        if missing and self.fleet != NO_FLEET:
            kept = [file for one in opened.values() for file in one.own_files()]
            controller.measure(missing, kept, time_dilation=time_dilation, on_section=on_section)
        elif was_killed(self.path) and inventory is not None:
            # Who measures there now has cleared the hosts.
            with contextlib.suppress(ConfigError), controller.alone(inventory, []):
                pass
        states = [state for name in opened for state in self.states(name)]
        left = [state for state in states if state.state != State.DONE]
        show_left(left)
        return left

    def _inventory(self) -> Inventory | None:
        """Return the hosts as far as they are known without touching them."""
        with contextlib.suppress(ConfigError):
            path = inventory_path(self.fleet)
            return Inventory.read(path) if path.is_file() else None
        return None
