"""The emulated network for real: delay, nothing lost or reordered, dilation, CPU accounts."""

import time

import pytest

from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Inventory
from remote.providers.local_lab import LocalLab
from remote.providers.local_lab.links.calibration import measure_rtt_ms
from tests.helpers.network import TOLERANCE_MS, cpu_seconds, goodput_mbit_per_s, smallest_rtt_ms

DATAGRAMS = 20_000
# Numbered datagrams in small groups, about 4000 a second, below every link's limit.
SEND = f"""
import socket, struct, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range({DATAGRAMS}):
    sender.sendto(struct.pack("!I", number) + bytes(200), ("m1", 9999))
    if number % 8 == 7:
        time.sleep(0.002)
"""
RECEIVE = f"""
import socket, struct
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
receiver.bind(("", 9999))
receiver.settimeout(5)
numbers = []
print("ready", flush=True)
try:
    while len(numbers) < {DATAGRAMS}:
        numbers.append(struct.unpack("!I", receiver.recv(2000)[:4])[0])
except TimeoutError:
    pass
print(len(numbers), sum(b != a + 1 for a, b in zip([-1, *numbers], numbers)))
"""


@pytest.fixture
def lab(fleet):
    """The lab whose hosts `fleet` is connected to, not dilated after the test."""
    lab = LocalLab()
    yield lab
    lab.dilate(1)


def wait_for(connection, path, *, num_words):
    """Read a file on a host when it holds as many words."""
    deadline = time.monotonic() + 60
    while len(words := connection.run(f"cat {path}").stdout.split()) < num_words:
        assert time.monotonic() < deadline, words
        time.sleep(0.1)
    return words


def burn(fleet, name, seconds):
    fleet[name].run(f"timeout {seconds} sh -c 'while :; do :; done'", check=False)


@pytest.mark.parametrize(("source", "target"), [("c1", "m1"), ("m1", "s1"), ("s2", "c3")])
def test_ping_shows_the_round_trip_of_the_delays(fleet, lab, source, target):
    rtt_ms = smallest_rtt_ms(fleet, source, target)
    assert rtt_ms == pytest.approx(lab.switch().line_rtt_ms, abs=TOLERANCE_MS)


def test_application_sees_the_topologys_round_trip(lab):
    lab.calibrate()
    switch = lab.switch()
    assert 0 <= switch.wake_up_ms <= lab.topology.rtt_ms / 2
    assert switch.line_rtt_ms == pytest.approx(lab.topology.rtt_ms - switch.wake_up_ms)
    # The smallest of three: other programs on this machine only make it longer.
    seen_ms = min(measure_rtt_ms(lab.topology) for _ in range(3))
    assert seen_ms == pytest.approx(lab.topology.rtt_ms, abs=TOLERANCE_MS / 2)


def test_wake_ups_take_as_long_whatever_the_dilation(lab):
    wake_up_ms = lab.switch().wake_up_ms
    inventory = Inventory.read(lab.dilate(4))
    rtt_ms = lab.topology.rtt_ms
    assert inventory.calibration == {
        "rtt_ms": rtt_ms,
        "line_rtt_ms": pytest.approx(4 * rtt_ms - wake_up_ms),
        "wake_up_ms": wake_up_ms,
    }
    seen_ms = min(measure_rtt_ms(lab.topology) for _ in range(3))
    assert seen_ms == pytest.approx(4 * rtt_ms, abs=TOLERANCE_MS)


def test_no_datagram_is_lost_or_overtakes_another(fleet, lab):
    fleet["m1"].run(f"cat > receive.py <<'END'\n{RECEIVE}\nEND")
    fleet["m1"].run("setsid python3 receive.py > received 2>&1 &")
    wait_for(fleet["m1"], "received", num_words=1)
    fleet["c1"].run(f"python3 -c '{SEND}'", timeout_s=60)
    found = wait_for(fleet["m1"], "received", num_words=3)
    assert found == ["ready", str(DATAGRAMS), "0"]
    counters = lab.switch().counters
    assert counters is None or (counters.lost, counters.refused) == (0, 0)


def test_dilation_slows_the_network_in_place(fleet, lab):
    before = [state.pid for state in lab.status()]
    held = LOCAL_LAB_INVENTORY.stat().st_ino
    path = lab.dilate(4)
    inventory = Inventory.read(path)
    assert (inventory.time_dilation, inventory.rtt_ms) == (4, lab.topology.rtt_ms)
    rates = {host.role: host.rate_mbit_per_s for host in inventory.hosts}
    built = lab.topology.to_dict()
    assert rates == {role: built[role]["egress"]["rate_mbit_per_s"] for role in rates}
    assert path.stat().st_ino == held  # a campaign may hold its lock
    assert smallest_rtt_ms(fleet) == pytest.approx(lab.switch().line_rtt_ms, abs=4 * TOLERANCE_MS)
    assert goodput_mbit_per_s(fleet, "s1") == pytest.approx(
        rates["servers"] / 4 * 1448 / 1514, rel=0.03
    )
    lab.dilate(1)
    assert smallest_rtt_ms(fleet) == pytest.approx(lab.switch().line_rtt_ms, abs=TOLERANCE_MS)
    assert [state.pid for state in lab.status()] == before


def test_up_with_another_dilation_reshapes_the_lab(fleet, lab):
    before = [state.pid for state in lab.status()]
    LocalLab(lab.topology.dilated(2)).up()
    assert lab.switch().time_dilation == 2
    assert [state.pid for state in lab.status()] == before


@pytest.mark.parametrize("k", [0, -1, float("nan"), 1e9])
def test_dilation_that_makes_no_sense_is_refused(lab, k):
    with pytest.raises(ValueError, match="time_dilation must be a number"):
        lab.dilate(k)
    assert lab.switch().time_dilation == 1


def test_cpu_time_is_counted_for_each_host(fleet, lab):
    before = {name: cpu_seconds(fleet, name) for name in ("c1", "c2")}
    burn(fleet, "c1", 1)
    used = {name: cpu_seconds(fleet, name) - before[name] for name in before}
    assert 0.3 < used["c1"] < 2
    assert used["c2"] < 0.3
    states = {state.name: state for state in lab.status()}
    assert states["c1"].cpu_s >= before["c1"] + used["c1"]
    switch = lab.switch()
    assert switch.counters is None or switch.cpu_s > 0
