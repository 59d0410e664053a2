"""The findings of the first page, selected by hand; their numbers are those of a campaign.

A sentence is written only where the campaign supports the claims that it rests on. Where it does
not, the claims stand in its place, with their verdicts; where nothing was measured, that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from analysis.chapters.abstract.costs import (
    added_time,
    needed_workers,
    read_capacity,
    share_of_few_workers,
    throughput_at_smallest_load,
    time_within,
    time_without,
    write_capacity,
)
from analysis.claims.claim import Outcome
from analysis.claims.measurements import Measurements, NotMeasured
from analysis.claims.rules import Verdict
from analysis.statistics.estimates import Estimate
from analysis.text.numbers import digits, fixed, short, signed

Compute = Callable[[Measurements], Estimate]
Format = Callable[[Estimate], str]
PERCENT = "\N{NO-BREAK SPACE}%"
_LONGEST = 60  # characters of a reason that stands in a sentence


@dataclass(frozen=True)
class Number:
    """A number of a sentence.

    Attributes
    ----------
    source : str or callable
        The id of the claim whose number it is, or what computes it.
    write : callable
        Writes it, with its interval if there is one.
    """

    source: str | Compute
    write: Format


@dataclass(frozen=True)
class Sentence:
    """A sentence, with places for numbers in braces, and the claims that it rests on.

    The claims are those of `claims` and those whose numbers it has.
    """

    text: str
    numbers: Mapping[str, Number] = field(default_factory=dict)
    claims: tuple[str, ...] = ()

    def rests_on(self) -> list[str]:
        """Return the ids of the claims that must be supported."""
        sources = [number.source for number in self.numbers.values()]
        claims = [*self.claims, *(one for one in sources if isinstance(one, str))]
        return list(dict.fromkeys(claims))


@dataclass(frozen=True)
class Finding:
    """A question about the system, and the sentences that answer it."""

    question: str
    sentences: tuple[Sentence, ...]

    def claims(self) -> list[str]:
        """Return the ids of the claims that the answer rests on."""
        return list(dict.fromkeys(one for own in self.sentences for one in own.rests_on()))


def _with_interval(estimate: Estimate, unit: str, write: Callable[[float], str]) -> str:
    """Write a number and, if its error is known, its interval: ``97 % [96, 98]``."""
    low, high = estimate.interval()
    known = estimate.error and not math.isnan(low)
    interval = f" [{write(low)}, {write(high)}]" if known else ""
    return f"{write(estimate.value)}{unit}{interval}"


def change(estimate: Estimate) -> str:
    """Write a ratio as a change: ``+1.2 % [+0.3, +2.1]``."""
    return _with_interval(estimate, PERCENT, lambda ratio: signed(100 * (ratio - 1), 1))


def share(estimate: Estimate) -> str:
    """Write a share: ``97 % [96, 98]``."""
    return _with_interval(estimate, PERCENT, lambda share: fixed(100 * share, 0))


def times(estimate: Estimate) -> str:
    """Write a ratio, or any number: ``3.70 [3.66, 3.74]``."""
    return _with_interval(estimate, "", short)


def milliseconds(estimate: Estimate) -> str:
    """Write a time in ms: ``0.92 ms [0.90, 0.94]``."""
    return _with_interval(estimate, "\N{NO-BREAK SPACE}ms", lambda time: fixed(time, 2))


def rate(estimate: Estimate) -> str:
    """Write a throughput in op/s without its interval."""
    return f"{digits(estimate.value)}\N{NO-BREAK SPACE}op/s"


def count(estimate: Estimate) -> str:
    """Write a number of things, rounded up."""
    return f"{math.ceil(estimate.value)}"


FINDINGS = (
    Finding(
        "What does one middleware cost?",
        (
            Sentence(
                "At the smallest load, a set takes {without} without a middleware, and with one "
                "{added} more: {within} in the middleware itself, and the rest outside of it, on "
                "the additional network round trip. Write throughput changes by {changed}.",
                {
                    "without": Number(time_without, milliseconds),
                    "added": Number(added_time, milliseconds),
                    "within": Number(time_within, milliseconds),
                    "changed": Number(throughput_at_smallest_load, change),
                },
            ),
            Sentence(
                "At saturation, one middleware does not change read throughput ({reads}; {gets}).",
                {
                    "reads": Number(read_capacity, rate),
                    "gets": Number("with-middleware.it-costs-gets-nothing", change),
                },
            ),
            Sentence(
                "At saturation, one middleware does not change write throughput ({writes}; "
                "{sets}).",
                {
                    "writes": Number(write_capacity, rate),
                    "sets": Number("with-middleware.it-costs-sets-nothing", change),
                },
            ),
        ),
    ),
    Finding(
        "When do more workers help?",
        (
            Sentence(
                "More workers help while the workers are the bottleneck, $M m / S_0 < X_{max}$: "
                "about {needed} workers are enough for sets.",
                {"needed": Number(needed_workers, count)},
                ("with-middleware.few-workers-limit-sets",),
            ),
            Sentence(
                "Eight workers reach {few} of the write throughput of the most, and 128 workers no "
                "more than 32 ({more}).",
                {
                    "few": Number(share_of_few_workers, share),
                    "more": Number("with-middleware.enough-workers-for-sets", change),
                },
            ),
            Sentence(
                "Two pipelined workers reach the write throughput of 32 sequential workers "
                "({same}).",
                {"same": Number("writes.two-pipelined-workers-do-as-much-as-32", change)},
            ),
        ),
    ),
    Finding(
        "What limits reads, and what limits writes?",
        (
            Sentence(
                "The servers' links limit reads: at the largest load they are utilized by {none} "
                "without and by {one} with one middleware.",
                {
                    "none": Number("without-middleware.one-server-gets-fill-links", share),
                    "one": Number("with-middleware.gets-of-one-fill-the-server-link", share),
                },
            ),
            Sentence(
                "The clients' links limit writes to one server ({clients}), and the middlewares' "
                "links limit writes to three servers ({middlewares}), because every set is sent "
                "to each server.",
                {
                    "clients": Number("with-middleware.sets-fill-client-links", share),
                    "middlewares": Number("writes.sets-fill-middleware-links", share),
                },
            ),
        ),
    ),
    Finding(
        "What does sharding bring?",
        (
            Sentence(
                "Sharding a multi-get of nine keys over three servers changes its mean "
                "response time by {mean} and its 99th percentile by {tail}.",
                {
                    "mean": Number("gets-and-multi-gets.sharding-9-keys-are-faster", change),
                    "tail": Number("gets-and-multi-gets.sharding-shortens-the-tail", change),
                },
            ),
        ),
    ),
    Finding(
        "Which model can be trusted for what?",
        (
            Sentence(
                "The asymptotic bound of links and workers is good for capacity: in every cell of "
                "the factorial design the system reaches at least {least} of it.",
                {"least": Number("two-k-factorial.bounds-predict-throughput", share)},
            ),
            Sentence(
                "The closed network is within 5\N{NO-BREAK SPACE}% where it predicts a saturated "
                "link ({near} of those cells).",
                {"near": Number("queueing-models.network-predicts-full-links", share)},
            ),
            Sentence(
                "M/M/m is good for workers with time left, with measured service times ({good} "
                "of cells within 10\N{NO-BREAK SPACE}%); with the throughput of the best second "
                "as service rate it is not ({bad}).",
                {
                    "good": Number("queueing-models.service-times-predict-idle-workers", share),
                    "bad": Number("queueing-models.best-second-misses-most", share),
                },
            ),
        ),
    ),
    Finding(
        "How close is the lab to the studies?",
        (
            Sentence(
                "With emulated processors, write throughput is within 10\N{NO-BREAK SPACE}% of "
                "what the studies print in {fitted} of the cells to which the processors were "
                "fitted.",
                {"fitted": Number("published-results.lab-reaches-fitted-sets", share)},
            ),
            Sentence(
                "In cells to which the processors were not fitted, that share is {others}.",
                {"others": Number("published-results.lab-reaches-other-sets", share)},
            ),
        ),
    ),
    Finding(
        "What do replication and a failed server cost?",
        (
            Sentence(
                "Writing every set to three servers changes write throughput by {lower} at the "
                "largest load.",
                {"lower": Number("writes.three-servers-take-fewer-sets", change)},
            ),
            Sentence(
                "Three replicas do not change the throughput of mixed requests ({mixed}).",
                {"mixed": Number("routing-and-replication.copies-cost-no-throughput", change)},
            ),
            Sentence(
                "While one of three servers is paused, the system completes no requests: it loses "
                "{lost} of the throughput of that time.",
                {"lost": Number("stability.a-paused-server-stops-everything", share)},
            ),
        ),
    ),
    Finding(
        "What limits message queues?",
        (
            Sentence(
                "Not the middlewares: without the database, they reach {times} times the "
                "throughput of the whole system.",
                {"times": Number("message-queues.middlewares-alone-do-more", times)},
            ),
            Sentence(
                "Asynchronous commits raise throughput on a disk by a factor of {factor}.",
                {"factor": Number("message-queues.commits-that-do-not-wait-help", times)},
            ),
        ),
    ),
)


def answer(finding: Finding, outcomes: Mapping[str, Outcome], measured: Measurements) -> list[str]:
    """Write the sentences that answer a question about a campaign.

    Parameters
    ----------
    outcomes
        Of the campaign's claims, by id.
    """
    return [text for one in finding.sentences for text in _written(one, outcomes, measured)]


def _written(
    sentence: Sentence, outcomes: Mapping[str, Outcome], measured: Measurements
) -> list[str]:
    own = [outcomes[name] for name in sentence.rests_on()]
    if failed := [one for one in own if one.verdict != Verdict.SUPPORTED]:
        return [_instead(one) for one in failed]
    try:
        numbers = {
            name: number.write(_estimate(number, outcomes, measured))
            for name, number in sentence.numbers.items()
        }
    except NotMeasured:
        return []
    # Formulas have braces, too.
    text = sentence.text
    for name, words in numbers.items():
        text = text.replace(f"{{{name}}}", words)
    return [text]


def _estimate(number: Number, outcomes: Mapping[str, Outcome], measured: Measurements) -> Estimate:
    source = number.source
    estimate = outcomes[source].estimate if isinstance(source, str) else source(measured)
    if math.isnan(estimate.value):
        raise NotMeasured
    return estimate


def _instead(outcome: Outcome) -> str:
    """Write the verdict on a claim that a campaign does not support."""
    statement = outcome.claim.statement.removesuffix(".")
    if math.isnan(outcome.estimate.value):
        return f"*Not measured: {statement}.*"
    number = f"{outcome.claim.quantity}: {times(outcome.estimate)}"
    why = f", {outcome.instead}" if outcome.instead and len(outcome.instead) < _LONGEST else ""
    return f"*{outcome.verdict.capitalize()}: {statement} ({number}{why}).*"


def evidence(finding: Finding, outcomes: Mapping[str, Outcome]) -> Sequence[str]:
    """Return the names of the figures and tables that show what a finding rests on."""
    return list(dict.fromkeys(outcomes[name].claim.see for name in finding.claims()))
