"""A section of a campaign: its file is read once, and passed on to what plans and measures it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from remote.campaign.planning.cell import Cell, cells
from remote.campaign.planning.plan import Conditions, Plan, plan_section
from remote.campaign.states import RunState, State, is_controlled, state_of
from remote.experiment.links_section import SECONDS_BY_PROFILE, links_section
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.experiment.section_file import KEPT, SECTIONS_DIR
from remote.hosts.inventory import Inventory
from remote.services.middleware_file import (
    FOLDER,
    kept_folder,
    middleware_file,
    read_middleware_file,
)


@dataclass(frozen=True, kw_only=True)
class OpenedSection:
    """A section as a campaign measures it; what has been measured is read anew each time.

    Parameters
    ----------
    section : as the campaign was begun with it.
    file : that it was read from.
    middleware : file of the one that is measured in place of this project's own.
    untold : settings of the file that this middleware cannot be told, and so lacks.
    last : repetition up to which is measured; None for all.
    has_links : the links of its hosts are measured first.
    """

    section: Section
    file: Path
    campaign_dir: Path
    seed: int
    middleware: Path | None = None
    untold: tuple[str, ...] = ()
    last: int | None = None
    has_links: bool = True

    @property
    def name(self) -> str:
        """Name of the section."""
        return self.section.name

    def plan(
        self,
        inventory: Inventory | None,
        *,
        retry: bool = False,
        time_dilation: float | None = None,
        given_up: Collection[str] = (),
    ) -> Plan:
        """Return what is known of the section and what is measured next.

        Parameters
        ----------
        inventory : the hosts, as far as they are known.
        retry : measure what was given up, too.
        time_dilation : k of all configurations instead of the section's.
        given_up : labels of runs that are not measured even so.
        """
        known = cells(self.section, self.campaign_dir)
        if retry:
            known = [cell.without_given_up() for cell in known]
        return self._plan(known, inventory, time_dilation, given_up)

    def _plan(
        self,
        known: list[Cell],
        inventory: Inventory | None,
        time_dilation: float | None = None,
        given_up: Collection[str] = (),
    ) -> Plan:
        conditions = Conditions(
            campaign_dir=self.campaign_dir,
            seed=self.seed,
            time_dilation=time_dilation or self.section.time_dilation,
            inventory=inventory,
        )
        plan = plan_section(self.section, known, conditions)
        if any(run.label in given_up for run in plan.runs):
            known = [cell.without(self.name, given_up) for cell in known]
            plan = plan_section(self.section, known, conditions)
        if self.last is None:
            return plan
        return replace(plan, runs=tuple(run for run in plan.runs if run.repetition <= self.last))

    def plan_and_states(self, inventory: Inventory | None) -> tuple[Plan, list[RunState]]:
        """Return what `plan` and `states` return, from one reading of what has been measured."""
        known = cells(self.section, self.campaign_dir)
        plan = again = self._plan(known, inventory)
        if any(cell.given_up for cell in known):
            again = self._plan([cell.without_given_up() for cell in known], inventory)
        return plan, self._states([*self.links(), *self._runs(again)])

    def runs(self, inventory: Inventory | None) -> list[Run]:
        """Return the runs in their order: those that are done, and the next ones."""
        return self._runs(self.plan(inventory, retry=True))

    def _runs(self, plan: Plan) -> list[Run]:
        done = [
            Run(
                section=self.section,
                config=cell.config,
                repetition=one.repetition,
                campaign_dir=self.campaign_dir,
                time_dilation=one.time_dilation,
                planned=one.lengths,
            )
            for cell in plan.cells
            for one in cell.repetitions
        ]
        return [*done, *plan.runs]

    def links(self) -> list[Run]:
        """Return the measurements of the links that precede the runs under load.

        None in profile smoke, which leaves links to section 0.
        """
        section = self.section
        measured = section.kind == "load" and section.profile in SECONDS_BY_PROFILE
        if not (self.has_links and measured):
            return []
        links = links_section(section)
        return [
            Run(
                section=links,
                config=config,
                repetition=1,
                campaign_dir=self.campaign_dir,
                time_dilation=section.time_dilation or 1.0,
            )
            for config in links.configs()
        ]

    def states_of_links(self) -> list[RunState]:
        """Return the states of the measurements of links."""
        return self._states(self.links())

    def states(self, inventory: Inventory | None) -> list[RunState]:
        """Return the state of every run, in the order of measuring, links first."""
        return self._states([*self.links(), *self.runs(inventory)])

    def missing_links(self, *, retry: bool) -> list[Run]:
        """Return the measurements of links that are to be made."""
        return [
            state.run
            for state in self.states_of_links()
            if state.state != State.DONE and (retry or not state.is_given_up)
        ]

    def missing(self, inventory: Inventory | None, *, retry: bool = False) -> list[Run]:
        """Return the runs that are to be measured; with `retry` also those that were given up."""
        return [*self.missing_links(retry=retry), *self.plan(inventory, retry=retry).runs]

    def own_files(self) -> list[tuple[Path, Path]]:
        """Return each file of the user's own, and the folder in which the campaign keeps it.

        That is the section's file, and those of middlewares with the files that they name.
        """
        kept = self.campaign_dir / KEPT
        found = [(self.file, kept)] if self.file.resolve().parent != SECTIONS_DIR else []
        for name in self.section.middlewares:
            is_given = self.middleware is not None and self.middleware.stem == name
            file = self.middleware if is_given else middleware_file(name, [self.file.parent, kept])
            if file and file.resolve().parent != FOLDER:
                names = (file.name, *read_middleware_file(file).files)
                found += [(file.with_name(one), kept_folder(kept, file.stem)) for one in names]
        return found

    def _states(self, runs: list[Run]) -> list[RunState]:
        alive = is_controlled(self.campaign_dir)
        return [state_of(run, is_controlled=alive) for run in runs]
