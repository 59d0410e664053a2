"""Runs on the hosts of a lab, measured as campaigns measure them."""

from collections import deque
from functools import partial

from records.manifest import UnfinishedManifest
from records.manifest_entries import Git
from remote.campaign.attempts import Attempts, measure_once
from remote.campaign.record import topology_of
from remote.campaign.states import MAX_ATTEMPTS
from remote.experiment.sessions.load import LoadSession
from remote.hosts.provision import provision
from remote.phases import Phases


def new_manifest(fleet):
    """What the manifests of all runs say."""
    git = Git(commit="0" * 40, dirty=False)
    topology = topology_of(fleet.inventory)
    return UnfinishedManifest(campaign="t", fleet="local-lab", topology=topology, git=git)


def measure_accepted(fleet, *runs):
    """Measure runs of one section until each is accepted; at most as often as a campaign would."""
    tools = provision(fleet, fleet.inventory.hosts)
    batches, reasons = deque([runs]), {}

    def on_settled(run, reason):
        reasons[run.label] = reason

    attempts = Attempts(
        fleet, fleet.inventory.hosts, partial(new_manifest, fleet), Phases(), on_settled
    )
    attempts.measure(
        next_runs=lambda: batches.popleft() if batches else (),
        open_session=partial(LoadSession, fleet, runs[0].section, tools),
        on_start=lambda run: None,
    )
    assert reasons == {run.label: "" for run in runs}


def measure_in(session, fleet, run):
    """Measure a run in an open session until it is accepted; at most as often as campaigns do."""
    reasons = []
    for _ in range(MAX_ATTEMPTS):
        reasons.append(measure_once(session, run, new_manifest(fleet)))
        if not reasons[-1]:
            return
    raise AssertionError(reasons)
