r"""What single cells of a 2^k r design carry: its interactions, and its error.

One cell that stands apart gives every interaction the same size, and looks like all factors
depending on each other. How much of them it carries tells the prediction of it by the main effects
of the other cells: with the residual :math:`e_i` and the leverage :math:`h` of a cell's mean in
that model the cell accounts for :math:`r e_i^2 / (1 - h)` of the interactions' variation
(Cook & Weisberg 1982, section 2.2). All of it, where no other cell departs from the main effects.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.statistics.factorial.designs import Key
from analysis.statistics.factorial.model import MEAN, FactorialResult


def carriers(result: FactorialResult) -> pd.DataFrame:
    """Tell what each cell carries.

    Indexed by cell (``+-+``): `measured` (its mean), `from_others` (what the main effects of the
    other cells predict), `interactions_carried` and `error_carried` (fractions of the variation by
    interactions, and of SSE; NaN where there is none).

    Parameters
    ----------
    result
        Of at least two factors.
    """
    from statsmodels.regression.linear_model import OLS  # here: a second, for every kernel

    if len(result.factors) < 2:
        raise ValueError("one factor has no interactions that a cell could carry")
    rows = result.residuals
    cells = sorted(rows["cell"].unique())
    effects = result.effects["effect"]
    signs = pd.DataFrame({name: _signs(name, cells, result) for name in effects.index}, index=cells)
    means = signs @ effects
    main = [MEAN, *result.factors]
    influence = OLS(means.to_numpy(), signs[main].to_numpy()).fit().get_influence()
    variation = float((effects.drop(main) ** 2).sum() * len(cells))
    errors = (rows["residual"] ** 2).groupby(rows["cell"]).sum()
    return pd.DataFrame(
        {
            "measured": means,
            "from_others": means - influence.resid_press,
            "interactions_carried": influence.resid
            * influence.resid_press
            / (variation if variation else np.nan),
            "error_carried": errors / (result.sse if result.sse else np.nan),
        },
        index=pd.Index(cells, name="cell"),
    )


def without_cell(result: FactorialResult, cell: str) -> pd.Series:
    """Return the effects if a cell were what the main effects of the others predict."""
    known = carriers(result)
    apart = (known["from_others"] - known["measured"]).to_dict()[cell]
    names = result.effects.index
    signs = np.array([_signs(str(name), [cell], result)[0] for name in names])
    changed = result.effects["effect"].to_numpy() + signs * apart / 2 ** len(result.factors)
    return pd.Series(changed, index=names)


def carriers_table(results: Mapping[Key, FactorialResult]) -> pd.DataFrame:
    """Put the effects of every response beside those without the cell that carries most.

    Two rows for each response: `workload`, `response`, `Cells` (``all``, and ``without A+ B- C+``),
    the effects ``A``, ``B``, ...; and in the second row what the cell carries, `Interactions` and
    `Error` (fractions).
    """
    rows = []
    for (workload, response), result in results.items():
        carried = carriers(result)
        if carried["interactions_carried"].isna().all():
            continue
        cell = str(carried["interactions_carried"].idxmax())
        name = " ".join(f"{a}{sign}" for a, sign in zip(result.factors, cell, strict=True))
        of = {"workload": workload, "response": response}
        rows.append({**of, "Cells": "all", **result.effects["effect"].drop(MEAN)})
        most = carried.loc[cell, ["interactions_carried", "error_carried"]]
        shares = dict(zip(("Interactions", "Error"), most, strict=True))
        effects = without_cell(result, cell).drop(MEAN)
        rows.append({**of, "Cells": f"without {name}", **effects, **shares})
    return pd.DataFrame(rows)


def _signs(name: str, cells: list[str], result: FactorialResult) -> list[int]:
    """Signs of an effect in cells."""
    places = [] if name == MEAN else [list(result.factors).index(letter) for letter in name]
    return [int(np.prod([1 if cell[place] == "+" else -1 for place in places])) for cell in cells]
