"""Does a run count? Checks on what it left; required ones reject it, advisory ones are shown."""

from analysis.tables.run import ACCEPTED, PILOT
from remote.experiment.checks.check import FAILED, REJECTED
from remote.experiment.checks.of_run import evaluate

__all__ = ["ACCEPTED", "FAILED", "PILOT", "REJECTED", "evaluate"]
