"""Did the links of a run carry packets all the time? Told by the pings beside the load."""

from __future__ import annotations

import itertools
from pathlib import Path

from analysis.results import ParseError
from analysis.results.ping import PingResult, read_ping
from records.manifest import Manifest

LONGEST_SILENCE_S = 3.5  # one is sent each second: three in a row have no answer
_INTERVAL_S = 1.0


def silent_hosts(folder: Path, manifest: Manifest) -> set[str]:
    """Return the hosts at both ends of links that were silent for seconds in a run under load.

    A ping that did not run tells nothing of its link.
    """
    starts_s = manifest.start_at_epoch_s
    if not starts_s:
        return set()
    ends_s = starts_s + manifest.durations.total_s
    silent = set()
    for path in folder.glob("*/ping-*.out.gz"):
        try:
            ping = read_ping(path)
        except ParseError:
            continue
        if _longest_gap_s(ping, starts_s, ends_s) > LONGEST_SILENCE_S:
            silent |= {path.parent.name, path.name.removeprefix("ping-").removesuffix(".out.gz")}
    return silent


def _longest_gap_s(ping: PingResult, starts_s: float, ends_s: float) -> float:
    """Return the longest time between two replies of which some lies in the run.

    A silence that outlasts the run is ended by a reply after it, or else by the last packet sent.
    """
    seen_s = [float(at_s) for at_s in ping.replies["epoch_s"]]
    first = max((at_s for at_s in seen_s if at_s <= starts_s), default=starts_s)
    last_sent_s = max(ends_s, _last_sent_s(ping))
    last = min((at_s for at_s in seen_s if at_s >= ends_s), default=last_sent_s)
    inside = sorted(at_s for at_s in seen_s if starts_s < at_s < ends_s)
    return max(after - before for before, after in itertools.pairwise([first, *inside, last]))


def _last_sent_s(ping: PingResult) -> float:
    """Return when about the last packet was sent, 0 where that is not known."""
    if ping.transmitted is None or ping.replies.empty:
        return 0.0
    last = ping.replies.iloc[-1]
    unanswered = max(ping.transmitted - int(last["sequence_number"]), 0)
    return float(last["epoch_s"]) + unanswered * _INTERVAL_S
