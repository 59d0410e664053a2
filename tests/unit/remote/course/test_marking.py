"""Ten right and ten wrong submissions are told apart, on what was measured of two systems."""

import numpy as np
import pytest

from records.documents import parse
from records.sensitivity import AS_IT_IS
from remote.course.assignment import CHANGES
from remote.course.marking import Measured, Verdict, mark
from remote.course.submission import Submission

RIGHT, WRONG, UNTOLD = Verdict
SPREAD = np.array([-0.012, 0.0, 0.012])  # of three repetitions: intervals of ±3 %


def measured(spread=1.0, **gains):
    """A system of 1000 op/s, and what it gains by each change; nothing by those not named."""
    by_name = {name.replace("_", " "): gain for name, gain in gains.items()}
    assert set(by_name) <= set(CHANGES)
    changes = dict.fromkeys(CHANGES, 1.0) | by_name | {AS_IT_IS: 1.0}
    return Measured(
        throughputs={
            name: list(1000 * gain * (1 + spread * np.roll(SPREAD, i)))
            for i, (name, gain) in enumerate(changes.items())
        }
    )


SLOW_SERVER = measured(s2_link=1.4, server_links=1.42, workers=1.02)
FEW_WORKERS = measured(workers=1.45, delay=1.4)
ALL_SERVERS = measured(server_links=1.4, workers=1.05)
SLOWER = measured(middleware_link=1.4, workers=0.9)  # more workers do harm


def submission(resource, gain, capacity, change, change_gain):
    def table(bounds):
        return dict(zip(("low", "high"), map(float, bounds), strict=True))

    document = {
        "assignment": 17,
        "bottleneck": {"resource": resource, "gain": table(gain)},
        "capacity_ops_per_s": table(capacity),
        "change": {"of": change, "gain": table(change_gain)},
    }
    return parse(Submission, document)


def verdicts(system, *statements):
    return [one.verdict for one in mark(submission(*statements), system)]


@pytest.mark.parametrize(
    ("system", "statements"),
    [
        (SLOW_SERVER, ("s2 link", (1.35, 1.45), (970, 1030), "workers", (0.98, 1.06))),
        (SLOW_SERVER, ("s2 link", (1.38, 1.55), (950, 1000), "s1 link", (0.97, 1.03))),
        (FEW_WORKERS, ("workers", (1.4, 1.5), (960, 1040), "delay", (1.3, 1.45))),
        (ALL_SERVERS, ("server links", (1.35, 1.45), (930, 1000), "s1 link", (0.99, 1.02))),
        (SLOWER, ("middleware link", (1.3, 1.45), (990, 1050), "workers", (0.85, 0.95))),
        (SLOWER, ("middleware link", (1.38, 1.42), (995, 1005), "s3 link", (1.0, 1.0))),
    ],
)
def test_right_submissions_are_right(system, statements):
    assert verdicts(system, *statements) == [RIGHT] * 4


@pytest.mark.parametrize(
    ("system", "statements", "wrong"),
    [
        # another bottleneck, with what its change really does
        (SLOW_SERVER, ("workers", (0.98, 1.06), (970, 1030), "delay", (0.95, 1.05)), {0}),
        # all servers, of which only one is slow
        (SLOW_SERVER, ("server links", (1.3, 1.5), (970, 1030), "delay", (0.95, 1.05)), {0}),
        # one server, where all are slow
        (ALL_SERVERS, ("s1 link", (0.98, 1.02), (970, 1030), "delay", (0.95, 1.05)), {0}),
        # what is true of anything
        (SLOW_SERVER, ("s2 link", (1.35, 1.45), (1, 1e9), "workers", (0.98, 1.06)), {2}),
        (SLOW_SERVER, ("s2 link", (0.5, 3), (970, 1030), "workers", (0.001, 1000)), {1, 3}),
        # a capacity that the system does not reach
        (FEW_WORKERS, ("workers", (1.4, 1.5), (1200, 1300), "delay", (1.3, 1.45)), {2}),
        # an effect where there is none, and none where there is one
        (FEW_WORKERS, ("workers", (1.4, 1.5), (960, 1040), "s1 link", (1.2, 1.4)), {3}),
        (FEW_WORKERS, ("workers", (1.4, 1.5), (960, 1040), "delay", (0.95, 1.05)), {3}),
        # a gain where there is a loss
        (SLOWER, ("middleware link", (1.3, 1.45), (990, 1050), "workers", (1.05, 1.15)), {3}),
        # the bottleneck's own gain
        (ALL_SERVERS, ("server links", (1.9, 2.1), (990, 1020), "workers", (1.0, 1.1)), {1}),
    ],
)
def test_wrong_submissions_are_wrong_where_they_are(system, statements, wrong):
    found = verdicts(system, *statements)
    assert {at for at, verdict in enumerate(found) if verdict is WRONG} == wrong
    assert found.count(RIGHT) == 4 - len(wrong)


def test_each_mark_has_its_evidence():
    statements = ("workers", (0.98, 1.06), (970, 1030), "delay", (0.95, 1.05))
    bottleneck, gain, capacity, _ = mark(submission(*statements), SLOW_SERVER)
    assert bottleneck.stated == "workers"
    assert bottleneck.measured.startswith("s2 link gains 1.4 [1.3")
    assert bottleneck.reason == "s2 link gains more"
    assert gain.statement == "gain of workers"
    assert capacity.stated == "970 to 1030 op/s"
    assert capacity.measured == "1000 [951.7, 1048] op/s"


def test_direction_counts_where_intervals_meet():
    """Two intervals that touch do not agree if one says nothing happens and the other does."""
    system = measured(middleware_link=1.4, delay=1.08, spread=0.5)
    none = ("middleware link", (1.35, 1.45), (970, 1030), "delay", (0.98, 1.05))
    assert verdicts(system, *none)[3] is WRONG
    assert mark(submission(*none), system)[3].reason == "it raises throughput"
    nothing = measured(middleware_link=1.4, spread=0.5)
    gain = ("middleware link", (1.35, 1.45), (970, 1030), "delay", (1.035, 1.1))
    assert verdicts(nothing, *gain)[3] is WRONG


def test_what_was_measured_badly_marks_nothing():
    noisy = measured(s2_link=1.4, server_links=1.4, spread=16.0)
    statements = ("s2 link", (1.35, 1.45), (970, 1030), "workers", (0.98, 1.06))
    assert verdicts(noisy, *statements) == [UNTOLD] * 4


def test_one_repetition_marks_nothing():
    once = Measured(throughputs={name: [1000.0] for name in (AS_IT_IS, *CHANGES)})
    statements = ("s2 link", (1.35, 1.45), (970, 1030), "workers", (0.98, 1.06))
    assert verdicts(once, *statements) == [UNTOLD] * 4


def test_two_bottlenecks_alike_are_not_told_apart():
    both = measured(middleware_link=1.2, workers=1.19)
    statements = ("workers", (1.15, 1.25), (970, 1030), "delay", (0.98, 1.06))
    assert verdicts(both, *statements) == [UNTOLD, RIGHT, RIGHT, RIGHT]
    statements = ("s1 link", (0.98, 1.02), (970, 1030), "delay", (0.98, 1.06))
    assert verdicts(both, *statements)[0] is WRONG


def test_honest_submissions_of_the_same_system_are_seldom_wrong():
    """A student and a grader each measure three times, with 2 % from one run to the next."""
    rng = np.random.default_rng(5)
    gains = dict.fromkeys(CHANGES, 1.0) | {"workers": 1.4, AS_IT_IS: 1.0}
    wrong = 0
    for _ in range(300):
        runs = {
            who: {name: list(1000 * gain * rng.normal(1, 0.02, 3)) for name, gain in gains.items()}
            for who in ("student", "grader")
        }
        own, grader = (Measured(throughputs=one) for one in runs.values())
        statements = (
            "workers",
            own.gain("workers").interval(),
            own.capacity.interval(),
            "delay",
            own.gain("delay").interval(),
        )
        too_wide = any(b[1] > 1.25 * b[0] for b in (statements[1], statements[2], statements[4]))
        wrong += not too_wide and WRONG in verdicts(grader, *statements)
    assert wrong <= 6
