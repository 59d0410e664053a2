import pytest

from analysis.traces.host_pauses import COLUMNS, host_pauses
from tests.helpers.followed_run import Passage, write_run


def test_pauses_of_all_programs_are_in_one_list_by_the_control_hosts_clock(tmp_path):
    run = write_run(
        tmp_path,
        [Passage()],
        offsets_s={"m1": (0.2, 0.2), "c1": (-0.1, -0.1), "s2": (0.05, 0.05)},
        pauses={
            "m1/middleware/": [(7.0, 0.012, "gc: Copy"), (1.0, 0.003, "hiccup")],
            "c1/memtier-0-": [(3.0, 0.005, "hiccup")],
        },
        stopped=[("s2", 5.0, 1.0)],
    )
    pauses = host_pauses(run)
    assert list(pauses.columns) == COLUMNS
    assert pauses["start_s"].tolist() == pytest.approx([1, 3, 5, 7], abs=1e-6)
    assert pauses["length_s"].tolist() == pytest.approx([0.003, 0.005, 1, 0.012], abs=1e-6)
    assert pauses["host"].tolist() == ["m1", "c1", "s2", "m1"]
    assert pauses["process"].tolist() == ["middleware", "memtier-0", "server", "middleware"]
    assert pauses["cause"].tolist() == ["hiccup", "hiccup", "stopped", "gc: Copy"]


def test_a_run_without_pauses_has_an_empty_list(tmp_path):
    pauses = host_pauses(write_run(tmp_path, [Passage()]))
    assert pauses.empty
    assert list(pauses.columns) == COLUMNS
