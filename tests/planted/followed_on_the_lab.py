"""Programs that are stopped at known times, and who is blamed for requests that waited for them.

Of the part `planted`. Who stood still is not what these tests believe the analysis about: the
middleware is stopped behind the campaign's back, and has to have noticed it itself; that servers
are stopped stands in the manifest, but which requests were at them is told by packets on their
hosts, not by the stamps that blame them.
"""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from analysis.results.manifests import read_manifest
from analysis.traces.blame import blame, usual_requests
from analysis.traces.followed_requests import STAGES, followed_requests
from analysis.traces.host_clocks import READING_S
from analysis.traces.host_pauses import GARBAGE_COLLECTION, STOPPED, host_pauses
from analysis.units import MS_PER_S
from tests.planted.planting import azure, measured, middleware_of, planted_pauses

pytestmark = pytest.mark.usefixtures("lab_is_free")

FOLLOWED = """
base = "8"
[generator]
follow = 4
"""
STOPPED_BY_US = (
    FOLLOWED
    + """
[profiles.smoke]
repetitions = 1
warm_up_s = 0.5
stable_s = 15
cool_down_s = 0.25
"""
)
PAUSE_S, EVERY_S = 0.1, 1.0  # of the clock
STOPPED_BY_THE_SECTION = (
    FOLLOWED
    + """
[middleware]
observed = "packets"
[profiles.smoke]
repetitions = 1
warm_up_s = 0.5
stable_s = 10
cool_down_s = 0.25
pauses = [
"""
    + "".join(
        f"  {{ server = {1 + number % 3}, at_s = {1 + number}, for_s = 0.1 }},\n"
        for number in range(9)
    )
    + "]\n"
)
MOST = 2 / 3  # of its excess that a pause must have taken for certain
BLAMED = 0.99
FEWEST = 100  # slow requests
NEAR_MS = READING_S * MS_PER_S


def test_a_middleware_that_is_stopped_is_blamed(tmp_path):
    with planted_pauses(middleware_of(azure(), "m1"), PAUSE_S, EVERY_S) as stopped_s:
        run = only_run(STOPPED_BY_US, tmp_path)
    start_s = read_manifest(run).stable.start_epoch_s
    spans_s = [(began_s - start_s, ended_s - start_s) for began_s, ended_s in stopped_s]
    spans_s = without_collections(spans_s, host_pauses(run).query("host == 'm1'"))
    requests = judged(run, "m1 stopped from outside")
    waited_ms = [
        overlap_ms((one["sent_s"], one["sent_s"] + one["response_time_ms"] / MS_PER_S), spans_s)
        if one["middleware"] == "m1"
        else 0.0
        for one in requests.to_dict("records")
    ]
    slow = slow_by(requests, pd.Series(waited_ms, requests.index), PAUSE_S)
    require_blamed(slow, pd.Series("pause of m1", slow.index), run)


def test_a_server_that_is_stopped_is_blamed_and_packets_lie_around_stamps(tmp_path):
    run = only_run(STOPPED_BY_THE_SECTION, tmp_path)
    requests = judged(run, "servers stopped by the section")
    require_order(requests)
    pauses = host_pauses(run)
    stopped = pauses[pauses["cause"] == STOPPED]
    spans_s = {
        host: list(zip(own["start_s"], own["start_s"] + own["length_s"], strict=True))
        for host, own in stopped.groupby("host")
    }
    waits = [longest_wait(one, spans_s) for one in requests.to_dict("records")]
    waited_ms, hosts = (pd.Series(values, requests.index) for values in zip(*waits, strict=True))
    slow = slow_by(requests, waited_ms, stopped["length_s"].min())
    require_blamed(slow, "pause of " + hosts[slow.index], run)


def without_collections(spans_s, pauses):
    """Leave out stops that met a collection: it then took as long to whoever noticed it."""
    long = pauses[pauses["cause"].str.startswith(GARBAGE_COLLECTION)]
    long = long[long["length_s"] > PAUSE_S / 2]
    ends_s = list(zip(long["start_s"], long["start_s"] + long["length_s"], strict=True))
    kept = [span for span in spans_s if not overlap_ms(span, ends_s)]
    print(f"{len(spans_s) - len(kept)} of {len(spans_s)} stops met a collection")
    return kept


def only_run(text, folder):
    """Measure a section of one run, and return its folder."""
    campaign = measured(text, folder / "own", azure())
    (run,) = campaign.runs("own")
    return run.folder


def judged(run, title):
    """Return the followed requests of the stable window with their excess; print how many."""
    requests = followed_requests(run)
    requests = requests[requests["stable"]]
    usual_ms = usual_requests(requests)["response_time_ms"]
    limit_ms = NEAR_MS + requests["clock_bound_ms"]
    inside = [f"{stage}_ms" for stage in STAGES]
    print(
        f"{title}: {len(requests)} requests; at most {requests['balance_ms'].abs().max():.6f} ms "
        f"between stages and response time; shortest stage {requests[inside].min().min():.3f} ms"
    )
    assert (requests["balance_ms"].abs() <= limit_ms).all()
    assert not requests["beyond_clock_bound"].any()
    return requests.assign(
        excess_ms=requests["response_time_ms"] - requests["request_type"].map(usual_ms)
    )


def slow_by(requests, waited_ms, pause_s):
    """Return the requests that a pause took most of the excess of, which is half of it or more."""
    is_slow = requests["excess_ms"] > pause_s / 2 * MS_PER_S
    return requests[is_slow & (waited_ms >= MOST * requests["excess_ms"])]


def require_blamed(slow: pd.DataFrame, expected: pd.Series, run):
    pauses, usual = host_pauses(run), usual_requests(followed_requests(run).query("stable"))
    blamed = pd.Series(
        [blame(one, pauses, usual.loc[one["request_type"]]).what for _, one in slow.iterrows()],
        slow.index,
    )
    right = blamed == expected
    print(f"{right.sum()} of {len(slow)} are blamed on it; others: {blamed[~right].value_counts()}")
    assert len(slow) >= FEWEST
    assert right.mean() >= BLAMED


def overlap_ms(span_s: tuple[float, float], others_s: Iterable[tuple[float, float]]) -> float:
    """Return how long a span lies within others."""
    shared_s = (min(span_s[1], end) - max(span_s[0], start) for start, end in others_s)
    return MS_PER_S * sum(max(0.0, one) for one in shared_s)


def longest_wait(request, spans_s) -> tuple[float, str]:
    """Return how long a request was at a server that stood still, by packets, and at which."""
    at_servers = zip(
        request["servers"],
        request["server_host_in_ms"],
        request["server_host_out_ms"],
        strict=True,
    )
    waits = [(0.0, "")]
    for server, *span_ms in at_servers:
        if np.isfinite(span_ms).all():
            begin_s, end_s = (request["sent_s"] + ms / MS_PER_S for ms in span_ms)
            waits.append((overlap_ms((begin_s, end_s), spans_s.get(server, [])), server))
    return max(waits)


def require_order(requests):
    """Require packets where stamps let them be: what happens later is seen later."""
    known = requests.dropna(subset="wire_in_ms")
    print(f"packets tell of {len(known)} of {len(requests)}")
    assert len(known) >= 0.9 * len(requests)
    limit_ms = NEAR_MS + known["clock_bound_ms"]
    zero_ms = pd.Series(0.0, known.index)
    for one_ms, later_ms in [
        (zero_ms, known["wire_in_ms"]),
        (known["wire_in_ms"], known["first_byte_ms"]),
        (known["wire_out_ms"], known["response_time_ms"]),
    ]:
        share = (one_ms <= later_ms + limit_ms).mean()
        print(f"{one_ms.name or 'sent'} before {later_ms.name}: {share:.4f}")
        assert share >= BLAMED
    names = ["wire_sent", "host_in", "host_out", "wire_answered", "answered"]
    calls = pd.DataFrame(
        {name: known[f"server_{name}_ms"].explode().astype(float) for name in names}
    ).dropna()
    for name, later in pairwise(names):
        share = (calls[name] <= calls[later] + limit_ms.max()).mean()
        print(f"{name} before {later}: {share:.4f}")
        assert share >= BLAMED
