"""The form of all re-derivations."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

COLUMNS = [
    "study",
    "kind",
    "table",
    "quantity",
    "published",
    "rederived",
    "tolerance",
    "within",
    "agrees",
    "inferred",
    "basis",
    "remark",
]
ROUNDING = "rounding"  # of the printed digits of a number and of what it is computed from

EFFECTS = "effects, means"
SHARES = "shares of variation"
STATIONS = "M/M/1, M/M/m"
NETWORK = "closed network"
RATES = "times and rates"
INTERACTIVE = "interactive law"
LITTLE = "Little's law"
UTILIZATION = "utilization law"
LINKS = "links"
OVERHEAD = "overhead, N / X"
TEXT = "numbers of the text"
KINDS = [  # in the order in which tables have them
    EFFECTS, SHARES, STATIONS, NETWORK, RATES, INTERACTIVE, LITTLE, UTILIZATION, LINKS, OVERHEAD,
    TEXT,
]  # fmt: skip
INPUTS = "inputs only"  # tables from which no number was derived again


def rows_of(
    study: str,
    kind: str,
    table: str,
    quantity: str,
    published: pd.Series,
    rederived: pd.Series,
    tolerance: ArrayLike,
    basis: str,
    remark: str | pd.Series = "",
    *,
    within: str = ROUNDING,
    inferred: ArrayLike = False,
) -> pd.DataFrame:
    """Put published and re-derived values of one quantity beside each other.

    Parameters
    ----------
    kind
        What sort of number it is, one of this module's.
    published, rederived
        On the same index, which goes into the column `quantity`; NaN if there is no such value.
    tolerance
        Largest difference with which a value agrees; one value, or one for each row.
    basis
        Formula and inputs.
    remark
        Why a value does not agree; kept only where it does not.
    within
        What the tolerance is, in words, where it is more than rounding: ``3 %``.
    inferred
        Whether an input was not printed but read from the value itself, so that it agrees by
        construction.
    """
    rederived = rederived.loc[published.index]
    names = [f"{quantity} {label}".strip() for label in published.index]
    agrees = np.abs(published.to_numpy() - rederived.to_numpy()) <= np.asarray(tolerance)
    return pd.DataFrame(
        {
            "study": study,
            "kind": kind,
            "table": table,
            "quantity": names,
            "published": published.to_numpy(dtype=float),
            "rederived": rederived.to_numpy(dtype=float),
            "tolerance": np.broadcast_to(np.asarray(tolerance, dtype=float), len(published)),
            "within": within,
            "agrees": agrees,
            "inferred": np.broadcast_to(np.asarray(inferred, dtype=bool), len(published)),
            "basis": basis,
            "remark": np.where(agrees, "", np.asarray(remark)),
        }
    )[COLUMNS]
