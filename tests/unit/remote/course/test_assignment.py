"""Systems that are drawn: one limit, the others out of reach, and nothing that tells of it."""

from pathlib import Path

import pytest

from records.sensitivity import AS_IT_IS
from remote.campaign.changes.study import study_folder
from remote.course.assignment import (
    CHANGES,
    FACTOR,
    MIDDLEWARE_LINK,
    ROOM,
    SERVER_LINKS,
    SERVERS,
    SINGLE_LINKS,
    WORKERS,
    draw,
    plan_changes,
)
from remote.experiment.section_file import section_of
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.inventory_file import inventory_text
from remote.providers.local_lab.links.wiring import Delay

SEEDS = range(60)
REPLY_MBIT = 0.034


def section(assignment):
    return section_of(Path(f"{assignment.name}.toml"), assignment.document, "smoke")


def rate(topology, host):
    (found,) = [one.egress.rate_mbit_per_s for one in topology.hosts if one.name == host]
    return found


def bounds(assignment):
    """Requests per second that each resource lets through by itself (Jain 1991, section 33.6)."""
    topology = assignment.topology
    servers = {s: rate(topology, s) / REPLY_MBIT for s in SERVERS}
    slowest = min(servers, key=servers.get)
    others = min(value for server, value in servers.items() if server != slowest)
    is_single = servers[slowest] < 0.9 * others
    replied_s = sum(1 / value for value in servers.values()) / len(servers)
    of_servers = {f"{slowest} link" if is_single else SERVER_LINKS: 3 * servers[slowest]}
    if is_single:
        of_servers[SERVER_LINKS] = 3 * others
    return of_servers | {
        MIDDLEWARE_LINK: rate(topology, "m1") / REPLY_MBIT,
        WORKERS: assignment.workers / (topology.rtt_ms / 1000 + replied_s),
    }


def test_a_seed_is_a_system():
    assert draw(17) == draw(17)
    assert draw(17).topology != draw(18).topology


@pytest.mark.parametrize("seed", SEEDS)
def test_one_limit_is_far_below_the_others(seed):
    assignment = draw(seed)
    least, *others = sorted(bounds(assignment).items(), key=lambda one: one[1])
    assert least[0] == assignment.limit
    assert others[0][1] > 0.97 * ROOM * least[1]  # rates are rounded
    clients = 144 / (2 * assignment.topology.rtt_ms / 1000)
    assert clients > 1.5 * FACTOR * least[1]
    assert assignment.topology.rtt_ms > 0.9


def test_each_limit_is_drawn():
    drawn = {draw(seed).limit for seed in SEEDS}
    assert drawn == {MIDDLEWARE_LINK, SERVER_LINKS, *SINGLE_LINKS, WORKERS}


def test_workers_tell_nothing_of_the_limit():
    limited = {draw(seed).workers for seed in SEEDS if draw(seed).limit == WORKERS}
    others = {draw(seed).workers for seed in SEEDS if draw(seed).limit != WORKERS}
    assert limited <= others


@pytest.mark.parametrize("seed", [0, 17, 2**31])
def test_its_inventory_and_section_tell_no_limit(seed):
    topology = draw(seed).topology.calibrated(0.123)
    text = inventory_text(topology, LabFiles(), Delay.LINE, counts_cpu=True)
    assert "mwlab_rate" not in text
    assert "rtt" not in text
    assert "wake_up" not in text
    for host in topology.hosts:
        assert f"{host.egress.rate_mbit_per_s:g}" not in str(draw(seed).document)
    assert draw(seed).limit not in str(draw(seed).document).replace("'workers'", "")


def test_its_section_is_measured_as_any_other():
    read = section(draw(17))
    assert len(read.configs()) == 4
    assert read.settings(read.configs()[-1]).num_clients == 144


def test_changes_are_of_one_thing_each():
    assignment = draw(17)
    as_it_is, *changes = plan_changes(section(assignment), assignment.topology)
    assert as_it_is.parameter == AS_IT_IS
    assert [case.parameter for case in changes] == list(CHANGES)
    by_name = {case.parameter: case for case in changes}
    before = assignment.topology
    assert by_name[WORKERS].topology == before
    (config,) = by_name[WORKERS].section.configs()
    assert config["workers"] == FACTOR * assignment.workers
    for server in SERVERS:
        faster = by_name[f"{server} link"].topology
        for other in SERVERS:
            factor = FACTOR if other == server else 1
            assert rate(faster, other) == pytest.approx(factor * rate(before, other))
        assert rate(by_name[SERVER_LINKS].topology, server) == rate(faster, server)
    assert rate(by_name[MIDDLEWARE_LINK].topology, "m1") == FACTOR * rate(before, "m1")
    assert by_name["delay"].topology.rtt_ms == pytest.approx(before.rtt_ms / FACTOR)
    assert len({study_folder(Path(), c.section.name, {}) / c.name for c in changes}) == len(CHANGES)
    assert all(case.topology.is_hidden for case in changes)
