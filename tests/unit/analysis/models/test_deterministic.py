import math

import numpy as np
import pytest

from analysis.models import (
    SimulationOptions,
    System,
    link_time,
    md1_num_in_system,
    md1_waiting_time_cdf,
    simulate,
)

SERVICE_TIME = 4328 * 8 / 100e6
BURST_BYTES = 16384
BURST_TIME = BURST_BYTES * 8 / 100e6


def crommelin(time, rate, service_time):
    """The classical series, whose terms change sign: good for short times only."""
    rho = rate * service_time
    terms = [
        (-rho * (time / service_time - k)) ** k
        / math.factorial(k)
        * math.exp(rho * (time / service_time - k))
        for k in range(math.floor(time / service_time) + 1)
    ]
    return (1 - rho) * sum(terms)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9])
def test_md1_numbers_in_system_have_the_mean_of_pollaczek_and_khinchine(rho):
    probabilities = md1_num_in_system(rho, 600)
    assert (probabilities >= 0).all()
    assert probabilities.sum() == pytest.approx(1)
    mean = np.arange(601) @ probabilities
    assert mean == pytest.approx(rho + rho**2 / 2 / (1 - rho), abs=1e-12)


@pytest.mark.parametrize("rho", [0.3, 0.85])
@pytest.mark.parametrize("times", [0, 0.5, 1, 2.5, 7.9])
def test_md1_waiting_times_are_those_of_crommelin(rho, times):
    probability = md1_waiting_time_cdf(times * 2.0, rho / 2.0, 2.0)
    assert probability == pytest.approx(crommelin(times * 2.0, rho / 2.0, 2.0), rel=1e-12)
    assert md1_waiting_time_cdf(-1.0, rho / 2.0, 2.0) == 0


def test_a_link_without_a_bucket_is_md1():
    rate = np.array([0.0, 1450.0, 2700.0])
    rho = rate * SERVICE_TIME
    expected = SERVICE_TIME * (1 + rho / 2 / (1 - rho))
    np.testing.assert_allclose(link_time(rate, SERVICE_TIME), expected)
    assert np.isnan(link_time(3000.0, SERVICE_TIME))


def test_a_bucket_saves_what_its_waiting_times_say():
    """The mean of max(0, w + S - tau), by the trapezoid rule over the distribution of w."""
    rate, credit = 2466.0, BURST_TIME - SERVICE_TIME
    times = np.linspace(0, 40 * SERVICE_TIME, 4001)
    beyond = [1 - md1_waiting_time_cdf(credit + t, rate, SERVICE_TIME) for t in times]
    expected = np.trapezoid(beyond, times)
    assert link_time(rate, SERVICE_TIME, BURST_TIME) == pytest.approx(expected, rel=1e-3)


def test_a_bucket_never_hurts_and_a_large_one_takes_all_the_time():
    bursts = np.arange(0, 60) * SERVICE_TIME / 3
    delays = [float(link_time(2600.0, SERVICE_TIME, burst)) for burst in bursts]
    assert np.all(np.diff(delays) < 0)
    assert link_time(0.0, SERVICE_TIME, BURST_TIME) == 0
    assert 0 <= link_time(1000.0, SERVICE_TIME, 0.1) < 1e-12


@pytest.mark.parametrize("rate", [870.0, 2465.0])
def test_a_simulated_bucket_takes_as_long(rate):
    system = System(
        client_machines=1, request_bytes=0, reply_bytes=4328, client_link_rate=math.inf,
        server_link_burst=BURST_BYTES,
    )  # fmt: skip
    result = simulate(system, arrival_rate=rate, options=SimulationOptions(duration_s=60))
    measured_s = result.measures.loc["client_response_time_ms"] / 1000
    expected_s = float(link_time(rate, SERVICE_TIME, BURST_TIME))
    assert measured_s["mean"] == pytest.approx(expected_s, rel=0.1, abs=1e-6)
    assert result.utilizations["server link"] == pytest.approx(rate * SERVICE_TIME, rel=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 0.0), "service_time must be > 0 and finite, got 0"),
        ((-1.0, 0.1), "arrival_rate must be >= 0, got -1"),
        ((1.0, 0.1, -1.0), "burst_time must be >= 0 and finite, got -1"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        link_time(*arguments)


def test_instability_is_told():
    with pytest.raises(ValueError, match=r"utilization must be < 1, got 1.5: the link is unstable"):
        md1_waiting_time_cdf(1.0, 3.0, 0.5)
    with pytest.raises(ValueError, match="traffic_intensity must be >= 0 and < 1, got 1"):
        md1_num_in_system(1.0, 3)
