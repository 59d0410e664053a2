"""Did the links of a run carry packets all the time? Told by the pings beside the load."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.results import ParseError
from analysis.results.ping import read_ping

LONGEST_SILENCE_S = 3.5  # one is sent each second: three in a row have no answer


def silent_hosts(folder: Path, manifest: Mapping[str, Any]) -> set[str]:
    """Return the hosts at both ends of links that were silent for seconds in a run under load.

    A ping that did not run tells nothing of its link.
    """
    starts_s = manifest.get("start_at_epoch_s")
    if starts_s is None:
        return set()
    lengths = manifest["durations"]
    ends_s = starts_s + sum(lengths[name] for name in ("warm_up_s", "stable_s", "cool_down_s"))
    silent = set()
    for path in folder.glob("*/ping-*.out.gz"):
        try:
            replies = read_ping(path).replies["epoch_s"]
        except ParseError:
            continue
        if _longest_gap_s([float(at_s) for at_s in replies], starts_s, ends_s) > LONGEST_SILENCE_S:
            silent |= {path.parent.name, path.name.removeprefix("ping-").removesuffix(".out.gz")}
    return silent


def _longest_gap_s(seen_s: list[float], starts_s: float, ends_s: float) -> float:
    """Return the longest time between two replies of which some lies in the run.

    A silence that outlasts the run is ended by a reply after it, if there is one.
    """
    first = max((at_s for at_s in seen_s if at_s <= starts_s), default=starts_s)
    last = min((at_s for at_s in seen_s if at_s >= ends_s), default=ends_s)
    inside = sorted(at_s for at_s in seen_s if starts_s < at_s < ends_s)
    return max(after - before for before, after in itertools.pairwise([first, *inside, last]))
