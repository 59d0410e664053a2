"""Searches on systems whose capacity under the limit is known."""

import math
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest

from analysis.models import mmm
from remote.campaign.planning.bracket import Found, Next, bracket_of, next_step
from remote.campaign.planning.probe import Limit, Probe

WINDOW_S = 5.0
REPETITIONS = (3, 10)
MOST_RATES = 15
MOST_RUNS = 150


@cache
def p99_ms(rate_per_s: float, service_rate: float, servers: int) -> float:
    return 1e3 * float(mmm(rate_per_s, service_rate, servers).response_time_percentile(99))


@dataclass
class Planted:
    """M/M/m, whose repetitions differ by `noise`; overloaded, its queue grows for the window."""

    service_rate: float
    servers: int
    noise: float
    rng: np.random.Generator
    runs: dict[float, list[tuple[float, ...]]] = field(default_factory=dict)

    @property
    def capacity_per_s(self) -> float:
        return self.service_rate * self.servers

    def measure(self, rate_per_s: float) -> None:
        answered = min(rate_per_s, 0.999 * self.capacity_per_s)
        backlog_ms = 1e3 * WINDOW_S * (1 - answered / rate_per_s)
        p99 = p99_ms(answered, self.service_rate, self.servers) + backlog_ms
        within = 0.02 * p99
        value = p99 * (1 + self.noise * self.rng.normal()) + within * self.rng.normal()
        counted = self.rng.poisson(answered * WINDOW_S) / WINDOW_S
        error = math.sqrt(answered / WINDOW_S)
        self.runs.setdefault(rate_per_s, []).append((value, within, counted, error))

    def probes(self) -> list[Probe]:
        return [probe(rate, *zip(*runs, strict=True)) for rate, runs in self.runs.items()]

    def search(self, limit: Limit, start_per_s: float) -> Found:
        for _ in range(MOST_RUNS):
            step = next_step(self.probes(), limit, start_per_s)
            if isinstance(step, Found):
                return step
            assert step.repetition == len(self.runs.get(step.rate_per_s, ())) + 1
            self.measure(step.rate_per_s)
        pytest.fail("the search does not end")


def probe(rate, values, errors=None, throughputs=None, throughput_errors=None, **more) -> Probe:
    count = len(values)
    return Probe(
        rate_per_s=rate,
        values_ms=tuple(values),
        errors_ms=tuple(errors or [0.0] * count),
        throughputs_per_s=tuple(throughputs or [rate] * count),
        throughput_errors=tuple(throughput_errors or [0.0] * count),
        next_repetition=count + 1,
        **more,
    )


def searched(seed, servers, noise, utilization):
    """Return a finished search of a planted system, and the rate that is the truth."""
    rng = np.random.default_rng([seed, servers, round(100 * noise), round(100 * utilization)])
    planted = Planted(service_rate=4_000 / servers, servers=servers, noise=noise, rng=rng)
    truth = utilization * planted.capacity_per_s * rng.uniform(0.95, 1.05)
    limit = Limit(
        limit_ms=p99_ms(truth, planted.service_rate, servers), goal=0.05, repetitions=REPETITIONS
    )
    return planted.search(limit, planted.capacity_per_s * rng.uniform(0.1, 0.6)), planted, truth


@pytest.mark.slow
@pytest.mark.parametrize(
    ("servers", "noise", "utilization", "least_known"),
    [(1, 0.03, 0.8, 0.9), (1, 0.1, 0.9, 0.8), (1, 0.05, 0.5, 0.6), (8, 0.05, 0.9, 0.8)],
)
def test_intervals_hold_the_true_rate(servers, noise, utilization, least_known):
    held, known, rates = [], [], []
    for seed in range(30):
        found, planted, truth = searched(seed, servers, noise, utilization)
        held.append(found.low <= truth <= found.high)
        known.append(found.is_known)
        rates.append(len(planted.runs))
        assert found.is_known == (found.high <= 1.05 * found.low)
    assert np.mean(held) >= 0.93
    assert np.mean(known) >= least_known
    assert np.mean(rates) < MOST_RATES


def test_what_is_found_passed_twice_and_what_fails_failed_twice():
    found, planted, truth = searched(1, 1, 0.03, 0.8)
    low, high = found.bracket.passes, found.bracket.fails
    assert low is not None and high is not None
    assert min(low.count, high.count) > REPETITIONS[0]
    assert low.mean_ms < p99_ms(truth, planted.service_rate, 1) < high.mean_ms


def test_rates_that_cannot_be_told_apart_are_said_to_need_more_repetitions():
    found, _, truth = searched(3, 1, 0.1, 0.3)
    assert not found.is_known
    assert found.low < truth < found.high
    assert found.why_not == "rates do not differ significantly"
    times_too_wide = math.log(found.high / found.low) / math.log(1.05)
    needed = REPETITIONS[1] * times_too_wide**2  # errors shrink with the root of their number
    assert needed <= int(found.needed.split()[1]) < needed + 1


def test_a_limit_that_response_times_are_near_at_any_rate_ends_the_search():
    found, planted, truth = searched(1, 8, 0.05, 0.3)
    assert not found.is_known
    assert found.low <= truth <= found.high
    assert len(planted.runs) < MOST_RATES


LIMIT = Limit(limit_ms=5, goal=0.05, repetitions=(2, 6))


def test_doubles_until_a_rate_fails_and_then_halves_in_the_logarithm():
    assert next_step([probe(100, [1.0])], LIMIT, 1) == Next(rate_per_s=200)
    both = [probe(100, [1.0]), probe(200, [20.0])]
    assert next_step(both, LIMIT, 1) == Next(rate_per_s=141)


def test_rates_that_contradict_each_other_are_inside_the_interval():
    probes = [
        probe(100, [1.0]), probe(120, [20.0, 20.1]), probe(140, [1.0, 1.1]), probe(200, [20.0]),
    ]  # fmt: skip
    bracket = bracket_of(probes, LIMIT)
    assert (bracket.low, bracket.high) == (100, 200)
    step = next_step(probes, LIMIT, 1)
    assert isinstance(step, Next)
    assert step.rate_per_s in (110, 167)


def test_a_system_that_meets_the_limit_at_no_rate_is_told():
    step = next_step([probe(1.5, [20.0])], LIMIT, 1)
    assert isinstance(step, Found)
    assert (step.why_not, step.low, step.high) == ("no rate passes", 0, 1.5)


def test_a_system_without_an_end_is_told():
    step = next_step([probe(1e6, [1.0])], LIMIT, 1)
    assert isinstance(step, Found)
    assert (step.why_not, step.low, step.high) == ("no rate fails", 1e6, math.inf)


def test_runs_that_are_refused_end_the_search_instead_of_trying_ever_higher_rates():
    refused = [probe(rate, [], given_up=True) for rate in (200, 400)]
    assert next_step([probe(100, [1.0]), refused[0]], LIMIT, 1) == Next(rate_per_s=400)
    step = next_step([probe(100, [1.0]), *refused], LIMIT, 1)
    assert isinstance(step, Found)
    assert (step.why_not, step.low) == ("the checks refuse its runs", 100)
