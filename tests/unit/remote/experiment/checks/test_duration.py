import pytest

from remote.experiment.checks.duration import duration_checks
from tests.helpers.manifests import manifest_of

RESULTS = {"client_response_time_ms": 50.0, "client_slowest_response_time_ms": 100.0}


@pytest.mark.parametrize(
    ("stable_s", "warm_up_s", "k", "passed"),
    [(10, 1, 1.0, True), (9, 1, 1.0, False), (10, 0, 1.0, False), (10, 1, 2.0, False)],
)
def test_window_and_warm_up_both_last_for_enough_response_times(stable_s, warm_up_s, k, passed):
    durations = {"stable_s": stable_s, "warm_up_s": warm_up_s}
    manifest = manifest_of(durations=durations, topology={"time_dilation": k})
    (check,) = duration_checks(manifest, RESULTS)
    assert check.passed == passed
