"""How well models predict, and why not better, in words."""

import numpy as np
import pandas as pd

from analysis.models.system import MACHINE
from analysis.statistics.comparison import MET
from analysis.text.numbers import digits, percent
from analysis.words.patterns import FAR, error_reasons

_VERDICTS = {
    "agrees": "agrees",
    "close": "is close",
    "undecided": "is not decided by these repetitions",
    "differs": "differs",
    "no prediction": "is missing",
}


def model_sentences(compared: pd.DataFrame, machine: pd.DataFrame | None = None) -> str:
    """Say of each workload and model how far its predictions are off, and what that is due to.

    Parameters
    ----------
    compared
        From `analysis.models.cells.compare_cells`: `workload`, `num_clients`, `model`,
        `bottleneck`, `relative_error`.
    machine
        As for `analysis.words.patterns.error_reasons`.

    Returns
    -------
    str
        Markdown, one list item per workload.
    """
    lines = []
    for workload, rows in compared.groupby("workload"):
        parts = [
            _how_far(str(model), own)
            for model, own in rows.groupby("model", sort=False)
            if len(own)
        ]
        reasons = error_reasons(rows, machine)
        lines.append(f"- **Workload {workload}.** {' '.join(parts)} {reasons}".rstrip())
    return "\n".join(lines)


def _how_far(model: str, rows: pd.DataFrame) -> str:
    errors = rows["relative_error"].dropna()
    if errors.empty:
        return f"The {model} predicts nothing."
    worst = rows.loc[errors.index].iloc[int(np.argmax(errors.abs()))]
    near = int((errors.abs() <= FAR).sum())
    return (
        f"The {model} is within {percent(FAR)} in {near} of {len(errors)} cells, "
        f"{percent(errors.mean(), 1, signed=True)} off on average, and at worst "
        f"{percent(worst['relative_error'], 1, signed=True)} off ({_cell(worst)})."
    )


def _cell(row: pd.Series) -> str:
    workers = f"{int(row['workers'])} workers, " if "workers" in row else ""
    return f"{workers}{int(row['num_clients'])} clients"


def station_sentences(compared: pd.DataFrame) -> str:
    """Say how M/M/1 and M/M/m do on closed loops, by the reasons why they fail.

    Parameters
    ----------
    compared
        From `analysis.models.fed_with_closed_loops.station_predictions`.
    """
    lines = []
    for model, rows in compared.groupby("model", sort=False):
        errors = rows["relative_error"].abs()
        near = int((errors <= FAR).sum())
        kinds = rows["reason"].str.replace(r"[\d.,]+", "#", regex=True)
        wrong = ~rows["verdict"].isin(MET)
        lead = f"- **{model}** comes within {percent(FAR)} in {near} of {len(rows)} predictions"
        if not wrong.any():
            lines.append(f"{lead}.")
            continue
        most = kinds[wrong].value_counts().index[0]
        example = rows[wrong & (kinds == most)].iloc[0]
        lines.append(
            f"{lead}; half of them are off by {percent(errors.median())} or more. The most "
            f"frequent reason, as for {example['workload']} with {_cell(example)}: "
            f"{example['reason']}."
        )
    return "\n".join(lines)


def open_sentences(compared: pd.DataFrame, what: str) -> str:
    """Say which of the models of an open loop comes nearest to what was measured.

    Parameters
    ----------
    compared
        From `analysis.sections.open_loop.compare_open`.
    what
        The station, such as ``the server's link``.
    """
    if compared.empty:
        return f"No run at {what} was accepted: there is nothing to compare."
    known = compared.dropna(subset="relative_error")
    if known.empty:
        return f"Of {what} no rate leaves a steady state: there is nothing to compare."
    means = known.groupby("model")["relative_error"].apply(lambda errors: errors.abs().mean())
    best = str(means.idxmin())
    listed = ", ".join(
        f"{model} {percent(error, 1)}" for model, error in means.sort_values().items()
    )
    ordered = known[known["model"] == best].sort_values("utilization")
    idlest, busiest = ordered.iloc[0], ordered.iloc[-1]
    return (
        f"At {what} {best} comes nearest; mean relative errors of the response time: {listed}. "
        f"At the highest utilization with a prediction, {busiest['utilization']:.2f}, {best} says "
        f"{busiest['predicted']:.2f} ms, measured are {busiest['measured']:.2f} ms: "
        f"{busiest['reason']}.{_below_idle(idlest)}"
    )


def _below_idle(idlest: pd.Series) -> str:
    """Say so where even an idle station would take longer than was measured."""
    if idlest["relative_error"] <= 2 * FAR:
        return ""
    return (
        f" Already at utilization {idlest['utilization']:.2f}, where hardly anything waits, more "
        "is predicted than measured: an emulated link that is a token bucket lets a message pass "
        "at once while it has tokens, so that what a model takes for service time is not paid."
    )


def dilation_sentences(
    predicted: pd.DataFrame, runs: pd.DataFrame, *, num_clients: int, measured_at: float
) -> str:
    """Say from which time dilation on the links of a lab are its limit, and what was measured.

    Parameters
    ----------
    predicted
        From `analysis.models.dilation_table`.
    runs
        `analysis.tables.frames.Tables.runs` of the system, measured at the dilation `measured_at`.
    """
    if predicted.empty:
        return "No machine is known that all hosts share: time needs no dilation."
    limited = predicted["bottleneck"] == MACHINE
    words = []
    for _, row in predicted[limited].iterrows():
        words.append(
            f"At k = {row['time_dilation']:g} the machine would be the limit, at "
            f"{digits(row['throughput_ops_per_s'])} op/s."
        )
    if not limited.all():
        first = predicted[~limited].iloc[0]
        words.append(
            f"From k = {first['time_dilation']:g} on the {first['bottleneck']} is, at "
            f"{digits(first['throughput_ops_per_s'])} op/s, and a larger k changes nothing."
        )
    own = runs[(runs["num_clients"] == num_clients) & (runs["workers"] == runs["workers"].max())]
    measured = own["client_throughput_ops_per_s"].mean()
    expected = predicted.loc[predicted["time_dilation"] == measured_at, "throughput_ops_per_s"]
    if len(expected):
        words.append(
            f"{digits(measured)} op/s were measured at k = {measured_at:g}: the prediction is "
            f"{percent(expected.iloc[0] / measured - 1, 1, signed=True)} off."
        )
    return " ".join(words)


def what_if_sentences(table: pd.DataFrame) -> str:
    """Say of each predicted change whether the measurement bore it out.

    Parameters
    ----------
    table
        From `remote.campaign.whatif.run_what_if`.
    """
    base = table.iloc[0]["case"]
    lines = []
    throughput = table[table["measure"] == "throughput_ops_per_s"].set_index("case")
    for case, row in throughput.drop(index=base).iterrows():
        predicted = row["predicted"] / throughput.loc[base, "predicted"] - 1
        told = f"- **{case}**: predicted {percent(predicted, signed=True)} of throughput"
        if pd.isna(row["measured"]) or pd.isna(throughput.loc[base, "measured"]):
            lines.append(f"{told}; not measured.")
            continue
        measured = row["measured"] / throughput.loc[base, "measured"] - 1
        lines.append(
            f"{told}, measured {percent(measured, signed=True)}; the prediction "
            f"{_VERDICTS[row['verdict']]} ({percent(row['relative_error'], 1, signed=True)}), "
            f"limited by the {row['bottleneck']}."
        )
    return "\n".join(lines)
