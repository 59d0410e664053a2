"""A made-up lab on which throughput follows powers of what is changed."""

from records.sensitivity import WORKERS
from remote.campaign.changes.cases import plan_cases
from remote.campaign.changes.study import Study
from remote.experiment.section_file import read_section
from remote.providers.local_lab.topology import Topology
from tests.helpers.planning import MadeUpLab, Truth

CONFIG = {"workload": "get", "clients_per_thread": 32, "workers": 64}
AZURE = Topology.named("azure")
POWERS = {"server link rate": 0.8, "machine (by time dilation)": 0.1, WORKERS: 0.3}


def planned(folder, profile="smoke"):
    cases = plan_cases(read_section("3.1", profile), CONFIG, AZURE, step=0.2)
    return Study(cases=cases, campaign_dir=folder, profile=profile)


class FakeLab:
    """Measures what is planned of a case, on a system that follows powers of its parameters."""

    def __init__(self, fails=lambda case: False, breaks_after=1000, powers=POWERS, **truth):
        self.turns, self.runs = [], []
        self.fails, self.breaks_after, self.truth = fails, breaks_after, truth
        self.powers = powers

    def __call__(self, campaign, case):
        if len(self.turns) >= self.breaks_after:
            raise KeyboardInterrupt
        self.turns.append((campaign.last, case.name))
        throughput = 2900 * case.factor ** self.powers.get(case.parameter, 0.0)
        seed = len(self.turns)
        truth = Truth(throughput=throughput, **self.truth)
        status = "rejected" if self.fails(case) else ""
        lab = MadeUpLab(truth=lambda config, number: truth, fails=lambda run: status, seed=seed)
        while runs := campaign.missing(case.section.name):
            for run in runs:
                lab.measure(run)
        self.runs += [(case.name, run) for run, _ in lab.made]

    def loads(self, name):
        return [run for case, run in self.runs if case == name and run.section.kind == "load"]
