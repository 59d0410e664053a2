from remote.campaign.planning.cell import Cell, Measured
from remote.campaign.planning.standing import Verdict, standing_of
from remote.experiment.lengths import Lengths
from remote.experiment.precision import Precision

PRECISION = Precision(goals={"throughput": 0.05}, repetitions=(2, 6), budget_s=600)


def test_the_fewest_repetitions_are_made_though_a_pilot_has_spent_the_budget():
    pilot = Measured(
        repetition=1, counts=False, time_dilation=1.0, lengths=Lengths(stable_s=700), results={}
    )
    standing = standing_of(Cell(config={"workload": "set"}, measured=(pilot,)), PRECISION, 1.0)
    assert (standing.verdict, standing.repetitions_left) == (Verdict.OPEN, 2)
