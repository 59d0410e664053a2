"""Measuring the links that a section uses, before anything runs on them."""

from __future__ import annotations

from collections.abc import Mapping

from records.manifest_entries import Roles
from records.section import ROLES
from remote.experiment.links_section import PARALLEL
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.experiment.sessions.bandwidth import Bandwidths
from remote.experiment.sessions.pairs import count_links, reply_pairs, request_pairs, rounds
from remote.experiment.storing import END, START, Collected
from remote.hosts.group import Fleet
from remote.hosts.provision import Tools
from remote.phases import MEASURING

OMIT_S = {"quick": 0, "paper": 1}


class LinksSession:
    """iperf3 between the hosts that talk to each other; a context manager like LoadSession."""

    def __init__(self, fleet: Fleet, section: Section, tools: Mapping[str, Tools]) -> None:
        self.fleet = fleet
        self.section = section
        self.tools = tools
        self.roles = {
            role: fleet.inventory.take(role, section.hosts[role])
            for role in ROLES
            if role in section.hosts
        }

    def __enter__(self) -> LinksSession:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing outlives a run."""

    def measure(self, run: Run, collected: Collected) -> None:
        """Perform `run` and fill `collected`.

        All at once means all requests' ways at the same time and then all replies' ways, which is
        how sets and gets load the links. Of very many pairs a sample is measured (`pairs.rounds`);
        the manifest tells of how many.
        """
        hosts = [host for of_role in self.roles.values() for host in of_role]
        manifest = collected.manifest
        manifest.roles = Roles(
            **{role: [h.name for h in of_role] for role, of_role in self.roles.items()}
        )
        manifest.durations = run.lengths.recorded
        manifest.hosts = {h.name: dict(self.tools[h.name].facts) for h in hosts}
        manifest.jobs = []
        collected.note_clocks(self.fleet, hosts, START)
        collected.phases.enter(MEASURING)
        bandwidths = Bandwidths(
            self.fleet,
            f"{run.section.name}-{run.config['kind']}",
            seconds=run.lengths.stable_s,
            omit_s=OMIT_S[run.section.profile],
        )
        ways = [request_pairs(self.roles), reply_pairs(self.roles)]
        measured = [rounds(pairs) for pairs in ways]
        one_by_one = [pairs for way in measured for pairs in way]
        manifest.links = count_links([pair for pairs in ways for pair in pairs], one_by_one)
        if run.config["kind"] == PARALLEL:
            for way in measured:
                bandwidths.parallel([pair for pairs in way for pair in pairs], collected)
        else:
            bandwidths.in_rounds(one_by_one, collected)
        collected.note_clocks(self.fleet, hosts, END)
