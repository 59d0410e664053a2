"""What a campaign has measured, as claims ask for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

import pandas as pd

from analysis.lab.measured_study import MeasuredStudy
from analysis.laws.limits import at_load, find_bottleneck
from analysis.statistics.estimates import Estimate, ratio_of
from analysis.tables.frames import Tables

THROUGHPUT = "client_throughput_ops_per_s"
RESPONSE_TIME = "client_response_time_ms"
SAME = 0.05  # the margin within which two numbers count as equal
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
Made = TypeVar("Made")


class NotMeasured(Exception):
    """The campaign lacks the data that a claim is about; its text, if any, names them."""


def with_round_trips(tables: Tables) -> Tables:
    """Return tables that have pings; NotMeasured of others: models would take round trips for 0."""
    if tables.pings.empty:
        raise NotMeasured("no round-trip time was recorded")
    return tables


class Measurements:
    """Gives claims the tables and studies of a campaign.

    Parameters
    ----------
    sections
        Section to its tidy tables.
    studies
        Study to its elasticities (`analysis.lab.measured_study.find_studies`).

    Attributes
    ----------
    asked : dict of str to None
        Sections and studies that were asked for, measured or not, in that order.
    """

    def __init__(
        self, sections: Mapping[str, Tables], studies: Mapping[str, MeasuredStudy] | None = None
    ) -> None:
        self._sections = sections
        self._studies = studies or {}
        self.asked: dict[str, None] = {}
        self.made: dict[object, Any] = {}  # by `once`

    def asked_anew(self) -> Measurements:
        """Return the same measurements, of which nothing has been asked yet."""
        return Measurements(self._sections, self._studies)

    def study(self, name: str) -> MeasuredStudy:
        """Return the elasticities of a configuration.

        Raises
        ------
        NotMeasured
        """
        return self._get(self._studies, name)

    def tables(self, section: str) -> Tables:
        """Return the tidy tables of a section.

        Raises
        ------
        NotMeasured
        """
        return self._get(self._sections, section)

    def held(self, *sections: str) -> list[Tables]:
        """Return the tidy tables of those of the sections that were measured."""
        self.asked |= dict.fromkeys(sections)
        return [self._sections[name] for name in sections if name in self._sections]

    def with_pings(self, section: str) -> Tables:
        """Return the tables of a section, with the pings of the idle network if there are any.

        Raises
        ------
        NotMeasured
            Nobody recorded a round-trip time: models would take it for 0.
        """
        tables = self.tables(section)
        for network in self.held("0"):
            tables = replace(tables, pings=network.pings)
        return with_round_trips(tables)

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

        Raises
        ------
        NotMeasured
            The section was not measured; runs without the column or the levels give no values.
        """
        return by_repetition(self.tables(section).runs, column, load, **where)

    def _get(self, found: Mapping[str, Made], name: str) -> Made:
        self.asked[name] = None
        if name not in found:
            raise NotMeasured
        return found[name]


def once(make: Callable[[Measurements], Made]) -> Callable[[Measurements], Made]:
    """Decorate what several claims need, so that it is computed once for each campaign."""

    @wraps(make)
    def kept(measured: Measurements) -> Made:
        if make not in measured.made:
            measured.made[make] = make(measured)
        made: Made = measured.made[make]
        return made

    return kept


def limits(section: str, **where: Any) -> Callable[[Measurements], str]:
    """Return what says what limits a section at its largest load (`analysis.laws.limits`)."""
    return lambda measured: "".join(find_bottleneck(own, **where) for own in measured.held(section))


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
            return pd.Series(dtype=float)
        frame = frame[frame[name] == level]
    if column not in frame:
        return pd.Series(dtype=float)
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
