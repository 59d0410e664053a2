"""What of a run under load is decided before any host is touched."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from records.manifest import UnfinishedManifest
from records.settings import Settings
from remote.errors import ConfigError
from remote.experiment.lengths import Lengths
from remote.experiment.run import Run
from remote.experiment.section_file import read_section
from remote.experiment.sessions import generators
from remote.experiment.sessions.prefill import Prefill
from remote.experiment.sessions.program_options import generator_command, middleware_launch
from remote.experiment.sessions.setup import MOST_PINGED, Setup
from remote.hosts.inventory import Host
from remote.hosts.provision import DROP_IN, Tools
from remote.services.middleware_file import (
    own_middleware,
)
from tests.helpers.hosts import host

WHERE = Path("inventory.yml")


def hosts(role: str, count: int) -> list[Host]:
    return [host(f"{role[0]}{n}", role, f"198.18.0.{n}") for n in range(1, count + 1)]


def settings(**changes) -> Settings:
    known = {"client_hosts": 3, "num_middlewares": 1, "num_servers": 3, "workload": "get"}
    return Settings(**{**known, "clients_per_thread": 2, "workers": 8, **changes})


def tools(name: str) -> Tools:
    return Tools(bin_dir="bin", generator="memtier", generator_name=name, facts={})


def command(one: Settings, *, time_dilation: float = 1.0) -> str:
    instance = generators.Instance(host=hosts("clients", 1)[0], number=0, target=hosts("s", 1)[0])
    return generator_command(
        instance, one, program="memtier", test_time_s=5, time_dilation=time_dilation
    )


@pytest.mark.parametrize(
    ("clients", "targets", "per_client", "taken"),
    [
        (3, 1, 1, ["t1", "t1", "t1"]),
        (1, 2, 2, ["t1", "t2"]),
        (3, 2, 2, ["t1", "t2", "t1", "t2", "t1", "t2"]),
        (3, 3, 2, ["t1", "t2", "t3", "t1", "t2", "t3"]),
        (3, 3, 1, ["t1", "t2", "t3"]),
    ],
)
def test_instances_take_the_targets_in_turn(clients, targets, per_client, taken):
    found = generators.instances(hosts("clients", clients), hosts("targets", targets), per_client)
    assert [one.target.name for one in found] == taken
    assert len({(one.host.name, one.name) for one in found}) == clients * per_client


def test_instances_share_the_arrival_rate_in_seconds_of_the_clock():
    one = settings(arrival_rate_per_s=2400, instances_per_client=2)
    assert "--arrivals=poisson --rate=400.000000 " in command(one)
    assert "--rate=100.000000 " in command(one, time_dilation=4)
    assert "--arrivals" not in command(settings(), time_dilation=4)


def test_generators_and_middlewares_follow_the_same_requests():
    one = settings(follow=1000)
    assert command(one).endswith("--follow=1/1000 --follow-file-prefix=memtier-0")
    assert launch(own_middleware(), one).command.endswith("--follow 1/1000")
    assert "--follow" not in command(settings())


QUEUE = {
    **{"workload": "queue", "num_servers": 0, "num_databases": 2, "backend": "postgresql"},
    **{"queue_mix": "send:1,pop:1", "queues": 5, "receivers": 2, "value_bytes": 200},
}


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"think_time_s": 0.005}, "--think-time=20"),
        ({"sending_rate_per_s": 100}, "--rate-limiting=25"),
    ],
)
def test_times_of_clients_are_those_of_the_clock(changes, option):
    words = command(settings(**QUEUE, **changes), time_dilation=4).split()
    (told,) = (word for word in words if word.startswith(option.split("=")[0]))
    assert float(told.split("=")[1]) == float(option.split("=")[1])


def test_real_generator_knows_no_queues_no_think_times_and_no_exact_rates():
    clients = hosts("clients", 1)
    real = {"c1": tools("memtier_benchmark")}
    for one in (settings(**QUEUE), settings(think_time_s=0.1), settings(sending_rate_per_s=25)):
        with pytest.raises(ConfigError, match="message queues, think_time_s or sending_rate_per_s"):
            generators.require_able(iter([one]), clients, real, WHERE)
    generators.require_able(iter([settings(think_time_s=0)]), clients, real, WHERE)


def test_middlewares_prepare_their_databases():
    one = settings(**QUEUE, locks="row-locks", synchronous_commit=False, net_threads=2)
    text = launch(own_middleware(), one).command
    databases = "postgresql://messages@198.18.0.{}:5432/messages"
    assert f"--database {databases.format(1)} {databases.format(2)} --prepare-database" in text
    assert "--locks row-locks --synchronous-commit off --net-threads 2 " in text
    assert "--prepare-database" not in launch(own_middleware(), settings()).command


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({"workload": "set"}, ["--ratio=1:0"]),
        ({"workload": "multi-get", "multi_get_keys": 9}, ["--ratio=1:9", "--multi-key-get=9"]),
        ({"workload": "mixed", "ratio": "1:99"}, ["--ratio=1:99"]),
        ({"pipeline": 4}, ["--pipeline=4", "--clients=2"]),
        (
            {"key_bytes": 16, "value_bytes": 128},
            ["--data-size=128", "--key-prefix=memtier-000", "--key-minimum=10000"],
        ),
        ({"num_middlewares": 0}, ["--port=11211"]),
        ({}, ["--port=11212"]),
    ],
)
def test_generator_is_told_what_the_settings_say(changes, options):
    words = command(settings(**changes)).split()
    assert set(options) <= set(words)


def test_open_loop_is_refused_to_the_real_generator():
    clients = hosts("clients", 2)
    real = {host.name: tools("memtier_benchmark") for host in clients}
    with pytest.raises(ConfigError, match=r"inventory.yml: .*cannot do that: its --rate-limit"):
        generators.require_able(iter([settings(arrival_rate_per_s=1)]), clients, real, WHERE)
    generators.require_able(iter([settings()]), clients, real, WHERE)
    with pytest.raises(ConfigError, match=r"has generator.follow, .* writes no single requests"):
        generators.require_able(iter([settings(follow=10)]), clients, real, WHERE)
    drop_in = {host.name: tools(DROP_IN) for host in clients}
    generators.require_able(iter([settings(follow=10)]), clients, drop_in, WHERE)
    generators.require_able(iter([settings(arrival_rate_per_s=1)]), clients, drop_in, WHERE)


@pytest.mark.parametrize(("asked_s", "given_s"), [(0, 1), (1, 1), (3, 3)])
def test_instances_that_end_apart_have_a_second_for_it(asked_s, given_s):
    lengths = Lengths(stable_s=3, warm_up_s=2, cool_down_s=asked_s)
    given = generators.with_cool_down(lengths)
    assert given == Lengths(stable_s=3, warm_up_s=2, cool_down_s=given_s)


def test_clients_with_different_generators_are_refused():
    clients = hosts("clients", 2)
    mixed = {"c1": tools("memtier_benchmark"), "c2": tools(DROP_IN)}
    with pytest.raises(ConfigError, match="clients have different generators"):
        generators.are_drop_ins(clients, mixed, WHERE)


def launch(middleware, one, time_dilation=1, **options):
    return middleware_launch(
        hosts("m", 1)[0],
        middleware,
        hosts("servers", 2),
        one,
        programs="/home/a b/bin",
        time_dilation=time_dilation,
        **options,
    )


def test_middleware_is_told_a_depth_only_where_one_is_set():
    assert " --depth 4 " in launch(own_middleware(), settings(depth=4)).command
    assert "--depth" not in launch(own_middleware(), settings(pipeline=4)).command
    assert "--pipeline" not in command(settings(depth=4))


@pytest.mark.parametrize(("time_dilation", "told"), [(1, "3000ms"), (4, "12000ms")])
def test_time_limit_of_servers_is_one_of_the_system(time_dilation, told):
    command = launch(own_middleware(), settings(), time_dilation=time_dilation).command
    assert f"--server-timeout {told}" in command


@pytest.mark.parametrize(
    ("said", "late_s"),
    [
        (
            "memtier: --start-at has passed 5208 ms ago; start the generator earlier.",
            5.208,
        ),
        ("c1: connection lost", None),
        ("", None),
    ],
)
def test_an_instance_that_was_told_too_late_says_by_how_much(said, late_s):
    assert generators.late_s(said) == late_s


def setup_of(middlewares, servers):
    section = SimpleNamespace(name="x")
    return Setup(
        run=SimpleNamespace(section=section),
        settings=settings(),
        middleware=None,
        clients=hosts("clients", 3),
        middlewares=hosts("middlewares", middlewares),
        servers=hosts("servers", servers),
    )


def test_middlewares_ping_all_of_few_servers_and_some_of_many():
    few = {(m.name, s.name) for m, s in setup_of(2, 3).pinged if m.name[0] == "m"}
    assert few == {(f"m{m}", f"s{s}") for m in (1, 2) for s in (1, 2, 3)}
    many = [(m.name, s.name) for m, s in setup_of(10, 30).pinged if m.name[0] == "m"]
    assert len(many) == 10 * MOST_PINGED
    assert len({server for _, server in many}) == 30


@pytest.fixture
def prefill(monkeypatch):
    """A prefill that only counts how often servers are filled."""
    one = Prefill(None, [], [], {})  # type: ignore[arg-type]
    filled: list[Settings] = []
    monkeypatch.setattr(one, "_fill", lambda settings, folder: filled.append(settings))
    return one, filled


def test_servers_are_filled_once_for_runs_that_read_the_same(prefill):
    one, filled = prefill
    for workload in ("set", "get", "get", "set", "get"):
        one.ensure(settings(workload=workload), "run", run_s=10)
    assert len(filled) == 1


def test_servers_are_filled_again_after_values_of_another_size(prefill):
    one, filled = prefill
    one.ensure(settings(), "run", run_s=10)
    one.ensure(settings(workload="set", value_bytes=128), "run", run_s=10)
    one.ensure(settings(), "run", run_s=10)
    one.ensure(settings(key_bytes=16), "run", run_s=10)
    assert len(filled) == 3


def test_servers_are_filled_again_before_keys_expire_in_a_run(prefill):
    one, filled = prefill
    one.ensure(settings(), "run", run_s=10)
    one.ensure(settings(), "run", run_s=9000)
    assert len(filled) == 1
    one.ensure(settings(), "run", run_s=9800)
    assert len(filled) == 2
    forever = settings(expiry_range_s="0-0")
    one.ensure(forever, "run", run_s=9800)
    one.ensure(forever, "run", run_s=1e6)
    assert len(filled) == 3


def test_section_that_the_documentation_shows_is_valid(tmp_path):
    text = (Path(__file__).parents[5] / "docs/sections.md").read_text()
    (tmp_path / "x.toml").write_text(text.split("```toml\n")[1].split("```")[0])
    section = read_section("x", "smoke", folder=tmp_path)
    assert len(section.configs()) == 4
    assert section.time_dilation == 4


def test_a_manifest_holds_what_is_known_before_anything_is_started(tmp_path):
    section = read_section("3.1", "smoke")
    config = section.configs()[0]
    lengths = Lengths(stable_s=3, warm_up_s=2)
    run = Run(section=section, config=config, repetition=1, campaign_dir=tmp_path, planned=lengths)
    clients, middlewares = hosts("clients", 2), hosts("middlewares", 1)
    servers = [host("s1", "servers", "198.18.0.9")]
    one = settings(client_hosts=2, num_servers=1)
    setup = Setup(
        run=run,
        settings=one,
        middleware=own_middleware(),
        clients=tuple(clients),
        middlewares=tuple(middlewares),
        servers=tuple(servers),
    )
    facts = {"generator": "1.2"}
    known = replace(tools(DROP_IN), facts=facts)
    manifest = UnfinishedManifest()
    setup.describe(manifest, dict.fromkeys(("c1", "c2", "m1", "s1"), known))
    assert manifest.document() == {
        "format": 1,
        "settings": one.to_dict(),
        "roles": {"clients": ["c1", "c2"], "middlewares": ["m1"], "servers": ["s1"]},
        "hosts": dict.fromkeys(("c1", "c2", "m1", "s1"), facts),
        "generator": {"name": DROP_IN, "version": "1.2"},
        "middleware": {"name": "mwlab", "tells_statistics": True, "exit_statuses": [0]},
        "targets": {"c1": ["m1"], "c2": ["m1"]},
        "instances_per_client": 1,
        "threads_per_instance": 1,
        "num_clients": 4,
        "value_bytes": 4096,
        "key_count": 10_000,
        "think_time_s": 0.0,
        "durations": {"warm_up_s": 2, "stable_s": 3, "cool_down_s": 0},
    }
