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
    least_time,
    lone_throughput,
    needed_workers,
    own_time,
    read_capacity,
    too_few_workers,
    write_capacity,
)
from analysis.claims.claim import Outcome
from analysis.claims.measurements import Measurements, NotMeasured
from analysis.claims.rules import Verdict
from analysis.statistics.estimates import Estimate
from analysis.text.numbers import short

Compute = Callable[[Measurements], Estimate]
Format = Callable[[Estimate], str]
PERCENT = "\N{NO-BREAK SPACE}%"
_MINUS = "\N{MINUS SIGN}"


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
        return list(
            dict.fromkeys([*self.claims, *(one for one in sources if isinstance(one, str))])
        )


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
    bounds = estimate.interval()
    interval = ""
    if estimate.error and not math.isnan(bounds[0]):
        interval = f" [{', '.join(sorted(map(write, bounds), key=_as_number))}]"
    return f"{write(estimate.value)}{unit}{interval}"


def _as_number(text: str) -> float:
    return float(text.replace(_MINUS, "-").replace(",", ""))


def change(estimate: Estimate) -> str:
    """Write a ratio as a change: ``+1.2 % [+0.3, +2.1]``."""
    return _with_interval(estimate, PERCENT, lambda ratio: _signed(100 * (ratio - 1)))


def _signed(value: float) -> str:
    text = f"{value:+.1f}".replace("-", _MINUS)
    return text if any(digit in text for digit in "123456789") else text[1:]


def share(estimate: Estimate) -> str:
    """Write a share: ``97 % [96, 98]``."""
    return _with_interval(estimate, PERCENT, lambda x: f"{100 * x:.0f}")


def lowered(estimate: Estimate) -> str:
    """Write a ratio below 1 as what it lacks: ``12 % [11, 13]``."""
    return _with_interval(estimate, PERCENT, lambda x: f"{100 * (1 - x):.0f}")


def times(estimate: Estimate) -> str:
    """Write a ratio, or any number: ``3.70 [3.66, 3.74]``."""
    return _with_interval(estimate, "", short)


def milliseconds(estimate: Estimate) -> str:
    """Write a time in ms: ``0.92 ms [0.90, 0.94]``."""
    unit = "\N{NO-BREAK SPACE}ms"
    return _with_interval(estimate, unit, lambda x: f"{x:.2f}".replace("-", _MINUS))


def rate(estimate: Estimate) -> str:
    """Write a throughput: ``17,330 op/s``."""
    return f"{estimate.value:,.0f}\N{NO-BREAK SPACE}op/s"


def count(estimate: Estimate) -> str:
    """Write a number of things that is computed, rounded up."""
    return f"{math.ceil(estimate.value)}"


FINDINGS = (
    Finding(
        "What does one middleware cost?",
        (
            Sentence(
                "At the smallest load, a set takes {without} without a middleware, and with one "
                "{added} more: {own} for the work of the middleware itself, and the rest for the "
                "additional network round trip. The same clients then complete {fewer} fewer "
                "sets per second.",
                {
                    "without": Number(least_time, milliseconds),
                    "added": Number(added_time, milliseconds),
                    "own": Number(own_time, milliseconds),
                    "fewer": Number(lone_throughput, lowered),
                },
            ),
            Sentence(
                "At saturation, one middleware changes neither read throughput ({reads}; {gets}) "
                "nor write throughput ({writes}; {sets}).",
                {
                    "reads": Number(read_capacity, rate),
                    "writes": Number(write_capacity, rate),
                    "gets": Number("with-middleware.it-costs-gets-nothing", change),
                    "sets": Number("with-middleware.it-costs-sets-nothing", change),
                },
            ),
        ),
    ),
    Finding(
        "When do more workers help?",
        (
            Sentence(
                "They help while the workers are the bottleneck, $M m / S_0 < X_{max}$: about "
                "{needed} workers saturate the links with sets.",
                {"needed": Number(needed_workers, count)},
                ("with-middleware.few-workers-limit-sets",),
            ),
            Sentence(
                "Eight workers reach {few} of the write throughput of many, and 128 workers no "
                "more than 32 ({more}).",
                {
                    "few": Number(too_few_workers, share),
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
                "Sharding a multi-get of nine keys over three servers lowers its mean response "
                "time by {mean} and its 99th percentile by {tail}.",
                {
                    "mean": Number("gets-and-multi-gets.sharding-9-keys-are-faster", lowered),
                    "tail": Number("gets-and-multi-gets.sharding-shortens-the-tail", lowered),
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
                "It is so in {others} of the other cells.",
                {"others": Number("published-results.lab-reaches-other-sets", share)},
            ),
        ),
    ),
    Finding(
        "What do replication and a failed server cost?",
        (
            Sentence(
                "Writing every set to three servers lowers write throughput by {lower} at the "
                "largest load.",
                {"lower": Number("writes.three-servers-take-fewer-sets", lowered)},
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
                "The database does: without it, the middlewares reach {times} times the "
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
    return [text for one in finding.sentences for text in _told(one, outcomes, measured)]


def _told(sentence: Sentence, outcomes: Mapping[str, Outcome], measured: Measurements) -> list[str]:
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


_LONGEST = 60  # characters of a reason that stands in a sentence


def evidence(finding: Finding, outcomes: Mapping[str, Outcome]) -> Sequence[str]:
    """Return the names of the figures and tables that show what a finding rests on."""
    return list(dict.fromkeys(outcomes[name].claim.see for name in finding.claims()))
