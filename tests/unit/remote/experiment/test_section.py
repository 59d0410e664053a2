import contextlib
import copy
import random
import tomllib
from pathlib import Path

import pytest

from records.section import PROFILES
from records.settings import SETTINGS
from remote.errors import ConfigError
from remote.experiment.describe import configuration_table
from remote.experiment.section import Section, slug
from remote.experiment.section_file import SECTIONS_DIR, read_section, section_of
from remote.services.memtier import keys_of

MINIMAL = """
title = "A section"
[hosts]
clients = 3
servers = 1
[factors]
workload = ["set", "get"]
clients_per_thread = [1, 2]
[profiles.smoke]
repetitions = 2
warm_up_s = 1
stable_s = 3
factors.clients_per_thread = [8]
"""
FULL = """
title = "Through middlewares"
time_dilation = 4
[hosts]
clients = 3
servers = 3
[generator]
clients_per_thread = 2
key_bytes = 16
value_bytes = 128
[middleware]
routing = "consistent-hash"
workers = 8
[factors]
workload = ["get"]
replicas = [1, 3]
num_middlewares = [1, 2]
[extra]
replicas = [2]
[follows.num_middlewares]
1 = { instances_per_client = 1, threads_per_instance = 2 }
2 = { instances_per_client = 2, threads_per_instance = 1 }
[profiles.smoke]
repetitions = 1
stable_s = 10
pauses = [{ server = 3, at_s = 1.5, for_s = 1 }]
"""
PARTS = """
[hosts]
clients = 3
servers = 1
[generator]
clients_per_thread = 2
[factors]
workload = ["get"]
[parts.direct]
num_middlewares = [0]
arrival_rate_per_s = [100, 200.5]
[parts.proxied]
num_middlewares = [1]
workers = [8]
[profiles.smoke]
repetitions = 1
stable_s = 1
parts.direct.arrival_rate_per_s = [50]
"""


def read(folder: Path, text: str) -> Section:
    (folder / "x.toml").write_text(text)
    return read_section("x", "smoke", folder=folder)


def test_section_profile_replaces_the_levels_of_a_factor(tmp_path):
    section = read(tmp_path, MINIMAL)
    assert section.configs() == [
        {"workload": "set", "clients_per_thread": 8},
        {"workload": "get", "clients_per_thread": 8},
    ]
    assert section.durations.of_clock(1).total_s == 4
    assert section.precision is None
    assert section.hosts == {"clients": 3, "middlewares": 0, "servers": 1}
    assert section.time_dilation == 1


def test_profile_may_have_constants_of_its_own(tmp_path):
    given = "[profiles.smoke]\ngenerator.value_bytes = 64\nmiddleware.workers = 16"
    section = read(tmp_path, FULL.replace("[profiles.smoke]", given))
    settings = section.settings(section.configs()[0])
    assert (settings.value_bytes, settings.workers, settings.key_bytes) == (64, 16, 16)


def test_levels_beyond_the_studies_are_measured_and_marked(tmp_path):
    section = read(tmp_path, FULL)
    assert section.factors["replicas"] == (1, 3, 2)
    assert section.extra == {"replicas": (2,)}
    profile = "factors.replicas = [1, 3]\npauses = [{ server = 3"
    section = read(tmp_path, FULL.replace("pauses = [{ server = 3", profile))
    assert section.factors["replicas"] == (1, 3)
    assert section.extra == {}


def test_settings_follow_from_a_level_so_that_the_number_of_clients_stays(tmp_path):
    section = read(tmp_path, FULL)
    settings = [section.settings(config) for config in section.configs()]
    instances = {one.num_middlewares: one.instances_per_client for one in settings}
    assert instances == {1: 1, 2: 2}
    assert {one.num_clients for one in settings} == {12}
    assert {keys_of(one).prefix for one in settings} == {"memtier-000"}


def test_parts_have_factors_of_their_own(tmp_path):
    section = read(tmp_path, PARTS)
    assert section.configs() == [
        {"workload": "get", "num_middlewares": 0, "arrival_rate_per_s": 50},
        {"workload": "get", "num_middlewares": 1, "workers": 8},
    ]
    direct, proxied = (section.settings(config) for config in section.configs())
    assert direct.is_open
    assert not proxied.is_open
    assert "workers" not in direct.to_dict()
    assert proxied.to_dict()["workers"] == 8


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"set", "get"', '"put"', r"factors.workload\[1\] must be one of set, get"),
        ("[1, 2]", "[]", "factors.clients_per_thread must be a list of distinct levels"),
        ("= [8]", "= [8, 8]", "distinct levels"),
        ("= [8]", "= [0]", r"per_thread\[1\] must be a whole number >= 1, got 0"),
        ("= [8]", "= [true]", r"per_thread\[1\] must be a whole number >= 1, got True"),
        ("= [8]", "= [9000]", "27000 clients of one server are more than the 8000"),
        ("factors.clients_per_thread", "factors.workers", "profiles.smoke.factors: unknown worker"),
        ("stable_s = 3", "", "profiles.smoke.stable_s is missing"),
        ("stable_s = 3", "stable_s = 604801", "must be a number 0.01 to 604800, got 604801"),
        ('"A section"', "5", "title must be text, got 5"),
        ("stable_s = 3", "stable_s = 9999", "lets keys expire after 9999 s: runs of 10000 s"),
        ("clients = 3", "clients = 0", "hosts.clients must be at least 1"),
        ("servers = 1", "servers = 7", "3 generator instances cannot reach 7 servers"),
        ('title = "A section"', 'titel = "x"', "the top level: unknown titel"),
        ('title = "A section"', 'title = "x', "not TOML"),
        ('title = "A section"', 'kind = "disk"', "kind must be one of load, network, got 'disk'"),
        ('title = "A section"', "time_dilation = 0", "time_dilation must be a number 0.01 to"),
        ('title = "A section"', f"title = 0x{'f' * 5000}", "title must be a number of at most 1e"),
        (
            'title = "A section"',
            f"kind.{'.a' * 99} = 1".replace("..", "."),
            "kind.a.* is nested dee",
        ),
        (
            "[1, 2]",
            f"[1]\nvalue_bytes = {list(range(1, 1002))}",
            "factors: 2002 configurations are more than 2000",
        ),
        ("[factors]", f"[generator]\nexpiry_range_s = '{'9' * 5000}-1'\n[factors]", "two numbers"),
        ("[factors]", f"[generator]\nratio = '{'9' * 5000}:1'\n[factors]", "sets to gets"),
        ("[factors]", f"[generator]\nqueue_mix = 'pop:{'9' * 5000}'\n[factors]", "weights >= 1"),
        ('title = "A section"', f"find = 'throughput with p99 < {'9' * 400} ms'", "find must be"),
        ("[1, 2]", "[1, 2]\nworkers = [8]", "workers: there is no middleware to set it on"),
        ("[1, 2]", "[1, 2]\ndepth = [0]", "must be a whole number 1 to 1024, got 0"),
        ("[1, 2]", "[1, 2]\nwokers = [8]", "factors: unknown wokers; known are arrival_rate_per_s"),
        ("[1, 2]", "[1, 2]\nmulti_get_keys = [3]", "multi_get_keys belongs to workload multi-get"),
        (
            "[1, 2]",
            "[1, 2]\narrival_rate_per_s = [-1]",
            r"must be a number > 0, at most 1e\+15, got -1",
        ),
        ('"get"', '"mixed"', r"workload=mixed_clients_per_thread=8: .* needs generator.ratio"),
        ('"get"', '"multi-get"', "workload multi-get needs multi_get_keys"),
        ("[factors]", "[generator]\nworkers = 8\n[factors]", "generator: unknown workers"),
        ("[factors]", "[generator]\nkey_bytes = 5\n[factors]", "cannot name 10000 keys"),
        ("[factors]", "[generator]\nkey_count = 200000\n[factors]", "do not fit into a server's"),
        (
            "[factors]",
            "[middleware]\nworkers = 8\n[factors]",
            "middleware.workers is given wi",
        ),
        (
            "[factors]",
            "[generator]\nclients_per_thread = 2\n[factors]",
            "generator.clients_per_thread is given as a constant, but .* is a factor",
        ),
    ],
)
def test_section_names_file_place_and_rule_of_a_mistake(tmp_path, old, new, message):
    assert old in MINIMAL
    with pytest.raises(ConfigError, match=message) as error:
        read(tmp_path, MINIMAL.replace(old, new))
    assert str(tmp_path / "x.toml") in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[1, 3]", "[1, 4]", "replicas=4_num_middlewares=1: 4 replicas need as many servers"),
        ("[1, 3]", '["some"]', r"replicas\[1\] must be a whole number >= 1 or `all`, got 'some'"),
        ('"consistent-hash"', '"hash"', "replicas belongs to routing consistent-hash; hash writes"),
        ("workers = 8\n", "", "workers must be given, as a factor or in .middleware."),
        ("workers = 8", "workers = 5000", "10000 workers in all are more than the 8000"),
        ("workers = 8", "workers = 8\nsharded = true", "splits multi-gets by owner anyway"),
        ("workers = 8", "workers = 8\nserver_timeout_s = 0.5", "the middleware gives up after 0.5"),
        ("replicas = [2]", "replicas = [3]", "extra.replicas must be a list of distinct levels"),
        ("replicas = [2]", "sharded = [true]", "extra: unknown sharded"),
        ("1 = {", "3 = {", "follows.num_middlewares says nothing of level 1"),
        ("threads_per_instance = 2", "clients_per_thread = 2", "sets clients_per_thread, which is"),
        (
            "[profiles.smoke]",
            "[follows.workload]\nget = { instances_per_client = 3 }\n[profiles.smoke]",
            "follows.workload sets instances_per_client, which is given elsewhere",
        ),
        (
            "[profiles.smoke]",
            "[profiles.smoke]\nmiddleware.replicas = 2",
            "middleware.replicas is given as a constant, but replicas is a factor",
        ),
        ("servers = 3", "servers = 3\nmiddlewares = 2", "hosts.middlewares is given as a constant"),
        ("server = 3", "server = 4", "server 4 at 1.5 s for 1 s: the servers are 1 to 3"),
        ("at_s = 1.5", "at_s = 9.5", "ends after the 10 s that are measured"),
        ("for_s = 1 }", "for_s = 1 }, { server = 3, at_s = 2, for_s = 1 }", "before the one befor"),
    ],
)
def test_section_names_what_does_not_go_together(tmp_path, old, new, message):
    assert old in FULL
    with pytest.raises(ConfigError, match=message) as error:
        read(tmp_path, FULL.replace(old, new))
    assert str(tmp_path / "x.toml") in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "num_middlewares = [1]\nworkers = [8]",
            "num_middlewares = [0]",
            "measured by two",
        ),
        ("parts.direct.arr", "parts.both.arr", "profiles.smoke.parts: unknown both"),
        ("arrival_rate_per_s = [50]", "workers = [8]", "profiles.smoke.parts.direct: unknown work"),
        ("num_middlewares = [1]\n", "num_middlewares = [0]\n", "workers: there is no middleware"),
    ],
)
def test_section_names_a_mistake_in_its_parts(tmp_path, old, new, message):
    assert old in PARTS
    with pytest.raises(ConfigError, match=message):
        text = PARTS.replace(old, new)
        if "two" in message:
            text = text.replace("arrival_rate_per_s = [100, 200.5]\n", "")
            text = text.replace("parts.direct.arrival_rate_per_s = [50]\n", "")
        read(tmp_path, text)


NETWORK = """
kind = "network"
[hosts]
clients = 1
servers = 1
[factors]
kind = ["ping", "iperf3"]
[profiles.smoke]
repetitions = 1
stable_s = 2
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"ping"', '"pong"', r"factors.kind\[1\] must be one of ping, iperf3, got 'pong'"),
        ('kind = ["ping", "iperf3"]', "", "factors.kind is missing"),
        ("servers = 1", "", "hosts must be at least 2"),
        ("[factors]", "[generator]\nvalue_bytes = 1\n[factors]", "the top level: unknown gener"),
        ("stable_s = 2", "stable_s = 2\npauses = []", "profiles.smoke: unknown pauses"),
    ],
)
def test_section_names_a_mistake_in_what_is_measured_of_the_network(tmp_path, old, new, message):
    assert [config["kind"] for config in read(tmp_path, NETWORK).configs()] == ["ping", "iperf3"]
    assert old in NETWORK
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, NETWORK.replace(old, new))


def test_depth_and_pipeline_may_be_factors(tmp_path):
    text = FULL.replace("[extra]\nreplicas = [2]\n", "")
    factors = "depth = [1, 16]\npipeline = [1, 4]"
    section = read(tmp_path, text.replace("replicas = [1, 3]", factors))
    told = [section.settings(config) for config in section.configs()]
    assert {(one.depth, one.pipeline) for one in told} == {(1, 1), (1, 4), (16, 1), (16, 4)}
    assert {(one.connections, one.num_clients) for one in told} == {(12, 12), (12, 48)}
    table = configuration_table(section).set_index("parameter")["value"]
    assert table["Total number of clients"] == "12, 48"
    assert table["Requests under way of a connection"] == "1, 4"
    assert table["Requests under way of a client in a middleware"] == "1, 16"


@pytest.mark.parametrize(
    "other", ["arrival_rate_per_s = [9]", "think_time_s = [0, 0.1]", "sending_rate_per_s = [9]"]
)
def test_pipelines_of_clients_that_do_not_send_at_once_are_refused(tmp_path, other):
    text = MINIMAL.replace("[factors]", f"[factors]\npipeline = [4]\n{other}")
    name = other.split(" ")[0]
    with pytest.raises(ConfigError, match=f"pipeline 4 with {name}: .* leave one of the two out"):
        read(tmp_path, text)
    read(tmp_path, text.replace("[4]", "[1]"))


@pytest.mark.parametrize(
    ("encoding", "message"),
    [("latin-1", "x.toml: not UTF-8: .* save it as UTF-8"), ("utf-16", "x.toml: not UTF-8")],
)
def test_section_file_that_is_not_utf_8_is_named(tmp_path, encoding, message):
    text = MINIMAL.replace("A section", "Section \u00e9")
    (tmp_path / "x.toml").write_bytes(text.encode(encoding))
    with pytest.raises(ConfigError, match=message):
        read_section("x", "smoke", folder=tmp_path)
    (tmp_path / "x.toml").write_bytes(text.encode("utf-8-sig"))  # as some editors write it
    assert read_section("x", "smoke", folder=tmp_path).title == "Section \u00e9"


ODD = [0, -1, 2.5, True, "x", "1:1", [], [1], [[1]], [True], ["set"], ["mixed"], {}, {"1": {}}]
ODD += [float("nan"), float("inf"), 10**400, [{"server": 1}], [1, 1.0], {"workers": [8]}, "get"]


def tables_of(table):
    yield table
    for value in table.values():
        if isinstance(value, dict):
            yield from tables_of(value)


@pytest.mark.parametrize("text", [MINIMAL, FULL, PARTS])
def test_any_value_anywhere_gives_a_section_or_a_clear_error(text):
    rng = random.Random(1)
    names = [*SETTINGS, "clients", "factors", "parts", "extra", "follows", "pauses", "smoke"]
    for _ in range(300):
        document = tomllib.loads(text)
        for _ in range(rng.randint(1, 3)):
            table = rng.choice(list(tables_of(document)))
            name = rng.choice([*table, *rng.sample(names, 2)])
            table[name] = copy.deepcopy(rng.choice(ODD))
        with contextlib.suppress(ConfigError):
            section = section_of(Path("x.toml"), document, "smoke")
            assert all(slug(config) for config in section.configs())


def test_section_that_does_not_exist_lists_those_that_do(tmp_path):
    (tmp_path / "2.1.toml").write_text(MINIMAL)
    with pytest.raises(ConfigError, match=r"no section `9.9`; there are 2.1"):
        read_section("9.9", "smoke", folder=tmp_path)


def test_section_profile_that_does_not_exist_lists_those_that_do(tmp_path):
    (tmp_path / "2.1.toml").write_text(MINIMAL)
    with pytest.raises(ConfigError, match="no profile `huge`; there are smoke"):
        read_section("2.1", "huge", folder=tmp_path)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("path", sorted(SECTIONS_DIR.glob("*.toml")), ids=lambda p: p.stem)
def test_every_shipped_section_is_valid_in_every_profile(path, profile):
    assert read_section(path.stem, profile).configs()


def test_slug_lists_factors_in_their_order():
    assert slug({"workload": "get", "workers": 8}) == "workload=get_workers=8"
    assert slug({"sharded": True, "arrival_rate_per_s": 0.5}) == (
        "sharded=true_arrival_rate_per_s=0.5"
    )
