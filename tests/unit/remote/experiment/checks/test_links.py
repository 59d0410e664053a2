import gzip

import pytest

from remote.experiment.checks.links import silent_hosts
from tests.helpers.manifests import manifest_of

START_S = 1_795_222_476
LENGTHS = {"warm_up_s": 2, "stable_s": 6, "cool_down_s": 2}
MANIFEST = manifest_of(start_at_epoch_s=START_S, durations=LENGTHS)


def ping(folder, source, target, *seconds):
    """Write what a ping left that was answered at these seconds of the run."""
    lines = ["PING 198.18.0.31 (198.18.0.31) 56(84) bytes of data."]
    lines += [
        f"[{START_S + at:.6f}] 64 bytes from 198.18.0.31: icmp_seq={n} ttl=64 time=0.286 ms"
        for n, at in enumerate(seconds, 1)
    ]
    path = folder / source / f"ping-{target}.out.gz"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))


@pytest.mark.parametrize(
    ("seconds", "silent"),
    [
        (range(-3, 12), set()),
        ([0, 1, 2, 5, 6, 7, 8, 9], set()),
        ([0, 1, 2, 6, 7, 8, 9], {"c1", "m1"}),
        ([-5, *range(1, 12)], {"c1", "m1"}),
        (range(-3, 6), {"c1", "m1"}),
        (range(4, 12), {"c1", "m1"}),
        ([], {"c1", "m1"}),
    ],
)
def test_both_ends_of_a_link_that_was_silent_for_seconds_are_named(tmp_path, seconds, silent):
    ping(tmp_path, "c1", "m1", *seconds)
    ping(tmp_path, "c2", "m1", *range(-1, 12))
    assert silent_hosts(tmp_path, MANIFEST) == silent


@pytest.mark.parametrize(("sent", "silent"), [(10, set()), (12, {"c1", "m1"})])
def test_a_silence_that_outlasts_the_run_ends_with_the_last_packet(tmp_path, sent, silent):
    ping(tmp_path, "c1", "m1", *range(8))
    path = tmp_path / "c1/ping-m1.out.gz"
    summary = f"{sent} packets transmitted, 8 received, 20% packet loss\n"
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()) + summary.encode()))
    assert silent_hosts(tmp_path, MANIFEST) == silent


def test_a_ping_that_did_not_run_says_nothing_of_its_link(tmp_path):
    (tmp_path / "c1").mkdir()
    (tmp_path / "c1/ping-m1.out.gz").write_bytes(gzip.compress(b""))
    assert silent_hosts(tmp_path, MANIFEST) == set()


def test_runs_without_load_are_not_asked(tmp_path):
    assert silent_hosts(tmp_path, manifest_of(durations=LENGTHS)) == set()
