"""How a ring shares requests out, and what copies and a middleware cost, in words."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.text.formatting import grouped
from analysis.text.lists import joined
from analysis.text.numbers import percent
from analysis.units import MS_PER_S
from analysis.words.studies import khalil_systems

_JUDGED = {True: "significant", False: "not significant: the confidence intervals overlap"}


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


def not_measured_sentence(measured: Sequence[int], studied: Sequence[int], profile: str) -> str:
    """Say which numbers of workers the section has in a fuller profile, and not here.

    Parameters
    ----------
    measured, studied
        Numbers of workers here, and in `profile`.
    """
    missing = [str(workers) for workers in sorted(set(studied) - set(measured))]
    if not missing:
        return ""
    was = "were" if len(missing) > 1 else "was"
    named = joined(missing)
    return f"{named} workers, which profile `{profile}` has, too, {was} not measured here."


def replica_sentences(costs: pd.DataFrame, counts: pd.DataFrame) -> str:
    """Say what copies cost in throughput, measured and at most by the sets that they add.

    Parameters
    ----------
    costs
        From `analysis.sections.replication.copies_table`.
    counts
        From `analysis.sections.replication.request_counts`: cells without any set are named.
    """
    lines = [
        f"- **{int(row['workers'])} workers, R = {int(row['replicas'])}**: throughput "
        f"{percent(row['relative_throughput'], 1, signed=True)} against "
        f"R = {int(row['fewest_replicas'])} "
        f"({_JUDGED[bool(row['significant'])]}); with {grouped(row['sets'])} sets the servers get "
        f"{percent(row['requests_per_request'] - 1, 1)} more requests than clients send."
        for _, row in costs.iterrows()
    ]
    empty = counts[(counts["workers"] > 0) & (counts["sets"] == 0)]
    lines += [
        f"- **{int(row['workers'])} workers, R = {int(row['replicas'])}**: no set was made in the "
        "stable window; copies make no difference to gets, and the cell is left out."
        for _, row in empty.iterrows()
    ]
    return "\n".join(lines) or "Only one number of copies was measured: nothing to compare."


def overhead_sentences(costs: pd.DataFrame, khalil: pd.DataFrame) -> str:
    """Say what the middleware costs beside what Khalil's cost.

    Parameters
    ----------
    costs
        From `analysis.sections.routing.overhead`.
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
        f"middleware, which replicates to all, came to {percent(lost, signed=True)}. "
        f"{khalil_sentence()}"
    )


def khalil_sentence() -> str:
    """Say that Khalil's two measurements were not made with the same load and servers."""
    return (
        f"His two numbers are of different systems: {khalil_systems()}, so that their difference "
        "is not the middleware's alone."
    )


def worker_bound_sentences(direct: pd.DataFrame, through: pd.DataFrame, limit: str) -> str:
    """Explain the throughput with a middleware: what so many workers do, one request each.

    Parameters
    ----------
    direct, through
        From `analysis.sections.replication.direct_and_through`.
    limit
        Of the system without a middleware, as `analysis.words.limits.limit_of` names it.

    Returns
    -------
    str
        Markdown: a sentence, and a list item for each cell with a middleware.
    """
    without = ""
    if len(direct):
        rate = direct["client_throughput_ops_per_s_mean"].iloc[0]
        without = f"Without a middleware the system is {limit}, at {grouped(rate)} op/s. "
    lines = [
        f"{without}Through the middleware a request holds a worker for its service time S, so that "
        "m workers do m / S however fast the links are:\n"
    ]
    for _, cell in through.sort_values(["workers", "replicas"]).iterrows():
        workers = int(cell["num_middlewares"] * cell["workers"])
        service_ms = round(float(cell["middleware_service_time_ms_mean"]), 3)  # as it is printed
        most = workers / service_ms * MS_PER_S
        did = cell["middleware_throughput_ops_per_s_mean"]
        lines.append(
            f"- **{int(cell['workers'])} workers, R = {int(cell['replicas'])}**: {workers} / "
            f"{service_ms:.3f} ms = {grouped(most)} op/s, measured {grouped(did)} op/s "
            f"({percent(did / most)})."
        )
    return "\n".join(lines)


def _points(fraction: float) -> str:
    return f"{fraction * 100:.2f} percentage points"
