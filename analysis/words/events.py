"""Dynamic events of a long run in words."""

import pandas as pd

_WORDS = {
    "server pause": "the pause of a server",
    "garbage collection": "garbage collection in a middleware",
    "unexplained": "no cause in the data",
}


def event_sentences(found: pd.DataFrame, matched: pd.DataFrame) -> str:
    """Say how many events were found, what explains them, and which pauses were found again.

    Parameters
    ----------
    found, matched
        From `analysis.dynamics.find_events` and `analysis.dynamics.match_events`.
    """
    if found.empty:
        told = "No second of the run stands out: throughput never falls, and nothing was collected."
    else:
        counts = found["kind"].value_counts()
        listed = ", ".join(f"{_WORDS[str(kind)]} {count}" for kind, count in counts.items())
        number = f"{len(found)} event{'' if len(found) == 1 else 's'}"
        told = (
            f"{number} stand out, explained by: {listed}."
            if len(found) > 1
            else (f"{number} stands out, explained by: {listed}.")
        )
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
        early = (hits["found_start_s"] - hits["start_s"]).abs().max()
        length = (hits["found_length_s"] - hits["length_s"]).abs().max()
        named = int((hits["found_host"] == hits["host"]).sum())
        words += (
            f", {named} with the right server; starts are off by {early:.2f} s at most, lengths "
            f"by {length:.2f} s"
        )
    if missed:
        hosts = ", ".join(matched.loc[matched["outcome"] == "missed", "host"].astype(str))
        words += f"; not found: {hosts}"
    return f"{words}. {_false(false)}"


def _false(count: int) -> str:
    if not count:
        return "No pause was found that nobody made."
    return f"{count} pause{' was' if count == 1 else 's were'} found that nobody made."


def stationarity_sentences(tests: pd.DataFrame) -> str:
    """Say whether the run was stationary, by side.

    Parameters
    ----------
    tests
        From `analysis.stationarity.stationarity`, with `side`.
    """
    lines = []
    for _, row in tests.iterrows():
        verdict = row["stationary"]
        judged = "not judged" if pd.isna(verdict) else "stationary" if verdict else "not stationary"
        lines.append(f"- At the **{row['side']}** the run is {judged}: {row['reason']}.")
    return "\n".join(lines)
