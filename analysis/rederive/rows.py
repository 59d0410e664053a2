"""The form of all re-derivations."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

COLUMNS = ["study", "table", "quantity", "published", "rederived", "agrees", "basis", "remark"]


def rows_of(
    study: str,
    table: str,
    quantity: str,
    published: pd.Series,
    rederived: pd.Series,
    rounding: ArrayLike,
    basis: str,
    remark: str | pd.Series = "",
) -> pd.DataFrame:
    """Put published and re-derived values of one quantity beside each other.

    Parameters
    ----------
    published, rederived
        On the same index, which goes into the column `quantity`; NaN if there is no such value.
    rounding
        Largest difference that the printed digits of the number and of its inputs explain; one
        value, or one for each row.
    basis
        Formula and inputs.
    remark
        Why a value does not agree, or which convention was really used.

    Returns
    -------
    pandas.DataFrame
        Columns `COLUMNS`.
    """
    rederived = rederived.loc[published.index]
    names = [f"{quantity} {label}".strip() for label in published.index]
    return pd.DataFrame(
        {
            "study": study,
            "table": table,
            "quantity": names,
            "published": published.to_numpy(dtype=float),
            "rederived": rederived.to_numpy(dtype=float),
            "agrees": np.abs(published.to_numpy() - rederived.to_numpy()) <= np.asarray(rounding),
            "basis": basis,
            "remark": np.asarray(remark),
        }
    )[COLUMNS]
