"""What a topology file may hold, and what is said when it holds something else."""

import copy
import re
import tomllib

import pytest

from remote.errors import ConfigError
from remote.providers.local_lab.topology import TOPOLOGIES_DIR, Topology, topology_for

SMALLEST = {
    "name": "two",
    "network": "198.18.7.0/24",
    "control_address": "198.18.7.1",
    "work_dir_mib": 64,
    "rtt_ms": 0.5,
    "time_dilation": 2,
    "clients": {
        "cpu_quota": 1.5,
        "hosts": {"c1": "198.18.7.11"},
        "egress": {"rate_mbit_per_s": 2.5, "burst_kib": 16, "queue_kib": 100},
    },
    "servers": {"hosts": {"s1": "198.18.7.31"}},
}


def changed(**fields):
    """SMALLEST with fields replaced; `a__b` is field b of table a, None takes a field away."""
    data = copy.deepcopy(SMALLEST)
    for path, value in fields.items():
        *tables, name = path.split("__")
        table = data
        for part in tables:
            table = table[part]
        if value is None:
            del table[name]
        else:
            table[name] = value
    return data


def test_azure_queues_hold_a_value_for_each_of_the_studies_clients():
    value_on_the_wire_bytes = 4325
    for host in Topology.named("azure").hosts:
        assert host.egress.queue_kib * 1024 > 288 * value_on_the_wire_bytes
        assert host.egress.burst_kib * 1024 > value_on_the_wire_bytes


@pytest.mark.parametrize("path", sorted(TOPOLOGIES_DIR.glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_topology_survives_a_round_trip(path):
    topology = Topology.named(path.stem)
    document = tomllib.loads(path.read_text())
    if "count" not in document["clients"]["hosts"]:  # told by their number, hosts are written out
        assert topology.to_dict() == document
    assert Topology.from_dict(topology.to_dict()) == topology


def test_hosts_may_be_told_by_their_number():
    hosts = {h.name: h.address for h in Topology.named("hundred").hosts}
    assert len(hosts) == 100
    assert (hosts["c1"], hosts["c60"]) == ("198.18.0.11", "198.18.0.70")
    assert (hosts["m10"], hosts["s1"]) == ("198.18.0.110", "198.18.0.151")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"count": 0}, "clients.hosts count must be a whole number >= 1, got 0"),
        ({"first": "198.18.7"}, "clients.hosts Expected 4 octets"),
        ({"step": 2}, "unknown step; known are count, first, prefix"),
        ({"count": 300}, "control_address|must be a host address of 198.18.7.0/24"),
        ({"prefix": "C"}, "'C1' is not a host name"),
    ],
)
def test_wrong_numbered_hosts_are_named(wrong, message):
    hosts = {"prefix": "c", "count": 2, "first": "198.18.7.11"} | wrong
    with pytest.raises(ValueError, match=message):
        Topology.from_dict(changed(clients__hosts=hosts))


def test_dilation_multiplies_the_delay_and_nothing_that_the_topology_says():
    azure = Topology.named("azure")
    assert [azure.delay_ms(host) for host in azure.hosts] == [0.45] * 8
    slow = azure.dilated(4)
    assert [slow.delay_ms(host) for host in slow.hosts] == pytest.approx([1.8] * 8)
    assert (slow.rtt_ms, slow.hosts) == (azure.rtt_ms, azure.hosts)
    assert slow.dilated(1) == azure
    with pytest.raises(ValueError, match=r"time_dilation must be a number 0\.01 to"):
        azure.dilated(-1)


def test_named_takes_the_path_of_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text((TOPOLOGIES_DIR / "azure.toml").read_text().replace('"azure"', '"mine"'))
    assert Topology.named(str(path)).name == "mine"


def test_unknown_name_lists_the_known_ones():
    known = "azure, cetin2018, hundred, khalil2016, queue, schmid2018, unshaped, yenicelik2018"
    with pytest.raises(ConfigError, match=rf"`azur`.*known: {known}"):
        Topology.named("azur")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file"),
        ("name = ", "Invalid value"),
        ('name = "x"', "network is missing"),
    ],
)
def test_read_names_the_file(tmp_path, text, message):
    path = tmp_path / "broken.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        Topology.read(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": None}, "name is missing"),
        ({"delay_ms": 0.9}, "unknown delay_ms; known are clients, control_address"),
        ({"work_dir_mib": 0}, "work_dir_mib must be a whole number >= 1, got 0"),
        ({"network": "198.18.7.0/99"}, "network: "),
        ({"clients__hosts__c1": "c1.example"}, "clients.hosts.c1: "),
        ({"network": "10.0.0.0/24"}, "network must lie in 198.18.0.0/15, got 10.0.0.0/24"),
        ({"control_address": "198.18.8.1"}, "control_address must be a host address"),
        (
            {"control_address": "198.18.7.11"},
            "clients.hosts.c1: 198.18.7.11 is already the address",
        ),
        ({"clients": None, "servers": None}, "no hosts: give at least one in"),
        ({"servers__own": {"s2": {}}}, "servers.own.s2: no such host; there are s1"),
        (
            {"servers__own": {"s1": {"rtt_ms": 0.4}}},
            "servers.own.s1.rtt_ms must be at least the rtt_ms of all hosts, which must be > 0; "
            "got 0.4 and 0.5",
        ),
        ({"rtt_ms": 0, "servers__own": {"s1": {"rtt_ms": 5}}}, "must be > 0; got 5 and 0"),
        (
            {"servers__processor": {"reply_us": 5, "exponent": 1.5}},
            "servers.processor.exponent must be a number 0 to 1, got 1.5",
        ),
        (
            {"rtt_ms": 0, "clients__processor": {"reply_us": 5}},
            "processor needs an rtt_ms > 0",
        ),
        ({"rtt_ms": -0.1}, "rtt_ms must be a number 0 to 1000, got -0.1"),
        ({"rtt_ms": float("nan")}, "rtt_ms must be a number 0 to 1000, got nan"),
        ({"clients__hosts__c1": "198.18.7.255"}, "clients.hosts.c1 must be a host address"),
        ({"clients__hosts__switch": "198.18.7.12"}, "'switch' is not a host name"),
        ({"clients__hosts__server": "198.18.7.12"}, "none of switch, control, client, middleware"),
        ({"clients__hosts__s1": "198.18.7.12"}, "host s1 is given more than once"),
        ({"clients__egress__burst_kib": 1}, "clients.egress.burst_kib must be a whole number >= 2"),
    ],
)
def test_from_dict_names_the_wrong_field(fields, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Topology.from_dict(changed(**fields))


OWN = {"rtt_ms": 5, "egress": {"rate_mbit_per_s": 25, "burst_kib": 16, "queue_kib": 4096}}


def with_own(**own):
    data = Topology.named("azure").to_dict()
    data["servers"]["cpu_quota"] = 0.5
    data["servers"]["own"] = own
    return Topology.from_dict(data)


def test_a_host_has_its_own_limits_and_else_those_of_its_role():
    topology = with_own(s3=OWN, s2={"cpu_quota": 0.2})
    limits = {
        host.name: (host.egress.rate_mbit_per_s, host.cpu_quota, host.own_rtt_ms)
        for host in topology.hosts
    }
    assert limits["s1"] == (104.6, 0.5, None)
    assert limits["s2"] == (104.6, 0.2, None)
    assert limits["s3"] == (25, 0.5, 5)
    assert limits["c1"] == (209.1, None, None)
    assert topology.own_rtt_ms == {"s3": 5}
    assert Topology.from_dict(topology.to_dict()) == topology


def test_processors_can_be_changed_in_a_lab_that_has_them():
    slow, slower = {"reply_us": 200}, {"reply_us": 300, "exponent": 0.2}
    one, other = (with_own(s3={"processor": processor}) for processor in (slow, slower))
    assert one.built() == other.built() != with_own(s3={}).built()
    processors = {host.name: host.processor for host in other.hosts}
    assert (processors["s1"], str(processors["s3"])) == (None, "300 0 0.2")
    assert Topology.from_dict(other.to_dict()) == other


@pytest.mark.parametrize(("k", "wake_up_ms"), [(1, 0.15), (4, 0.15), (1, None)])
def test_what_a_far_host_sends_takes_all_of_its_longer_way(k, wake_up_ms):
    data = with_own(s3=OWN, s2={"rtt_ms": 2}).to_dict()
    topology = Topology.from_dict(data).calibrated(wake_up_ms).dilated(k)
    delays = {host.name: topology.delay_ms(host) for host in topology.hosts}
    taken_off = wake_up_ms or 0.0
    assert delays["c1"] + delays["s1"] == pytest.approx(0.9 * k - taken_off)
    assert delays["c1"] + delays["s3"] == pytest.approx(5 * k - taken_off)
    assert delays["s2"] + delays["s3"] == pytest.approx((5 + 2 - 0.9) * k - taken_off)


@pytest.mark.parametrize(
    ("k", "wake_up_ms", "line_rtt_ms"),
    [(1, 0.15, 0.75), (4, 0.15, 3.45), (1, 0.8, 0.45), (0.1, 0.15, 0.045), (1, 0, 0.9)],
)
def test_wake_ups_are_taken_off_the_delay_up_to_half_of_it(k, wake_up_ms, line_rtt_ms):
    topology = Topology.named("azure").calibrated(wake_up_ms).dilated(k)
    assert topology.line_rtt_ms == pytest.approx(line_rtt_ms)
    delays = [topology.delay_ms(host) for host in topology.hosts]
    assert delays == pytest.approx([line_rtt_ms / 2] * 8)
    assert topology.calibrated(None) == Topology.named("azure").dilated(k)
    assert Topology.from_dict(topology.to_dict()) == topology


def test_hosts_that_a_section_needs_tell_the_topology():
    assert topology_for({"clients": 3, "servers": 1}) == "azure"
    assert topology_for({"clients": 2, "servers": 0, "databases": 1}) == "queue"
