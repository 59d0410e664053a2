"""Multi-gets cut into parts or sent whole, in words: which is faster, from when on, and why."""

from functools import partial

import pandas as pd

from analysis.laws.bottlenecks import FULL
from analysis.sections.multi_gets import MODE, SAME, SHOWN
from analysis.text.formatting import grouped
from analysis.text.lists import counted, joined
from analysis.text.numbers import percent

_keys = partial(counted, noun="key")
IDLE = 0.02  # of the time: how much more idle links are not by chance
LIKE = 0.02  # relative difference of two percentiles that count as equal


def nearest_words(level: int, wanted: int) -> str:
    """Say which number of keys is shown where another one was wanted; else nothing."""
    if level == wanted:
        return ""
    return f"{wanted} keys were not measured; the nearest, {level}, is shown instead. "


def spread_words(spread: pd.DataFrame) -> str:
    """Say between which times the middle half of the requests of each mode is answered.

    Parameters
    ----------
    spread
        From `analysis.sections.multi_gets.spread_table`.
    """
    parts = [
        f"{row['p25_ms']:.2f} to {row['p75_ms']:.2f} ms {MODE[bool(row['sharded'])]}"
        for _, row in spread[spread["side"] == "client"].sort_values("sharded").iterrows()
    ]
    return f"At the clients the middle half of the requests takes {' and '.join(parts)}."


def percentile_sentences(percentiles: pd.DataFrame) -> str:
    """Say at which percentiles either mode is faster, from few keys to many.

    Parameters
    ----------
    percentiles
        From `analysis.results.histograms.percentiles_by`, by ``multi_get_keys`` and ``sharded``.

    Returns
    -------
    str
        Markdown, one list item for all numbers of keys with the same outcome.
    """
    values = percentiles[percentiles["percentile"].isin(SHOWN)].pivot_table(
        index="multi_get_keys", columns=["sharded", "percentile"], values="value_ms"
    )
    if len(values.columns.unique("sharded")) < len(MODE):
        return "Only one mode was measured: there is nothing to compare."
    ratios = (values[True] / values[False]).dropna()
    outcomes: dict[str, list[str]] = {}
    for keys, row in ratios.iterrows():
        outcomes.setdefault(_faster_at(row), []).append(str(keys))
    return "\n".join(
        f"- **{joined(levels)} {'key' if levels == ['1'] else 'keys'}**: {outcome}."
        for outcome, levels in outcomes.items()
    )


def load_words(hosts: pd.DataFrame) -> str:
    """Say how busy multi-gets keep the servers' links, and so whether the load is light.

    Parameters
    ----------
    hosts
        `analysis.tables.frames.Tables.hosts` of one mode.
    """
    servers = hosts[hosts["role"] == "servers"].astype({"multi_get_keys": int})
    busy = servers.groupby("multi_get_keys")["send_link_utilization"].mean().dropna()
    if busy.empty:
        return "What the servers' links carry at most is not known, and so not whether they limit."
    parts = [f"{percent(share)} with {_keys(int(str(keys)))}" for keys, share in busy.items()]
    told = f"Of the time, the servers' links are busy for {joined(parts)}"
    full = busy.index[busy >= FULL]
    if full.empty:
        return f"{told}: the load is light, so that response time is the question, not throughput."
    return (
        f"{told}: few as the clients are, from {_keys(int(full.min()))} on the links are full, so "
        "that throughput is what they carry and response time follows from it; only below is the "
        "load light."
    )


def mode_sentences(table: pd.DataFrame) -> str:
    """Say which mode to use when.

    Parameters
    ----------
    table
        From `analysis.sections.multi_gets.mode_table`.
    """
    if table.empty:
        return "No number of keys was measured in both modes, so that neither can be recommended."
    parts = [_from_how_many(table)]
    for mode, advice in (
        (MODE[True], "Sharded multi-gets are faster"),
        (MODE[False], "Whole multi-gets are faster"),
        (SAME, "The two cannot be told apart (the confidence interval of the difference holds 0)"),
    ):
        rows = table[table["faster"] == mode]
        if len(rows):
            cases = "; ".join(_case(row) for _, row in rows.iterrows())
            parts.append(f"{advice} with {cases}.")
    return " ".join(parts)


def link_sentences(table: pd.DataFrame) -> str:
    """Explain the times of each mode by the links, from few keys to many.

    Parameters
    ----------
    table
        From `analysis.sections.multi_gets.link_table`.

    Returns
    -------
    str
        Markdown, one list item per number of keys that has both modes.
    """
    lines = []
    for _, rows in table.groupby("multi_get_keys"):
        by_mode = {bool(row["sharded"]): row for _, row in rows.iterrows()}
        if len(by_mode) == len(MODE):
            keys = int(rows["multi_get_keys"].iloc[0])
            lines.append(f"- **{_keys(keys)}**: {_explained(by_mode[True], by_mode[False])}")
    return "\n".join(lines)


def full_link_words(table: pd.DataFrame) -> str:
    """Say at which sizes the links are full in both modes, and what follows.

    Parameters
    ----------
    table
        From `analysis.sections.multi_gets.link_table`.
    """
    busy = table.pivot_table(index="multi_get_keys", columns="sharded", values="link_utilization")
    if len(busy.columns) < len(MODE):
        return "Only one mode was measured, or the limits of the servers' links are not known."
    full = busy.index[(busy >= FULL).all(axis="columns")]
    if full.empty:
        return (
            "At no size are the servers' links full in both modes; whole multi-gets leave them "
            "idle at times, however many wait."
        )
    return (
        f"With {joined([str(keys) for keys in full])} keys the servers' links are full in both "
        "modes: throughput is what they carry, whichever way requests are cut, and by the "
        "interactive law so is the mean response time of all requests."
    )


def _from_how_many(table: pd.DataFrame) -> str:
    """Answer from how many keys on sharding is faster."""
    faster = table["faster"] == MODE[True]
    least = table.loc[faster, "multi_get_keys"].min()
    if not faster.any():
        return "At no number of keys are sharded multi-gets faster."
    if faster[table["multi_get_keys"] >= least].all():
        return f"**From {_keys(int(least))} on sharded multi-gets are faster.**"
    return "There is no number of keys from which on sharded multi-gets are always faster."


def _explained(cut: pd.Series, whole: pd.Series) -> str:
    return (
        f"a server sends {_values(cut)} of a sharded request, {_values(whole)} of a whole one. "
        f"The servers take {cut['servers_net_time_ms']:.2f} ms and "
        f"{whole['servers_net_time_ms']:.2f} ms, their links are busy for "
        f"{percent(cut['link_utilization'])} and {percent(whole['link_utilization'])} of the time: "
        f"{_outcome(cut, whole)}."
    )


def _outcome(cut: pd.Series, whole: pd.Series) -> str:
    saved = whole["on_link_ms"] - cut["on_link_ms"]
    gained = whole["servers_net_time_ms"] - cut["servers_net_time_ms"]
    if cut["keys_per_server"] == whole["keys_per_server"]:
        return "there is nothing to cut"
    if gained <= 0:
        return "what cutting saves on a link is lost by waiting for the slowest part"
    if cut["link_utilization"] - whole["link_utilization"] > IDLE:
        return (
            "whole requests meet at one server while the links of others idle, so that "
            f"{grouped(whole['throughput_ops_per_s'])} multi-gets are answered in a second instead "
            f"of {grouped(cut['throughput_ops_per_s'])}, and by the interactive law each takes "
            "longer"
        )
    if saved >= gained:
        return (
            f"cutting saves {saved:.2f} ms on a link, and the servers answer {gained:.2f} ms "
            "earlier; the rest is lost by waiting for the slowest part"
        )
    on_link = f", {saved:.2f} ms of it on the link itself" if saved > 0 else ""
    return f"the servers answer {gained:.2f} ms earlier{on_link}"


def _values(row: pd.Series) -> str:
    on_link = "" if pd.isna(row["on_link_ms"]) else f" ({row['on_link_ms']:.2f} ms on its link)"
    return f"{counted(int(row['keys_per_server']), 'value')}{on_link}"


def _faster_at(ratios: pd.Series) -> str:
    """Word at which percentiles sharded requests are faster; `ratios` are sharded over whole."""
    slower = [f"{percentile}th" for percentile, ratio in ratios.items() if ratio > 1 + LIKE]
    faster = [f"{percentile}th" for percentile, ratio in ratios.items() if ratio < 1 - LIKE]
    if not (slower or faster):
        return "both are equally fast at all these percentiles"
    if not slower and len(faster) == len(ratios):
        return "sharded requests are faster at all these percentiles"
    parts = [
        f"{word} at the {joined(where)}"
        for word, where in (("faster", faster), ("slower", slower))
        if where
    ]
    even = "" if len(slower) + len(faster) == len(ratios) else ", and else as fast"
    return f"sharded requests are {' and '.join(parts)} percentile{even}"


def _case(row: pd.Series) -> str:
    times = f"{row['sharded_ms']:.2f} ms against {row['not_sharded_ms']:.2f} ms"
    return f"{_keys(row['multi_get_keys'])} ({times})"
