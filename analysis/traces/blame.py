"""What took the time of a slow request: a pause of who was to serve it, or one of its stages.

A request is slow by its excess over the median request of its kind, and so is each of its stages.
A pause takes of the excess of a stage what it overlaps with it, where it can have prolonged that
stage: a pause of the middleware all but the link back, one of the client's generator the links, one
of a server the servers' time, and one of any server the queue, since it holds the workers. The rest
of a stage's excess is the stage's own. Who took most is blamed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.traces.followed_requests import STAGES
from analysis.traces.host_pauses import GARBAGE_COLLECTION, MIDDLEWARE, SERVER
from analysis.units import MS_PER_S

NOTHING = "nothing"
COLLECTION = "garbage collection"
WORDS: Mapping[str, str] = {
    "link_there": "link",
    "preprocessing_time": "preprocessing",
    "queueing_time": "queue",
    "sending_time": "processing",
    "servers_time": "slowest server",
    "replying_time": "processing",
    "link_back": "link",
}
"""What is blamed when a stage was long and nobody is known to have stood still."""
_OF_MIDDLEWARE = STAGES[:-1]
_OF_CLIENT = ("link_there", "link_back")
_OF_QUEUE = ("queueing_time",)
_OF_SERVER = (*_OF_QUEUE, "servers_time")
_Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Blame:
    """Who took most of a request's excess over the median request.

    Attributes
    ----------
    what
        ``garbage collection``, ``pause of <host>``, one of `WORDS`, or ``nothing`` if the request
        was not slower than the median.
    share
        Of the excess, 0..1.
    """

    what: str
    share: float


def blame(request: pd.Series, pauses: pd.DataFrame, usual: pd.Series) -> Blame:
    """Return what took the time of one request.

    Parameters
    ----------
    request
        Row of `analysis.traces.followed_requests.followed_requests`.
    usual
        Row of `usual_requests`: the median `response_time_ms` and stages of such requests.
    """
    excess_ms = request["response_time_ms"] - usual["response_time_ms"]
    if excess_ms <= 0:
        return Blame(what=NOTHING, share=0.0)
    found = list(_spans(request, pauses))
    taken_ms: dict[str, float] = defaultdict(float)
    begin_ms = request["sent_s"] * MS_PER_S
    for stage in STAGES:
        length_ms = request[f"{stage}_ms"]
        left_ms = max(0.0, length_ms - usual[f"{stage}_ms"])
        for what, stages, spans in found:
            if stage in stages:
                part_ms = min(left_ms, _overlap((begin_ms, begin_ms + length_ms), spans))
                taken_ms[what] += part_ms
                left_ms -= part_ms
        taken_ms[WORDS[stage]] += left_ms
        begin_ms += length_ms
    what = max(taken_ms, key=lambda name: taken_ms[name])
    return Blame(what=what, share=min(1.0, taken_ms[what] / excess_ms))


def usual_requests(requests: pd.DataFrame) -> pd.DataFrame:
    """Return the median response time and stages of each kind of request.

    Index `request_type`; `response_time_ms` and the stages.
    """
    columns = ["response_time_ms", *(f"{stage}_ms" for stage in STAGES)]
    return requests.groupby("request_type")[columns].median()


def slowest_requests(
    requests: pd.DataFrame, pauses: pd.DataFrame, how_many: int = 10
) -> pd.DataFrame:
    """Return the slowest requests of a run, the slowest first, and what took their time.

    Rows of `requests`, with their index, and `excess_ms` (over the median of their kind), `blamed`,
    `blamed_share` (0..1, of the excess).
    """
    usual = usual_requests(requests)
    slowest = requests.nlargest(how_many, "response_time_ms")
    kinds = slowest["request_type"]
    blames = [
        blame(request, pauses, usual.loc[kind])
        for kind, (_, request) in zip(kinds, slowest.iterrows(), strict=True)
    ]
    return slowest.assign(
        excess_ms=slowest["response_time_ms"] - kinds.map(usual["response_time_ms"]),
        blamed=[one.what for one in blames],
        blamed_share=[one.share for one in blames],
    )


def _spans(
    request: pd.Series, pauses: pd.DataFrame
) -> Iterator[tuple[str, Sequence[str], list[_Span]]]:
    """Yield who stood still near the request, the stages that prolongs, and when, in ms."""
    near = pauses[
        (pauses["start_s"] <= request["sent_s"] + request["response_time_ms"] / MS_PER_S)
        & (pauses["start_s"] + pauses["length_s"] >= request["sent_s"])
    ]
    if near.empty:
        return
    paused = near.loc[near["process"] == SERVER, "host"].unique()
    programs: list[tuple[str, str, Sequence[str]]] = [
        (request["middleware"], MIDDLEWARE, _OF_MIDDLEWARE),
        (request["client_host"], f"memtier-{request['instance']}", _OF_CLIENT),
        *(
            (host, SERVER, _OF_SERVER if host in request["servers"] else _OF_QUEUE)
            for host in paused
        ),
    ]
    for host, process, stages in programs:
        own = near[(near["host"] == host) & (near["process"] == process)]
        of_collection = own["cause"].str.startswith(GARBAGE_COLLECTION)
        yield COLLECTION, stages, _in_ms(own[of_collection])
        yield f"pause of {host}", stages, _in_ms(own[~of_collection])


def _in_ms(pauses: pd.DataFrame) -> list[_Span]:
    starts_ms = pauses["start_s"] * MS_PER_S
    return list(zip(starts_ms, starts_ms + pauses["length_s"] * MS_PER_S, strict=True))


def _overlap(span: _Span, others: Sequence[_Span]) -> float:
    """Return how much of a span lies within others, which do not overlap."""
    return sum(max(0.0, min(span[1], end) - max(span[0], start)) for start, end in others)
