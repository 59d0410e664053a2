"""Single requests in a capture: the same that generator and middleware choose, and their calls."""

import ipaddress

import pytest

from analysis.results.followed import read_followed_by_packets
from remote.packets.followed import FOLLOWED, name_of, one_of
from remote.packets.messages import Request
from remote.packets.program import main
from tests.helpers.captures import LISTEN, MS, SERVERS, START_NS, Talk, Tape

MIDDLEWARE = "10.0.0.2"
ONE_OF = 5
CHOSEN = {40_000: (0, 9), 40_003: (3, 7, 11)}


class System:
    """Clients of a middleware with one connection to each server, which sends ahead on them."""

    def __init__(self, tmp_path):
        self.tape = Tape()
        self.folder = tmp_path
        self.backs = [
            Talk(self.tape, server, 5000 + n, client=MIDDLEWARE).open(0)
            for n, server in enumerate(SERVERS)
        ]
        self.asked = [0] * len(SERVERS)  # requests on each of these connections

    def ask(self, talk, key, at_ns, *, servers=(0,), reply_ns=9 * MS):
        """Let a client get a key, of which the middleware asks servers; return what it is told."""
        talk.up(at_ns, b"get %s\r\n" % key)
        numbers = []
        for server in servers:
            self.backs[server].up(at_ns + MS, b"get %s\r\n" % key)
            self.backs[server].down(at_ns + (2 + server) * MS, b"END\r\n")
            numbers.append(self.asked[server])
            self.asked[server] += 1
        talk.down(at_ns + reply_ns, b"END\r\n")
        return numbers

    def read(self, *options, listen=LISTEN, servers=SERVERS):
        path = self.tape.write(self.folder / "capture.pcap")
        to_servers = ["--servers", *servers] if servers else []
        output = self.folder / f"packets-{listen.replace(':', '-')}"
        where = ["--listen", listen, *to_servers, "--output", str(output)]
        assert main([str(path), *where, *options]) == 0
        return output / FOLLOWED


@pytest.fixture
def system(tmp_path):
    return System(tmp_path)


def test_requests_are_chosen_by_port_and_number_and_told_with_their_calls(system):
    expected = []
    for port in (40_000, 40_003):
        talk = Talk(system.tape, LISTEN, port).open(port)
        for number in range(12):
            at_ns = (port - 40_000 + 1) * 1000 * MS + number * 20 * MS
            servers = (0, 2) if number % 2 else (1,)
            calls = system.ask(talk, b"k%d-%d" % (port, number), at_ns, servers=servers)
            if number in CHOSEN[port]:
                expected.append((f"10.0.9.9:{port}", number, at_ns, servers, calls))
    rows = read_followed_by_packets(system.read("--follow", str(ONE_OF))).to_dict("records")
    assert len(rows) == len(expected) == 5
    for row, (client, number, at_ns, servers, calls) in zip(rows, expected, strict=True):
        came_ns = START_NS + at_ns
        assert (row["client"], row["number"], row["request_type"]) == (client, number, "get")
        assert (row["first_byte_ns"], row["replied_ns"]) == (came_ns, came_ns + 9 * MS)
        assert row["servers"] == tuple(SERVERS[n] for n in servers)
        assert row["connections"] == tuple(f"{MIDDLEWARE}:{5000 + n}" for n in servers)
        assert row["numbers"] == tuple(calls)
        assert row["sent_ns"] == (came_ns + MS,) * len(servers)
        assert row["answered_ns"] == tuple(came_ns + (2 + n) * MS for n in servers)


def test_the_choice_is_that_of_generator_and_middleware():
    takes = one_of(10)
    client = b"\x0a\x00\x09\x09" + (40_003).to_bytes(2, "big")
    requests = [Request(b"get", [], True, client=client, number=n) for n in range(-1, 50)]
    assert [one.number for one in requests if takes(one)] == [3, 12, 21, 30, 49]  # FollowTest.kt


def test_a_servers_host_tells_the_calls_of_these_requests_and_no_others(system):
    talk = Talk(system.tape, LISTEN, 40_000).open(0)
    for number in range(12):
        system.ask(talk, b"k%d" % number, (1 + number) * 20 * MS, servers=(0, 1))
    from_middleware = system.read("--follow", str(ONE_OF))
    both = system.folder / "calls.csv"
    both.write_text(from_middleware.read_text() * 2)  # of two middlewares, one after the other
    own = system.read("--calls", str(both), listen=SERVERS[1], servers=())
    rows = read_followed_by_packets(own)
    calls = read_followed_by_packets(from_middleware)
    assert rows["client"].tolist() == [f"{MIDDLEWARE}:5001"] * 2
    assert rows["number"].tolist() == [numbers[1] for numbers in calls["numbers"]] == [0, 9]
    assert rows["first_byte_ns"].tolist() == [times[1] for times in calls["sent_ns"]]
    assert rows["replied_ns"].tolist() == [times[1] for times in calls["answered_ns"]]
    assert rows["servers"].tolist() == [()] * 2


def test_a_request_whose_calls_may_be_another_ones_is_left_out(system):
    one, other = (Talk(system.tape, LISTEN, port).open(0) for port in (40_000, 40_005))
    system.ask(one, b"same", MS)
    system.ask(other, b"same", 2 * MS)
    system.ask(one, b"own", 100 * MS)
    assert read_followed_by_packets(system.read("--follow", "1"))["number"].tolist() == [1]


def test_a_connection_that_began_before_the_capture_has_no_numbers(system):
    system.ask(Talk(system.tape, LISTEN, 40_000), b"a", MS)
    system.backs[0] = Talk(system.tape, SERVERS[0], 6000, client=MIDDLEWARE)
    system.ask(Talk(system.tape, LISTEN, 40_001).open(0), b"b", 100 * MS)
    assert read_followed_by_packets(system.read("--follow", "1")).empty


@pytest.mark.parametrize(
    ("address", "name"),
    [("198.18.0.11", "198.18.0.11:40312"), ("fd00::31:0", "[fd00::31:0]:40312")],
)
def test_clients_are_named_as_java_names_them(address, name):
    packed = ipaddress.ip_address(address).packed
    assert name_of(packed + (40_312).to_bytes(2, "big")) == name
