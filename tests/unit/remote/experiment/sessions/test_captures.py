"""In which order hosts make tables of what was captured, and what they are told."""

from types import SimpleNamespace

import pytest

from records.settings import Settings
from remote.experiment.run import Run
from remote.experiment.section_file import read_section
from remote.experiment.sessions.captures import Captures, _snap_bytes
from remote.experiment.sessions.setup import Setup
from remote.services.capture import HEADS_BYTES, WHOLE_PACKETS_BYTES
from remote.services.middleware_file import own_middleware
from tests.helpers.hosts import host

FOLLOWED = "client,...\n10.0.0.1:40000,...\n"


class Recorded:
    """Hosts and jobs that note what is done, in its order."""

    def __init__(self):
        self.steps = []

    def for_each(self, hosts, action, *, at_once=None):
        return {host.name: action(Link(self, host)) for host in hosts}

    def start(self, host, task, *, limit_s):
        self.steps.append((host.name, task.command))
        return host

    def wait(self, jobs, *, timeout_s):
        self.steps.append(("all", "waited for"))
        return []

    def stop(self, jobs, signal):
        assert jobs == []


class Link:
    def __init__(self, recorded, host):
        self.recorded, self.host = recorded, host

    def run(self, command, **_):
        self.recorded.steps.append((self.host.name, command))
        return SimpleNamespace(stdout=FOLLOWED)

    def put_text(self, text, path):
        self.recorded.steps.append((self.host.name, f"{path}: {text}"))


@pytest.fixture
def steps(tmp_path):
    def steps(**constants):
        section = read_section("8", "smoke")
        (config,) = section.configs()
        changed = {**section.constants, "follow": None, **constants}
        object.__setattr__(section, "constants", changed)
        names = {"clients": ["c1"], "middlewares": ["m1", "m2"], "servers": ["s1", "s2"]}
        hosts = {
            role: tuple(host(name, role, name, work_dir="work") for name in of_role)
            for role, of_role in names.items()
        }
        run = Run(section=section, config=config, repetition=1, campaign_dir=tmp_path)
        setup = Setup(
            run=run, settings=section.settings(config), middleware=own_middleware(), **hosts
        )
        recorded = Recorded()
        Captures(recorded).make_tables(setup, recorded)
        return recorded.steps

    return steps


def test_nothing_is_made_where_nothing_was_captured(steps):
    assert [where for where, _ in steps(follow=10)] == ["all"]


def test_hosts_make_their_tables_at_the_same_time(steps):
    done = steps(observed="packets")
    assert [where for where, _ in done] == ["m1", "m2", "s1", "s2", "all"]
    assert not any("--follow" in what or "--calls" in what for _, what in done)


def test_hosts_of_servers_are_told_which_calls_middlewares_were_followed_with(steps):
    done = steps(observed="packets", follow=10)
    assert [where for where, _ in done] == [
        *("m1", "m2", "all", "m1", "m2"),
        *("s1", "s2", "s1", "s2", "all"),
    ]
    folder = "work/jobs/8-workload=mixed-rep-1"
    assert all("--follow 10;" in what for _, what in done[:2])
    assert done[3][1] == f"cat {folder}/packets/followed.csv"
    assert done[5] == ("s1", f"{folder}/calls.csv: {FOLLOWED * 2}")
    assert all("--listen s" in what and "--calls calls.csv;" in what for _, what in done[7:9])


@pytest.mark.parametrize(
    ("changes", "snap_bytes"),
    [
        ({}, HEADS_BYTES),
        ({"pipeline": 4}, WHOLE_PACKETS_BYTES),
        ({"dispatch": "pipelined"}, WHOLE_PACKETS_BYTES),
        ({"workload": "multi-get", "multi_get_keys": 3}, WHOLE_PACKETS_BYTES),
    ],
)
def test_whole_packets_are_kept_where_one_may_hold_several_values(changes, snap_bytes):
    levels = {"client_hosts": 1, "num_middlewares": 1, "num_servers": 1, "workload": "set"}
    one = Settings(**{**levels, "clients_per_thread": 1, "workers": 8, **changes})
    assert _snap_bytes(SimpleNamespace(settings=one)) == snap_bytes
