"""Labs of other topologies than the default one."""

import os
import statistics
import time

import pytest

from remote.errors import LabError
from remote.hosts.group import Fleet
from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Inventory
from remote.providers.local_lab import LocalLab, Topology
from tests.helpers.network import (
    TOLERANCE_MS,
    cpu_seconds,
    goodput_mbit_per_s,
    round_trips_ms,
    smallest_rtt_ms,
)

ECHO = """
import asyncio

async def echo(reader, writer):
    while data := await reader.read(100):
        writer.write(data)

async def serve():
    async with await asyncio.start_server(echo, "", 9998) as server:
        await server.serve_forever()

asyncio.run(serve())
"""
ASKED_S = 2
ASK = f"""
import asyncio, sys, time

async def ask(target, until_s):
    reader, writer = await asyncio.open_connection(target, 9998)
    for number in range(10**6):
        writer.write(b"what?")
        await reader.readexactly(5)
        if time.monotonic() > until_s:
            return number

async def main(target, num_clients):
    until_s = time.monotonic() + {ASKED_S}
    asked = [ask(target, until_s) for _ in range(num_clients)]
    print(sum(await asyncio.gather(*asked)))

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


@pytest.fixture
def own_lab(no_lab):
    """Bring up a lab of a topology, with connections to its hosts, for one test."""
    lab, fleets = LocalLab(), []

    def up(topology):
        LocalLab(topology).up()
        fleets.append(Fleet(Inventory.read(LOCAL_LAB_INVENTORY)))
        return lab, fleets[0]

    yield up
    for fleet in fleets:
        fleet.close()


def cpu_share(fleet, name):
    """CPUs that a host gets when it asks for two."""
    before, started_s = cpu_seconds(fleet, name), time.monotonic()
    busy = "for i in 1 2; do timeout 2 sh -c 'while :; do :; done' & done; wait"
    fleet[name].run(busy, check=False)
    return (cpu_seconds(fleet, name) - before) / (time.monotonic() - started_s)


def test_dilation_needs_a_lab(no_lab):
    with pytest.raises(LabError, match="not up"):
        LocalLab().dilate(2)


def test_lab_is_reshaped_in_place(own_lab):
    azure = Topology.named("azure").to_dict()
    lab, fleet = own_lab(Topology.from_dict(azure))
    before = [state.pid for state in lab.status()]
    link = azure["servers"]["egress"]
    link["rate_mbit_per_s"] *= 1.2
    azure["rtt_ms"] *= 2
    inventory = Inventory.read(lab.reshape(Topology.from_dict(azure)))
    rates = {host.rate_mbit_per_s for host in inventory.hosts if host.role == "servers"}
    assert rates == {link["rate_mbit_per_s"]}
    assert inventory.rtt_ms == 1.8
    assert smallest_rtt_ms(fleet) == pytest.approx(lab.switch().line_rtt_ms, abs=TOLERANCE_MS)
    assert [state.pid for state in lab.status()] == before
    with pytest.raises(LabError, match="has other hosts than `unshaped`, or other limits"):
        lab.reshape(Topology.named("unshaped"))


def processors_of(fleet, name):
    """Processors that a host runs on."""
    told = fleet[name].run("grep Cpus_allowed_list /proc/self/status").stdout
    return told.split()[-1]


def test_processors_of_their_own_are_everybodys_while_nothing_is_measured(own_lab):
    assert len(os.sched_getaffinity(0)) > 1, "there is nothing to share out"
    lab, fleet = own_lab(Topology.named("queue").dilated(4))
    before = {name: processors_of(fleet, name) for name in ("m1", "d1")}
    assert before["m1"] != before["d1"]
    lab.dilate(1, mixed=True)
    assert processors_of(fleet, "m1") == processors_of(fleet, "d1") not in before.values()
    lab.dilate(4)
    assert {name: processors_of(fleet, name) for name in before} == before


def test_a_host_with_limits_of_its_own_is_farther_and_slower_than_others(own_lab):
    azure = Topology.named("azure").to_dict()
    egress = {"rate_mbit_per_s": 25, "burst_kib": 16, "queue_kib": 4096}
    azure["servers"]["own"] = {"s3": {"rtt_ms": 5, "egress": egress, "cpu_quota": 0.2}}
    azure["middlewares"]["own"] = {"m2": {"rtt_ms": 3}}
    lab, fleet = own_lab(Topology.from_dict(azure))
    line_ms = lab.switch().line_rtt_ms
    wanted_ms = {
        ("c1", "s1"): line_ms,
        ("c1", "s3"): line_ms + 5 - 0.9,
        ("s3", "c1"): line_ms + 5 - 0.9,
        ("m2", "s3"): line_ms + 5 + 3 - 2 * 0.9,
    }
    for (source, target), rtt_ms in wanted_ms.items():
        seen_ms = smallest_rtt_ms(fleet, source, target)
        assert seen_ms == pytest.approx(rtt_ms, abs=TOLERANCE_MS), (source, target)
    assert goodput_mbit_per_s(fleet, "s3") == pytest.approx(25 * 1448 / 1514, rel=0.03)
    others = azure["servers"]["egress"]["rate_mbit_per_s"]
    assert goodput_mbit_per_s(fleet, "s2") == pytest.approx(others * 1448 / 1514, rel=0.03)
    assert cpu_share(fleet, "s3") == pytest.approx(0.2, rel=0.3)
    azure["servers"]["own"]["s3"]["rtt_ms"] = 10
    inventory = Inventory.read(lab.reshape(Topology.from_dict(azure).dilated(2)))
    assert {host.own_rtt_ms for host in inventory.hosts} == {None, 3, 10}
    line_ms = lab.switch().line_rtt_ms
    for target, rtt_ms in (("s1", line_ms), ("s3", line_ms + 2 * (10 - 0.9))):
        assert smallest_rtt_ms(fleet, "c1", target) == pytest.approx(rtt_ms, abs=2 * TOLERANCE_MS)


def test_what_a_far_host_sends_holds_up_nothing_between_others(own_lab):
    azure = Topology.named("azure").to_dict()
    azure["servers"]["own"] = {"s3": {"rtt_ms": 100}}
    lab, fleet = own_lab(Topology.from_dict(azure))
    # Something of it is on its way at any time, which the delay line must not sleep through.
    fleet["c2"].run("setsid ping -q -c 400 -i 0.02 s3 >/dev/null 2>&1 &")
    times_ms = round_trips_ms(fleet, "c1", "s1")
    assert statistics.median(times_ms) == pytest.approx(lab.switch().line_rtt_ms, abs=0.3)


def test_messages_wait_for_the_processor_of_their_sender(own_lab):
    azure = Topology.named("azure").to_dict()
    processor = {"reply_us": 2000, "exponent": 0.5}
    azure["servers"]["own"] = {"s1": {"processor": processor}}
    azure["middlewares"]["processor"] = {"reply_us": 9000}  # of what it is asked, not what it asks
    lab, fleet = own_lab(Topology.from_dict(azure))
    for name in ("s1", "s2"):
        fleet[name].run(f"cat > echo.py <<'END'\n{ECHO}\nEND")
        fleet[name].run("setsid python3 echo.py >/dev/null 2>&1 &")
    alone_ms, off_ms = lab.topology.rtt_ms + 2, 2 * TOLERANCE_MS  # of network and processor
    for source in ("c1", "m1"):
        seen_ms = 1000 / replies_per_s(fleet, source, "s1", 1)
        assert seen_ms == pytest.approx(alone_ms, abs=off_ms), source
    assert replies_per_s(fleet, "c1", "s1", 32) == pytest.approx(32**0.5 / 0.002, rel=0.1)
    assert 1000 / replies_per_s(fleet, "c1", "s2", 1) < alone_ms / 2  # which has none
    inventory = Inventory.read(lab.dilate(2))
    assert {host.processor for host in inventory.hosts} == {None, "2000 0 0.5", "9000 0 0"}
    seen_ms = 1000 / replies_per_s(fleet, "c1", "s1", 1)
    assert seen_ms == pytest.approx(2 * alone_ms, abs=2 * off_ms)


def replies_per_s(fleet, source, target, num_clients):
    """Ask an echo server for two seconds, each client one thing at a time."""
    fleet[source].run(f"cat > ask.py <<'END'\n{ASK}\nEND")
    asked = fleet[source].run(f"python3 ask.py {target} {num_clients}", timeout_s=30)
    return int(asked.stdout) / ASKED_S


def test_unshaped_lab_has_no_delay(own_lab):
    lab, fleet = own_lab(Topology.named("unshaped"))
    assert lab.switch().line_pid is None
    assert fleet.inventory.delay == "none"
    assert smallest_rtt_ms(fleet) < Topology.named("azure").rtt_ms / 2


def test_quota_limits_all_processes_of_a_host_together(own_lab):
    data = Topology.named("azure").to_dict()
    data["clients"]["cpu_quota"] = 0.2
    lab, fleet = own_lab(Topology.from_dict(data))
    for k, most in ((1, 0.2), (2, 0.1)):
        lab.dilate(k)
        assert cpu_share(fleet, "c1") == pytest.approx(most, rel=0.3)


def test_thirty_hosts_come_up_and_reach_each_other(own_lab):
    data = Topology.named("azure").to_dict()
    for role, letter, first in (
        ("clients", "c", 11),
        ("middlewares", "m", 51),
        ("servers", "s", 91),
    ):
        data[role]["hosts"] = {f"{letter}{i + 1}": f"198.18.0.{first + i}" for i in range(10)}
    lab, fleet = own_lab(Topology.from_dict(data))
    pings = " && ".join(f"ping -q -c 1 -W 2 s{i} >/dev/null" for i in range(1, 11))
    for result in fleet.run(pings).values():
        assert result.exit_status == 0
    assert smallest_rtt_ms(fleet, "c10", "m10") == pytest.approx(
        lab.switch().line_rtt_ms, abs=TOLERANCE_MS
    )
