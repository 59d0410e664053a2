"""What a campaign holds, as claims want it: estimates over repetitions, and what is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from analysis.claims.claim import Claim, Kind
from analysis.claims.rules import Rule, Verdict, at_least, at_most, equal_to
from analysis.lab.measured_study import MeasuredStudy
from analysis.laws.bottlenecks import of_quotas
from analysis.laws.limits import CPU_FULL, FULL, at_load, busiest_host, what_limits
from analysis.statistics.estimates import Estimate, exact, mean_of, ratio_of
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

THROUGHPUT = "client_throughput_ops_per_s"
RESPONSE_TIME = "client_response_time_ms"
BUSY = at_least(FULL)
_LISTED = 3  # cells that miss, by name
_NAMES = {
    "quantity": "{}",
    "section": "{}",
    "workload": "{}",
    "num_clients": "{:g} clients",
    "num_middlewares": "{:g} middlewares",
    "workers": "{:g} workers",
    "num_servers": "{:g} servers",
    "num_databases": "{:g} databases",
    "database_cpus": "{:g} CPUs",
    "net_threads": "{:g} front-end threads",
    "dispatch": "{}",
}
SAME = 0.05  # the margin within which two numbers count as equal


class Findings:
    """Collects the claims of a campaign.

    What was not measured gives empty series and estimates that are not known: such a claim
    cannot be told.

    Parameters
    ----------
    measured
        Section to its tidy tables.
    studies
        Study to its elasticities (`analysis.lab.measured_study.held_studies`).

    Attributes
    ----------
    claims : list of Claim
        Those that were checked, in their order.
    asked : dict of str to None
        Sections and studies that were asked for, held or not, in that order.
    """

    def __init__(
        self, measured: Mapping[str, Tables], studies: Mapping[str, MeasuredStudy] | None = None
    ) -> None:
        self._measured = measured
        self._studies = studies or {}
        self.claims: list[Claim] = []
        self.asked: dict[str, None] = {}

    def check(
        self,
        section: str,
        statement: str,
        *,
        quantity: str,
        measured: Estimate,
        holds: Rule,
        see: str,
        instead: Callable[[], str] = str,
        missing: str = "",
        kind: Kind = Kind.FINDING,
    ) -> None:
        """Add a claim; its parts are those of `Claim`, `instead` only if the claim is refuted.

        Parameters
        ----------
        missing
            What a campaign lacks in which nothing was measured, such as ``no runs of q3``.
        """
        claim = Claim(
            section=section,
            statement=statement,
            quantity=quantity,
            rule=holds,
            estimate=measured,
            see=see,
            kind=kind,
        )
        if claim.verdict == Verdict.REFUTED:
            claim = replace(claim, instead=instead())
        elif claim.verdict == Verdict.UNDECIDED:
            claim = replace(claim, instead=_why_not(measured, missing))
        self.claims.append(claim)

    def check_share(
        self,
        section: str,
        statement: str,
        *,
        of: str,
        passes: pd.Series,
        holds: Rule,
        see: str,
        missing: str = "",
        kind: Kind = Kind.FINDING,
    ) -> None:
        """Add a claim about the share of a fixed set of cells that pass, and list those that miss.

        Such a set is no random sample of cells: its share has no interval.

        Parameters
        ----------
        of
            What makes a cell pass, such as ``cells predicted within 10 %``.
        passes
            Whether each cell does, by the name of the cell (`cell_names`).
        """
        share = float(passes.mean()) if len(passes) else math.nan
        self.check(
            section,
            statement,
            quantity=f"share of {of}",
            measured=exact(share) if len(passes) else mean_of([]),
            holds=holds,
            see=see,
            missing=missing,
            kind=kind,
        )
        names = list(map(str, passes.index[~passes.astype(bool)]))
        if names and not self.claims[-1].instead:
            shown = ", ".join(names[:_LISTED])
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            missed = f"{len(names)} of {len(passes)} miss: {shown}{more}"
            self.claims[-1] = replace(self.claims[-1], instead=missed)

    def check_link(
        self, section: str, statement: str, role: str, *, see: str, quantity: str = "", **where: Any
    ) -> None:
        """Check that what the hosts of a role send fills their links, or tell what limits instead.

        Parameters
        ----------
        role
            ``clients``, ``middlewares`` or ``servers``.
        """
        self.check(
            section,
            statement,
            quantity=quantity or f"utilization of the {role}' links",
            measured=self.link_utilization(section, role, **where),
            holds=BUSY,
            see=see,
            instead=self.limits(section, **where),
        )

    def limits(self, section: str, **where: Any) -> Callable[[], str]:
        """Return what tells what limits at the largest load, for claims that do not hold."""
        tables = self.tables(section)
        return str if tables is None else partial(what_limits, tables, **where)

    def study(self, name: str) -> MeasuredStudy | None:
        """Return the elasticities of a configuration, None where they were not measured."""
        self.asked[name] = None
        return self._studies.get(name)

    def tables(self, section: str) -> Tables | None:
        """Return the tidy tables of a section, None where it was not measured."""
        self.asked[section] = None
        return self._measured.get(section)

    def values(
        self, section: str, column: str = THROUGHPUT, load: str = "largest", **where: Any
    ) -> pd.Series:
        """Return a measure of each repetition at one load, over all levels not named.

        Of several think times that are not named the shortest makes the largest load.

        Parameters
        ----------
        column
            Of `Tables.runs`.
        load
            The ``largest`` or the ``smallest`` number of clients.
        where
            Levels that the runs must have, such as ``workload="get", workers=64``.
        """
        tables = self.tables(section)
        return _empty() if tables is None else by_repetition(tables.runs, column, load, **where)

    def num_clients(self, section: str, load: str = "largest", **where: Any) -> int:
        """Return how many clients make a load, as of `values`; 0 where nothing was measured."""
        tables = self.tables(section)
        rows = pd.DataFrame() if tables is None else at_load(tables.runs, load, **where)
        return 0 if rows.empty else int(rows["num_clients"].iloc[0])

    def most_workers(self, section: str, usual: int) -> int:
        """Return the usual number of workers, or that of a middleware with one for each client."""
        tables = self.tables(section)
        known = {usual} if tables is None else set(tables.runs.get("workers", pd.Series([usual])))
        return int(max(known)) if len(known) == 1 else usual

    def mean(
        self, section: str, column: str = THROUGHPUT, load: str = "largest", **where: Any
    ) -> Estimate:
        """Estimate the mean of `values`."""
        return mean_of(self.values(section, column, load, **where).tolist())

    def law(self, *sections: str, see: str, chapter: str = "") -> None:
        """Check that throughput and response time at the clients agree, X (R + Z) = N.

        It is said of `chapter`, by default that of the first section.
        """
        jobs: list[float] = []
        for tables in filter(None, map(self.tables, sections)):
            runs = tables.runs
            cycle_s = runs[RESPONSE_TIME] / MS_PER_S + runs["think_time_s"]  # NaN in an open loop
            of_runs = runs[THROUGHPUT] * cycle_s / runs["num_clients"]
            jobs += of_runs.groupby(runs["repetition"]).mean().tolist()
        self.check(
            chapter or sections[0].partition(".")[0],
            "Throughput and response time obey the interactive law.",
            quantity="X (R + Z) / N, mean of each repetition",
            measured=mean_of(jobs),
            holds=equal_to(1, SAME),
            see=see,
            kind=Kind.VALIDITY,
        )

    def processors(
        self, *sections: str, see: str, chapter: str = "", but: Collection[str] = ()
    ) -> None:
        """Check that no machine is the limit: in the local lab the one that carries all hosts.

        There a host with a quota of CPU time is a machine, too; those of roles in `but` are left
        out. Judged by the busiest of all runs of a whole repetition. It is said of `chapter`, by
        default that of the first section.
        """
        held = list(filter(None, map(self.tables, sections)))
        hosts = [
            whole_repetitions(tables.hosts[~tables.hosts["role"].isin(but)]) for tables in held
        ]
        busy = [
            own[["repetition", "cpu_percent"]].assign(of_quota=of_quotas(own) * 100)
            for own in hosts
        ]
        busiest = pd.concat(busy).groupby("repetition").max() if busy else pd.DataFrame()
        self.check(
            chapter or sections[0].partition(".")[0],
            "No machine's CPU is busy all the time.",
            quantity="utilization of the busiest machine's CPU",
            measured=mean_of((busiest.max(axis="columns") / 100).tolist()),
            holds=at_most(CPU_FULL),
            see=see,
            instead=lambda: busiest_host(pd.concat(hosts)),
            kind=Kind.VALIDITY,
        )

    def link_utilization(self, section: str, role: str, **where: Any) -> Estimate:
        """Estimate how busy what the hosts of a role send keeps their links at the largest load.

        Parameters
        ----------
        role
            ``clients``, ``middlewares`` or ``servers``.
        """
        tables = self.tables(section)
        if tables is None:
            return mean_of([])
        hosts = by_repetition(tables.hosts, "send_link_utilization", role=role, **where)
        return mean_of(hosts.tolist())


def cell_names(cells: pd.DataFrame) -> list[str]:
    """Name each cell by its levels: ``3.1 set 64 clients 8 workers``."""
    known = [name for name in _NAMES if name in cells]
    return [
        " ".join(
            _NAMES[name].format(level)
            for name, level in zip(known, levels, strict=True)
            if pd.notna(level)
        )
        for levels in cells[known].itertuples(index=False, name=None)
    ]


def by_repetition(
    frame: pd.DataFrame, column: str, load: str = "largest", **where: Any
) -> pd.Series:
    """Return the mean of a column in each whole repetition, of rows at one number of clients."""
    for name, level in where.items():
        if name not in frame:
            return _empty()
        frame = frame[frame[name] == level]
    if column not in frame:
        return _empty()
    rows = whole_repetitions(at_load(frame, load))
    values: pd.Series = rows.groupby("repetition")[column].mean()
    return values


def whole_repetitions(frame: pd.DataFrame, factor: str | None = None) -> pd.DataFrame:
    """Keep the repetitions that hold every configuration of the frame.

    Some configurations are measured more often than others; what is made of those alone is of
    another mix.

    Parameters
    ----------
    factor
        Tells configurations apart where one has rows of its own number, such as one per second.
    """
    repetitions = frame.groupby("repetition")[factor or "repetition"]
    held = repetitions.transform("nunique" if factor else "size")
    whole: pd.DataFrame = frame[held == held.max()]
    return whole


def ratio(above: pd.Series, below: pd.Series) -> Estimate:
    """Estimate the ratio of two measures over their repetitions."""
    return ratio_of(above.tolist(), below.tolist())


def _why_not(measured: Estimate, missing: str) -> str:
    if math.isnan(measured.value):
        return missing
    return "no repetitions" if math.isnan(measured.error) else "the interval is too wide"


def _empty() -> pd.Series:
    return pd.Series(dtype=float)
