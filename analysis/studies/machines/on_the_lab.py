"""`python -m analysis.studies.machines.on_the_lab`: studies' sets beside those of our lab.

``data/<study>`` is the campaign: section ``<study>`` (``examples/studies-machines``) on the
topology of that name (`analysis.studies.machines.topologies`).
"""

import sys
from pathlib import Path

import pandas as pd

from analysis.statistics.intervals import aggregate
from analysis.studies.machines.fit import NEAR
from analysis.studies.machines.printed_sets import STUDIES, set_cells
from analysis.studies.printed import study_name
from analysis.tables.loading import find_sections, load_tables
from records.paths import DATA

THROUGHPUT = "client_throughput_ops_per_s"
_SYSTEM = {"num_middlewares": "middlewares", "num_servers": "servers"}
_KEY = [*_SYSTEM.values(), "workers", "num_clients"]
_COLUMNS = ["study", "place", *_KEY, "at_once", "fitted"]
_COLUMNS += ["published", "measured", "ci_low", "ci_high"]


def sets_on_the_lab(data: Path) -> pd.DataFrame:
    """Put the published sets of each study beside those measured on its topology.

    One row per published cell that was measured: `study`, `place`, `middlewares`, `servers`,
    `workers`, `num_clients`, `at_once` (how many sets can be at the servers: one of each worker, or
    of each client without middleware), `fitted` (whether the study's emulated machine was fitted to
    the cell), `published`, `measured`, `ci_low`, `ci_high` (op/s, 95 % intervals of ours), and
    `ratio`, ours over the study's. Empty where no campaign stands.
    """
    printed = set_cells()
    parts = []
    for study in STUDIES:
        if study in find_sections(data / study):
            ours = _measured(load_tables(data / study, study).runs)
            parts.append(printed[printed["study"] == study].merge(ours, on=_KEY))
    if not parts:
        return pd.DataFrame(columns=[*_COLUMNS, "ratio"])
    table = pd.concat(parts, ignore_index=True)
    workers = table["middlewares"] * table["workers"]
    table["at_once"] = table["num_clients"].where(workers == 0, workers)
    table["fitted"] = table["middlewares"] > 0  # as `topologies.fitted_machines` has it
    named = table[_COLUMNS].assign(study=table["study"].map(study_name))
    return named.assign(ratio=table["measured"] / table["published"])


def near(ratios: pd.Series) -> pd.Series:
    """Tell which cells are within 10 % of what was published."""
    return (ratios - 1).abs() <= NEAR


def _measured(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of a section by the names of the published ones; no workers: 0 of them."""
    statistics = {
        f"{THROUGHPUT}_{statistic}": name
        for statistic, name in (("mean", "measured"), ("ci_low", "ci_low"), ("ci_high", "ci_high"))
    }
    renamed = runs.rename(columns=_SYSTEM).fillna({"workers": 0})
    ours = aggregate(renamed, _KEY, [THROUGHPUT]).rename(columns=statistics)
    return ours[[*_KEY, *statistics.values()]].astype(dict.fromkeys(_KEY, "int64"))


def _main() -> None:
    beside = sets_on_the_lab(DATA)
    if beside.empty:
        sys.exit(f"no campaign of a study in {DATA}: see examples/studies-machines/README.md")
    print(beside.round(2).to_string(index=False))
    for (study, fitted), ratios in beside.groupby(["study", "fitted"])["ratio"]:
        kind = "fitted" if fitted else "other"
        print(f"{study}: {near(ratios).sum()} of {len(ratios)} {kind} cells within 10 %")


if __name__ == "__main__":
    _main()
