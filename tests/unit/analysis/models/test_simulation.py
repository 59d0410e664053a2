import numpy as np
import pytest

from analysis.models import mm1, mmm, predict
from analysis.models.simulated.simulation import SimulationOptions, simulate
from analysis.models.system import System
from analysis.statistics.loads.message_sizes import message_bytes

NO_MESSAGES = {"request_bytes": 0, "reply_bytes": 0}
GET, SET = message_bytes("get"), message_bytes("set")


def mean(result, measure):
    return result.measures.loc[measure, "mean"]


@pytest.mark.parametrize("rho", [0.3, 0.7])
def test_one_server_with_random_arrivals_is_mm1(rho):
    system = System(server_time=1e-3, **NO_MESSAGES)
    result = simulate(system, arrival_rate=rho * 1000, options=SimulationOptions(duration_s=100))
    expected = mm1(rho * 1000, 1000)
    assert mean(result, "throughput_ops_per_s") == pytest.approx(rho * 1000, rel=0.02)
    assert result.utilizations["server"] == pytest.approx(rho, rel=0.02)
    response_time = mean(result, "client_response_time_ms") / 1000
    assert response_time == pytest.approx(float(expected.response_time), rel=0.05)
    for percentile in (50, 95):
        assert result.response_time_percentile(percentile) == pytest.approx(
            float(expected.response_time_percentile(percentile)), rel=0.06
        )


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 8])
def test_workers_with_random_arrivals_are_mmm(workers):
    system = System(middlewares=1, workers=workers, worker_time=1e-3, **NO_MESSAGES)
    rate = 800 * workers
    result = simulate(
        system, arrival_rate=rate, options=SimulationOptions(duration_s=400 / workers)
    )
    expected = mmm(rate, 1000, workers)
    assert result.utilizations["workers"] == pytest.approx(0.8, rel=0.02)
    waiting_time = mean(result, "queueing_time_ms") / 1000
    assert waiting_time == pytest.approx(float(expected.waiting_time), rel=0.06)
    assert mean(result, "queue_length") == pytest.approx(float(expected.queue_length), rel=0.07)


def test_a_shared_machine_with_random_times_is_product_form():
    system = System(machine_time=1e-3, machine_cores=2, server_time=4e-4, **NO_MESSAGES)
    result = simulate(system, 6, options=SimulationOptions(duration_s=30))
    prediction = predict(system, 6)
    exact = prediction.measures["throughput_ops_per_s"].iloc[-1]
    assert mean(result, "throughput_ops_per_s") == pytest.approx(exact, rel=0.015)
    machine = prediction.utilizations["machine"].iloc[-1]
    assert result.utilizations["machine"] == pytest.approx(machine, rel=0.02)


def test_one_client_takes_the_sum_of_all_times():
    system = System(
        middlewares=1, servers=3, servers_per_request=3, network_delay=3e-4,
        net_thread_time=1e-5, worker_time=2e-5, server_time=5e-5, **SET,
    )  # fmt: skip
    times = SimulationOptions(duration_s=1, warm_up_s=0, processor_times="constant")
    links = 8 * SET["request_bytes"] / 200e6 + 3 * 8 * SET["request_bytes"] / 800e6
    links += 8 * SET["reply_bytes"] / 100e6 + 8 * SET["reply_bytes"] / 800e6
    expected_s = links + 4 * 3e-4 + 1e-5 + 2e-5 + 5e-5
    result = simulate(system, 1, options=times)
    np.testing.assert_allclose(result.response_time_s, expected_s)
    assert mean(result, "queueing_time_ms") == 0


def test_simulation_keeps_the_laws():
    system = System(middlewares=2, workers=8, servers=3, server_time=1e-4, think_time=1e-3, **GET)
    result = simulate(system, 60)
    throughput = mean(result, "throughput_ops_per_s")
    response_time = mean(result, "client_response_time_ms") / 1000
    assert throughput * (response_time + 1e-3) == pytest.approx(60, rel=0.01)
    in_service = throughput * mean(result, "service_time_ms") / 1000
    assert in_service == pytest.approx(16 * result.utilizations["workers"], rel=0.01)
    for resource, demand in system.demands().items():
        assert result.utilizations[resource] == pytest.approx(throughput * demand, rel=0.02)


def test_a_write_waits_for_the_slowest_server():
    fields = {"middlewares": 1, "servers": 3, "server_time": 5e-4, **NO_MESSAGES}
    one, all_three = (
        mean(simulate(System(servers_per_request=n, **fields), 1), "client_response_time_ms")
        for n in (1, 3)
    )
    assert one == pytest.approx(0.5, rel=0.03)
    assert all_three == pytest.approx(0.5 * (1 + 1 / 2 + 1 / 3), rel=0.03)  # largest of three


def test_the_same_seed_gives_the_same_run_and_another_another():
    system = System(server_time=1e-3, **NO_MESSAGES)
    runs = [
        simulate(system, 5, options=SimulationOptions(duration_s=2, seed=seed)).response_time_s
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0][:100], runs[2][:100])


@pytest.mark.slow
def test_confidence_intervals_hold_the_true_mean_about_as_often_as_they_say():
    system = System(server_time=1e-3, **NO_MESSAGES)
    intervals = [
        simulate(
            system, arrival_rate=500, options=SimulationOptions(duration_s=20, seed=seed)
        ).measures
        for seed in range(30)
    ]
    held = sum(
        table.loc["client_response_time_ms", "ci_low"]
        <= 2
        <= table.loc["client_response_time_ms", "ci_high"]
        for table in intervals
    )
    assert held >= 25


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda s: simulate(s), "give either num_clients or arrival_rate"),
        (lambda s: simulate(s, 0), "num_clients must be a whole number >= 1, got 0"),
        (lambda s: simulate(s, arrival_rate=0.1), "duration_s 10 is too short for 20 batches"),
        (lambda s: SimulationOptions(duration_s=0), "duration_s > 0, got 2.0 and 0"),
        (lambda s: SimulationOptions(batches=1), "batches must be >= 2, got 1"),
    ],
)
def test_simulate_refuses_what_cannot_be(run, message):
    with pytest.raises(ValueError, match=message):
        run(System(server_time=1e-3, **NO_MESSAGES))
