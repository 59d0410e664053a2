"""What `lab sensitivity` has measured, read from its folders alone: no lab and no plan is needed.

How a study's folders are named: `records.sensitivity`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from analysis.lab.sensitivity import PARAMETERS, predict_measured, sensitivity_table, slopes_of
from analysis.results.manifests import each_run, measured_sections
from analysis.statistics.estimates import Estimate
from analysis.tables.frames import Tables
from analysis.tables.tidy_cache import campaign_tables
from records.paths import MIDDLEWARES
from records.sensitivity import AS_IT_IS, FOLDER, OF_HOSTS, THROUGHPUT, case_name, parameter_words
from records.verdict import ACCEPTED

_LINKS = "kind"  # what runs that measure links vary
_RESULT = "client_throughput_ops_per_s"  # of manifests, undilated


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredStudy:
    """A configuration and the throughputs of its cases.

    Attributes
    ----------
    folder : Path
        Where the campaigns of its cases stand.
    throughputs, factors
        As `analysis.lab.sensitivity.sensitivity_table` wants them: the cases that are there, with
        their factors as the folders have them, to four digits.
    """

    folder: Path
    throughputs: pd.DataFrame
    factors: Mapping[str, tuple[float, ...]]

    @cached_property
    def tables(self) -> Tables:
        """The tidy tables of the system as it is."""
        as_it_is = self.folder / case_name(AS_IT_IS, 1)
        return campaign_tables(as_it_is, measured_sections(as_it_is))

    @cached_property
    def slopes(self) -> dict[str, Estimate]:
        """The elasticity to each parameter, as it was measured."""
        return slopes_of(self.throughputs, self.factors)

    @cached_property
    def predicted(self) -> dict[str, float]:
        """The elasticity to each parameter by the network of queues; empty where there is none."""
        try:
            return predict_measured(self.tables, self.factors)
        except ValueError:  # a system that it cannot express
            return {}

    def table(self) -> pd.DataFrame:
        """Return `analysis.lab.sensitivity.sensitivity_table` of it."""
        return sensitivity_table(self.throughputs, self.factors, self.predicted)


def find_studies(campaign_dir: Path) -> dict[str, Path]:
    """Return the studies that a campaign holds, of other middlewares too, with their folders.

    Those of the campaign itself are called ``sensitivity/<name>``, those of another middleware
    ``middlewares/<middleware>/sensitivity/<name>``.
    """
    around = campaign_dir.parents[1] if campaign_dir.parent.name == MIDDLEWARES else campaign_dir
    places = ((campaign_dir, f"{FOLDER}/*"), (around, f"{MIDDLEWARES}/*/{FOLDER}/*"))
    found = {
        folder.relative_to(top).as_posix(): folder
        for top, pattern in places
        for folder in sorted(top.glob(pattern))
    }
    return {name: path for name, path in found.items() if _throughputs(path, AS_IT_IS, 1)}


def read_study(folder: Path) -> MeasuredStudy:
    """Read the throughputs of all cases that a study holds.

    Raises
    ------
    FileNotFoundError
        The system as it is was not measured.
    ParseError
        A manifest is damaged; names its path.
    """
    if not _throughputs(folder, AS_IT_IS, 1):
        raise FileNotFoundError(f"{folder} holds no runs: measure it first, by `lab sensitivity`")
    rows = [(AS_IT_IS, 1.0, value) for value in _throughputs(folder, AS_IT_IS, 1)]
    factors: dict[str, tuple[float, ...]] = {}
    for parameter, factor in _cases(folder):
        factors[parameter] = (*factors.get(parameter, ()), factor)
        rows += [(parameter, factor, value) for value in _throughputs(folder, parameter, factor)]
    return MeasuredStudy(
        folder=folder,
        throughputs=pd.DataFrame(rows, columns=["parameter", "factor", THROUGHPUT]),
        factors={name: f if len(f) > 1 else (1.0, *f) for name, f in factors.items()},
    )


def _cases(folder: Path) -> list[tuple[str, float]]:
    """Return parameter and factor of each case that is changed, in the order of the parameters."""
    found = [
        (_parameter(name[1]), float(name[2]))
        for case in sorted(folder.iterdir())
        if (name := re.fullmatch(r"(.+)-x([\d.e+-]+)", case.name))
    ]
    order = list(PARAMETERS)
    return sorted(found, key=lambda one: order.index(one[0]) if one[0] in order else len(order))


def _parameter(words: str) -> str:
    """Return the parameter whose cases are named with these words; of a single host, where none."""
    known = {parameter_words(name): name for name in PARAMETERS}
    of_host = (
        template.format(words.removesuffix(parameter_words(template.format(""))).rstrip("-"))
        for template in OF_HOSTS
        if words.endswith(parameter_words(template.format("")))
    )
    return known.get(words) or next(of_host, words)


def _throughputs(folder: Path, parameter: str, factor: float) -> list[float]:
    """Return the throughput of each repetition of a case, in op/s."""
    manifests = (manifest for _, manifest in each_run(folder / case_name(parameter, factor)))
    loaded = [m for m in manifests if m.status == ACCEPTED and _LINKS not in m.config]
    return [float(manifest.results[_RESULT]) for manifest in loaded]
