"""Summary tables in the studies' layout, and our numbers beside the published ones."""

from collections.abc import Sequence

import pandas as pd

from analysis.laws.operational import interactive_response_time, interactive_throughput
from analysis.statistics.comparison import verdicts
from analysis.statistics.intervals import aggregate
from analysis.statistics.loads.capacity import capacities
from analysis.statistics.loads.curve import THINK_TIME, with_think_time
from analysis.statistics.precision.split_by_regime import REGIME
from analysis.statistics.student import CONFIDENCE
from analysis.tables.frames import SETTINGS
from analysis.tables.loading import OWN
from analysis.units import MS_PER_S

CELL_KEY = ("section", "workload", "workers", "num_clients")
_NOT_MEASURES = (
    "clients_per_thread",
    "repetition",
    "time_dilation",
    "stable_s",
    "campaign_seed",
    *SETTINGS,
)
_FOLLOW = ("instances_per_client", "threads_per_instance")  # from the numbers of hosts
_MEASURED_ON = {"middleware": "middleware", "clients": "client"}
_OF_SATURATION = ("nominal_capacity", "knee_clients")
_OTHERS = ("queueing_time_ms", "miss_rate")
SAME = 0.05  # of the largest capacity, by which another may be smaller and still enough
NEAR_PUBLISHED = 0.1  # the margin within which ours equals a study's, on other machines


def cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Aggregate the repetitions of every configuration (`analysis.statistics.intervals.aggregate`).

    One row per configuration: `section`, `workload`, `workers` (where there are any), every other
    setting that a section varies, `num_clients`, `think_time_s`, and every measure with `_mean`,
    `_sd`, `_ci_low`, `_ci_high`, `_repetitions`; among them `interactive_law_throughput_ops_per_s`
    and `interactive_law_response_time_ms`, what the law makes of each run by itself (the law of
    means over repetitions is not the mean of the laws; no time where clients seem to think longer
    than a cycle takes), and `middleware_derived_throughput_ops_per_s`, what it makes of response
    time and think time at the middleware (missing with a `pipeline`, of which the middleware does
    not see how long requests wait on the connection).

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs`; with those of `label_regimes`, each cell is of one
        regime.

    Raises
    ------
    ValueError
        There is no accepted run.
    """
    if runs.empty:
        raise ValueError("no accepted run to aggregate: Tables.rejected tells why")
    runs = _with_interactive_law(runs)
    factors = varied(runs)
    by = [name for name in CELL_KEY if name in runs and runs[name].notna().any()]
    by[-1:-1] = [name for name in factors if name not in by]
    by += [REGIME] if REGIME in runs else []
    by += [name for name in [THINK_TIME] if name not in by]
    numbers = runs.select_dtypes("number").columns
    measures = [name for name in numbers if name not in (*by, *_NOT_MEASURES)]
    frame = aggregate(runs, by, measures)
    if "workers" in frame and frame["workers"].notna().all():
        frame["workers"] = frame["workers"].astype("int64")  # a float only where some run has none
    return frame


def varied(runs: pd.DataFrame) -> list[str]:
    """Return the settings that some section of `runs` varies, in a fixed order.

    Where numbers of instances and threads follow from those of the hosts they are left out.
    """
    names = [name for name in SETTINGS if name in runs and name not in _FOLLOW]
    return [
        name
        for name in names
        if runs[["section", name]].drop_duplicates()["section"].duplicated().any()
    ]


def repetition_words(cells: pd.DataFrame) -> str:
    """Say how many repetitions stand behind `cells`, for captions: ``3 repetitions``."""
    counts = cells["client_throughput_ops_per_s_repetitions"]
    fewest, most = counts.min(), counts.max()
    number = f"{most}" if fewest == most else f"{fewest} to {most}"
    return f"{number} repetition{'' if most == 1 else 's'}"


def error_bar_words(cells: pd.DataFrame) -> str:
    """Say what the error bars of figures of `cells` are, for captions."""
    if cells.empty:
        return "nothing measured"
    if cells["client_throughput_ops_per_s_ci_low"].isna().all():
        return f"no error bars from {repetition_words(cells)}"
    return f"error bars {CONFIDENCE * 100:g} % confidence intervals, {repetition_words(cells)}"


def capacity_table(
    cells: pd.DataFrame, by: Sequence[str] = ("workload",), *, measured_on: str = "clients"
) -> pd.DataFrame:
    """Summarise each system at its usable capacity, as the studies' tables 2 and 3 do.

    Columns: `by` (and `think_time_s` where it varies), `measured_on`, `num_clients` (linear between
    loads), `throughput_ops_per_s` (at the clients the usable capacity), `response_time_ms`,
    `repetitions`; and at the clients the 95 % interval `throughput_ci_low_ops_per_s`,
    `throughput_ci_high_ops_per_s`, and `nominal_capacity_ops_per_s` and `knee_clients` with theirs
    (`analysis.statistics.loads.capacity.capacities`).

    Parameters
    ----------
    by
        What makes a system: ``["workload"]`` without, ``["workload", "workers"]`` with a
        middleware.
    measured_on
        Whose numbers are shown, ``clients`` or ``middleware``; the capacity itself is always
        found at the clients.
    """
    found = capacities(cells, by)
    side = _MEASURED_ON[measured_on]
    columns = {
        **{name: found[name] for name in with_think_time(cells, by)},
        "measured_on": measured_on,
        "num_clients": found["num_clients"].round().astype("int64"),
        **_throughput_and_response_time(found, side),
        "repetitions": found["repetitions"],
    }
    if side == "client":
        for end in ("ci_low", "ci_high"):
            columns[f"throughput_{end}_ops_per_s"] = found[f"usable_capacity_{end}_ops_per_s"]
        names = [str(name) for name in found if str(name).startswith(_OF_SATURATION)]
        columns |= {name: found[name] for name in names}
    return pd.DataFrame(columns)


def middleware_table(
    cells: pd.DataFrame, system: Sequence[str] = ("section", "workload")
) -> pd.DataFrame:
    """Put what the middleware and the clients measured below each other, as the studies' table 4.

    Of each system, by default each section and workload, the smallest number of workers is shown
    whose usable capacity is within `SAME` of the largest.

    Two rows per system: `system` (and `think_time_s` where it varies), `workers`, `measured_on`
    (``middleware``, ``clients``), the other columns of `capacity_table`, `queueing_time_ms`,
    `miss_rate`.
    """
    by = with_think_time(cells, [*system, "workers"])
    system = [name for name in by if name != "workers"]
    capacity = capacity_table(cells, by)
    largest = capacity.groupby(system, dropna=False)["throughput_ops_per_s"].transform("max")
    enough = capacity[capacity["throughput_ops_per_s"] >= (1 - SAME) * largest]
    best = enough.sort_values("workers").drop_duplicates(system).sort_index().index
    found = capacities(cells, by)
    sides = []
    for measured_on, side in _MEASURED_ON.items():
        others = found.reindex(columns=[f"{side}_{name}_mean" for name in _OTHERS])
        table = capacity_table(cells, by, measured_on=measured_on)
        sides.append(table.join(others.set_axis(list(_OTHERS), axis="columns")).loc[best])
    both = pd.concat(sides).sort_index(kind="stable").reset_index(drop=True)
    return both.astype({"workers": "int64"})


def beside_ours(runs: pd.DataFrame) -> pd.DataFrame:
    """Put every middleware that sections were measured with beside ours, with enough workers.

    The table has the columns of `middleware_table`, and `throughput_ratio`: over ours, measured
    alike.
    """
    each = [cells(own).assign(middleware=name) for name, own in runs.groupby("middleware")]
    system = ["middleware", "section", "workload"]
    table = middleware_table(pd.concat(each, ignore_index=True), system)
    on = ["section", "workload", THINK_TIME, "measured_on"]
    on = [name for name in on if name in table]
    ours = table[table["middleware"] == OWN].set_index(on)["throughput_ops_per_s"]
    beside = ours.reindex(pd.MultiIndex.from_frame(table[on])).to_numpy()
    return table.assign(throughput_ratio=table["throughput_ops_per_s"] / beside)


def comparison_table(
    ours: pd.DataFrame, published: pd.DataFrame, on: Sequence[str]
) -> pd.DataFrame:
    """Put our numbers beside the published ones.

    One row per row of a study that has one of ours: `on`, `study`, and of the number of clients,
    throughput and response time ours and the study's (`study_...`), with the ratios ours / study,
    and `verdict`: whether our throughput equals the study's within `NEAR_PUBLISHED`
    (`analysis.statistics.verdicts`; missing at the middleware, which has no interval). Response
    times at different loads say little about each other.

    Parameters
    ----------
    on
        What must agree: ``["workload", "measured_on"]``, with ``"workers"`` where the study has
        them; what the clients and what the middleware measured are not to be compared.
    """
    both = published.merge(ours, on=list(on), suffixes=("_study", "_ours"))
    columns = {name: both[name] for name in (*on, "study")}
    columns["num_clients"] = both["num_clients_ours"]
    columns["study_num_clients"] = both["num_clients_study"].astype("Int64")
    for measure, name in (
        ("throughput", "throughput_ops_per_s"),
        ("response_time", "response_time_ms"),
    ):
        columns[name] = both[f"{name}_ours"]
        columns[f"study_{name}"] = both[f"{name}_study"]
        columns[f"{measure}_ratio"] = both[f"{name}_ours"] / both[f"{name}_study"]
    low, high = (f"throughput_ci_{end}_ops_per_s" for end in ("low", "high"))
    known = both.reindex(columns=[low, high])
    printed = both["throughput_ops_per_s_study"].where(known[low].notna())
    judged = verdicts(printed, known[low], known[high], NEAR_PUBLISHED)
    columns["verdict"] = pd.Series(judged, both.index, dtype=object)
    return pd.DataFrame(columns).sort_values([*on, "study"], ignore_index=True)


def _with_interactive_law(runs: pd.DataFrame) -> pd.DataFrame:
    clients, think_time_s = runs["num_clients"], runs[THINK_TIME]
    response_time_s = runs["client_response_time_ms"] / MS_PER_S
    throughput = runs["client_throughput_ops_per_s"]
    possible = throughput.where(~(think_time_s > clients / throughput))
    predicted_s = interactive_response_time(clients, possible, think_time_s)
    inside = ["middleware_response_time_ms", "middleware_client_rtt_and_think_time_ms"]
    if set(inside) <= set(runs.columns):
        cycle_s = runs[inside].sum(axis="columns", min_count=len(inside)) / MS_PER_S
        if "pipeline" in runs:
            cycle_s = cycle_s.mask(runs["pipeline"] > 1)
        runs = runs.assign(middleware_derived_throughput_ops_per_s=clients / cycle_s)
    return runs.assign(
        interactive_law_throughput_ops_per_s=interactive_throughput(
            clients, response_time_s, think_time_s
        ),
        interactive_law_response_time_ms=predicted_s * MS_PER_S,
    )


def _throughput_and_response_time(found: pd.DataFrame, side: str) -> dict[str, pd.Series]:
    names = ("throughput_ops_per_s", "response_time_ms")
    return {name: found[f"{side}_{name}_mean"] for name in names}
