"""Derived numbers of the published tables, computed again from the published inputs."""

import pandas as pd

from analysis.published.agreement import agreement, disagreements, side_by_side
from analysis.published.designs_again import (
    cells_keep_the_interactive_law,
    schmid_allocation,
    schmid_cells,
    yenicelik_effects,
    yenicelik_means,
)
from analysis.published.laws_again import (
    bandwidths,
    derived_throughput,
    interactive_law,
    khalil_overhead,
    queue_lengths,
)
from analysis.published.message_queue import su_numbers
from analysis.published.one_link import read_only_cells
from analysis.published.stations_again import yenicelik_many_servers, yenicelik_single_queue
from analysis.published.texts_again import schmid_numbers, schmid_utilizations, yenicelik_ratios
from analysis.published.variation_again import cetin_design

__all__ = [
    "agreement",
    "disagreements",
    "read_only_cells",
    "rederive_all",
    "side_by_side",
]


def rederive_all() -> pd.DataFrame:
    """Compute every derived number again; `read_only_cells`, a simulation, stands apart.

    Returns
    -------
    pandas.DataFrame
        `study`, `kind` (what sort of number), `table`, `quantity`, `published`, `rederived`,
        `tolerance` (largest difference with which a value agrees), `within` (what it is, in words:
        ``rounding`` of the printed digits, or more), `agrees`, `inferred` (an input was read from
        the value itself), `basis` (formula and inputs), `remark` (why a value does not agree).
    """
    parts = [
        yenicelik_means(),
        yenicelik_effects(),
        yenicelik_single_queue(),
        yenicelik_many_servers(),
        schmid_allocation(),
        schmid_cells(),
        cells_keep_the_interactive_law(),
        cetin_design(),
        interactive_law(),
        derived_throughput(),
        queue_lengths(),
        schmid_numbers(),
        schmid_utilizations(),
        yenicelik_ratios(),
        bandwidths(),
        khalil_overhead(),
        su_numbers(),
    ]
    return pd.concat(parts, ignore_index=True)
