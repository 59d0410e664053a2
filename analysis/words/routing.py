"""How a ring shares requests out, and what copies and a middleware cost, in words."""

import numpy as np
import pandas as pd

from analysis.words.numbers import percent


def share_sentences(compared: pd.DataFrame) -> str:
    """Say how far the measured shares are from the ring's, and from an even share.

    Parameters
    ----------
    compared
        `replicas`, `server`, `share_mean` and `expected` (fractions).
    """
    off = (compared["share_mean"] - compared["expected"]).abs()
    worst = compared.iloc[int(np.argmax(off))]
    even = 1 / compared["server"].nunique()
    uneven = (compared["share_mean"] - even).abs().max()
    said = (
        f"Measured shares are within {_points(off.max())} of what the ring gives for the keys that "
        f"were asked for (at worst server {worst['server']} with R = {int(worst['replicas'])})."
    )
    cause = (
        "the ring, not chance, makes the shares uneven"
        if off.max() < uneven
        else ("what is uneven beyond the ring is chance")
    )
    return f"{said} They are up to {_points(uneven)} off the even share: {cause}."


def replica_sentences(cells: pd.DataFrame, bound: pd.DataFrame) -> str:
    """Say what copies cost in throughput, measured and at most by the sets that they add.

    Parameters
    ----------
    cells
        From `analysis.summary.cells`: rows with a middleware and the same workers, by `replicas`.
    bound
        From `analysis.routing.replicated_throughput` for the same replicas.
    """
    rows = cells.sort_values("replicas")
    first = rows.iloc[0]
    lines = []
    expected = bound.set_index("replicas")
    for _, row in rows.iloc[1:].iterrows():
        copies = int(row["replicas"])
        ratio = _mean(row) / _mean(first) - 1
        more = float(expected["requests_per_request"].loc[copies]) - 1
        apart = (
            row["client_throughput_ops_per_s_ci_low"] > first["client_throughput_ops_per_s_ci_high"]
            or row["client_throughput_ops_per_s_ci_high"]
            < first["client_throughput_ops_per_s_ci_low"]
        )
        judged = "significant" if apart else "not significant: the confidence intervals overlap"
        lines.append(
            f"- **R = {copies}**: throughput {percent(ratio, 1, signed=True)} against "
            f"R = {int(first['replicas'])} ({judged}); the servers get {percent(more, 1)} more "
            "requests than clients send."
        )
    return "\n".join(lines) or "Only one number of copies was measured: nothing to compare."


def overhead_sentences(costs: pd.DataFrame, khalil: pd.DataFrame) -> str:
    """Say what the middleware costs beside what Khalil's cost.

    Parameters
    ----------
    costs
        From `analysis.routing.overhead`.
    khalil
        His section 3.3: `quantity`, `without_middleware`, `with_middleware`.
    """
    throughput = costs[costs["measure"] == "client_throughput_ops_per_s"]
    if throughput.empty:
        return "No run without middleware was accepted: there is nothing to compare with."
    ordered = throughput.sort_values("with_middleware", kind="stable")
    best, least = ordered.iloc[-1], ordered.iloc[0]
    theirs = khalil.set_index("quantity").to_dict("index")["throughput_mean"]
    lost = theirs["with_middleware"] / theirs["without_middleware"] - 1
    span = ""
    if len(throughput) > 1:
        span = (
            f" and {percent(least['relative_overhead'], signed=True)} at worst "
            f"({int(least['workers'])} workers, R = {int(least['replicas'])})"
        )
    return (
        "Beside clients that talk to the servers themselves, throughput through the middleware "
        f"changes by {percent(best['relative_overhead'], signed=True)} at best "
        f"({int(best['workers'])} workers, R = {int(best['replicas'])}){span}; Khalil's "
        f"middleware, which replicates to all, came to {percent(lost, signed=True)}."
    )


def _mean(row: pd.Series) -> float:
    return float(row["client_throughput_ops_per_s_mean"])


def _points(fraction: float) -> str:
    return f"{fraction * 100:.1f} percentage points"
