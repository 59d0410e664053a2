"""Derived numbers of the published tables, computed again from the published inputs."""

import pandas as pd

from analysis.published.agreement import (
    agreement,
    digits,
    disagreements,
    shown,
    side_by_side,
    two_digits,
)
from analysis.published.designs_again import (
    cells_keep_the_interactive_law,
    rebuild_cells,
    schmid_allocation,
    schmid_cells,
    yenicelik_effects,
)
from analysis.published.laws_again import (
    bandwidths,
    derived_throughput,
    interactive_law,
    khalil_overhead,
    queue_lengths,
)
from analysis.published.one_link import read_only_cells
from analysis.published.stations_again import yenicelik_many_servers, yenicelik_single_queue

__all__ = [
    "agreement",
    "digits",
    "disagreements",
    "read_only_cells",
    "rebuild_cells",
    "rederive_all",
    "shown",
    "side_by_side",
    "two_digits",
]


def rederive_all() -> pd.DataFrame:
    """Compute every derived number again; `read_only_cells`, a simulation, stands apart.

    Returns
    -------
    pandas.DataFrame
        `study`, `table`, `quantity`, `published`, `rederived`, `tolerance` (largest difference with
        which a value agrees), `within` (what it is, in words: ``rounding`` of the printed digits,
        or more), `agrees`, `inferred` (an input was read from the value itself), `basis` (formula
        and inputs), `remark` (why a value does not agree, or which convention was really used).
    """
    parts = [
        yenicelik_effects(),
        yenicelik_single_queue(),
        yenicelik_many_servers(),
        schmid_allocation(),
        schmid_cells(),
        cells_keep_the_interactive_law(),
        interactive_law(),
        derived_throughput(),
        queue_lengths(),
        bandwidths(),
        khalil_overhead(),
    ]
    return pd.concat(parts, ignore_index=True)
