"""The studies' machines and what they predict, as tables and figures want them."""

from functools import cache

import pandas as pd

from analysis.studies.machines.fit import CONSTANT, GROWING, NEAR, Fit, fit, judged
from analysis.studies.machines.printed_sets import OTHER, STUDIES, set_cells
from analysis.studies.printed import study_name
from analysis.text.numbers import short

_US_PER_S = 1e6
_NEAR = {GROWING: "Near", CONSTANT: "Near, a = 0"}

_COLUMNS = {
    "alone_per_s": ("μ₁ (sets/s)", 1.0),
    "exponent": ("Exponent a", 1.0),
    "middleware_s": ("Middleware (µs)", _US_PER_S),
    "forwarding_s": ("Each server, in it (µs)", _US_PER_S),
    "slowest": ("Slowest of three", 1.0),
}


@cache
def machines() -> dict[str, Fit]:
    """Fit both kinds of servers to all studies; takes some seconds, once."""
    cells = set_cells()
    return {server: fit(cells, server) for server in (GROWING, CONSTANT)}


def machines_table(fits: dict[str, Fit]) -> pd.DataFrame:
    """Lay out what each study's machines are, with 95 % intervals, and how many cells follow.

    Returns
    -------
    pandas.DataFrame
        One row per study: `study`, the five numbers of the growing server, and for both kinds how
        many cells of other systems than the design's are predicted within 10 %.
    """
    numbers = {
        (str(study), str(name)): ends
        for study, name, *ends in fits[GROWING].numbers.itertuples(index=False, name=None)
    }
    rows = []
    for study in STUDIES:
        row = {"study": study_name(study)}
        for name, (heading, scale) in _COLUMNS.items():
            value, low, high = (short(scale * end) for end in numbers[study, name])
            row[heading] = f"{value} ({low} to {high})"
        for server, one in fits.items():
            told = judged(one.predictions)
            own = told[(told["study"] == study) & (told["part"] == OTHER)]
            row[_NEAR[server]] = f"{own['near'].sum()} of {own['cells'].sum()}"
        rows.append(row)
    return pd.DataFrame(rows)


def predicted_sets(fits: dict[str, Fit]) -> pd.DataFrame:
    """Return all cells as `plot_predicted_against_measured` takes them, by part."""
    cells = fits[GROWING].predictions
    return pd.DataFrame(
        {
            "part": cells["part"],
            "throughput_ops_per_s_mean": cells["published"],
            "throughput_ops_per_s_ci_low": float("nan"),
            "throughput_ops_per_s_ci_high": float("nan"),
            "throughput_ops_per_s_predicted": cells["predicted"],
            "predicted": cells["predicted"],
            "predicted_ci_low": cells["ci_low"],
            "predicted_ci_high": cells["ci_high"],
        }
    )


def cells_near(one: Fit, part: str) -> pd.Series:
    """Tell which cells of a part of all studies' cells are predicted within 10 %.

    Returns
    -------
    pandas.Series
        Of bool, by study, place and load: ``Schmid 2018 table 3 48 clients 1 middlewares 16 workers
        1 servers``; shape (C,), C = number of cells.
    """
    own = one.predictions[one.predictions["part"] == part]
    ratios = own["predicted"] / own["published"]
    names = [
        f"{study_name(str(cell.study))} {cell.place} {cell.num_clients} clients "
        f"{cell.middlewares} middlewares {cell.workers} workers {cell.servers} servers"
        for cell in own.itertuples()
    ]
    return ((ratios - 1).abs() <= NEAR).set_axis(names)
