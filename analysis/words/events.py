"""A long run and its dynamic events in words."""

import pandas as pd

from analysis.text.numbers import digits

_WORDS = {
    "server pause": "explained by the pause of a server",
    "garbage collection": "explained by garbage collection in a middleware",
    "unexplained": "unexplained",
}


def time_base_sentence(time_dilation: float) -> str:
    """Say which seconds are those of the clock, and which times are undilated."""
    if time_dilation == 1:
        return "Time was not dilated: all seconds are those of the clock."
    return (
        "Only seconds since the stable window began, and starts and lengths of events and of "
        "pauses, are those of the clock; rates, response times and garbage collections are "
        f"undilated: one undilated second takes k = {time_dilation:g} of the clock, so that 1 s of "
        f"the clock is a response time of {digits(1000 / time_dilation)} ms."
    )


def run_sentences(run: pd.Series) -> str:
    """Say what a long run did: throughput, response time, queue and workers.

    Parameters
    ----------
    run
        A row of `analysis.tables.frames.Tables.runs`, with a middleware.
    """
    dilation = float(run["time_dilation"])
    undilated = f" ({digits(run['stable_s'] / dilation)} s undilated)" if dilation != 1 else ""
    return (
        f"In {run['stable_s']:.0f} s of the clock{undilated} the clients got "
        f"{digits(run['client_throughput_ops_per_s'])} op/s at a mean response time of "
        f"{run['client_response_time_ms']:.1f} ms; 99\N{NO-BREAK SPACE}% of the requests were "
        f"answered within {run['client_response_time_p99_ms']:.1f} ms. Mean queue length was "
        f"{run['middleware_queue_length']:.1f} jobs, and {run['middleware_waiting_workers']:.1f} "
        f"of {_workers(run)} workers had nothing to do."
    )


def queue_sentence(run: pd.Series, inside: pd.DataFrame, found: pd.DataFrame) -> str:
    """Say how long the queue gets while a server is paused, and why not longer.

    Parameters
    ----------
    run
        As for `run_sentences`.
    inside
        Rows of `analysis.tables.frames.Tables.windows` of that run, of the middleware.
    found
        From `analysis.sections.dynamics.find_events`.
    """
    pauses = found[found["kind"] == "server pause"]
    if pauses.empty:
        return "No pause of a server was found."
    longest = pauses.sort_values("length_s").iloc[-1]
    during = inside["second_s"].between(longest["start_s"], longest["end_s"])
    queue = inside.loc[during, "queue_length"].max()
    clients, workers = int(run["num_clients"]), _workers(run)
    middlewares, own = int(run["num_middlewares"]), int(run["workers"])
    if pd.isna(queue):
        return "No whole second lies in a pause."
    if workers >= clients:
        return (
            f"There are {workers} workers for {clients} clients, so that a pause makes no queue: "
            f"it is {queue:.1f} jobs long at most in the longest pause."
        )
    return (
        f"The queue has an end: when all {middlewares} \N{MULTIPLICATION SIGN} {own} workers wait "
        f"for the paused server, the requests of the other clients wait for a worker, {clients} "
        f"\N{MINUS SIGN} {middlewares} \N{MULTIPLICATION SIGN} {own} = {clients - workers} jobs. "
        f"In the longest pause the queue came to {queue:.1f}."
    )


def _workers(run: pd.Series) -> int:
    return int(run["num_middlewares"] * run["workers"])


def event_sentences(found: pd.DataFrame, matched: pd.DataFrame) -> str:
    """Say how many events were found, what explains them, and which pauses were found again.

    Parameters
    ----------
    found, matched
        From `analysis.sections.dynamics.find_events` and `analysis.sections.dynamics.match_events`.
    """
    counts = found["kind"].value_counts()
    if found.empty:
        told = "No second of the run stands out: throughput never falls, and nothing was collected."
    elif len(found) == 1:
        told = f"1 event stands out, {_WORDS[str(counts.index[0])]}."
    else:
        listed = ", ".join(f"{count} {_WORDS[str(kind)]}" for kind, count in counts.items())
        told = f"{len(found)} events stand out: {listed}."
    return f"{told} {_pauses(matched)}".rstrip()


def _pauses(matched: pd.DataFrame) -> str:
    outcomes = matched["outcome"].value_counts()
    again, missed, false = (int(outcomes.get(n, 0)) for n in ("found", "missed", "false"))
    made = again + missed
    if not made:
        return "No server was paused on purpose."
    words = (
        f"Of {made} pauses that were made, {again} {'was' if again == 1 else 'were'} found again"
    )
    hits = matched[matched["outcome"] == "found"]
    if again:
        named = int((hits["found_host"] == hits["host"]).sum())
        words += (
            f", {named} with the right server; starts are off by "
            f"{_largest_difference(hits, 'start_s'):.2f} s of the clock at most, lengths by "
            f"{_largest_difference(hits, 'length_s'):.2f} s"
        )
    if missed:
        hosts = ", ".join(matched.loc[matched["outcome"] == "missed", "host"].astype(str))
        words += f"; not found: {hosts}"
    return f"{words}. {_false(false)}"


def _largest_difference(hits: pd.DataFrame, column: str) -> float:
    """Of the values as a table with two decimals shows them, so that both agree."""
    found, made = (hits[name].astype(float).round(2) for name in (f"found_{column}", column))
    return float((found - made).abs().max())


def _false(count: int) -> str:
    if not count:
        return "No pause was found that nobody made."
    return f"{count} pause{' was' if count == 1 else 's were'} found that nobody made."


def stationarity_sentences(tests: pd.DataFrame) -> str:
    """Say whether the run was stationary, by side.

    Parameters
    ----------
    tests
        From `analysis.statistics.stationarity.stationarity`, with `side`.
    """
    lines = []
    for _, row in tests.iterrows():
        verdict = row["stationary"]
        judged = "not judged" if pd.isna(verdict) else "stationary" if verdict else "not stationary"
        lines.append(f"- At the **{row['side']}** the run is {judged}: {row['reason']}.")
    return "\n".join(lines)
