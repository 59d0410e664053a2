"""What tests of the emulated network measure."""

import json
import re
import subprocess

from remote.providers.local_lab.cgroups import parse_cpu_seconds

TOLERANCE_MS = 0.2


def link(host, state):
    """Bring a host's link up or down."""
    command = ["ip", "-n", f"mwlab-{host}", "link", "set", "eth0", state]
    subprocess.run(command, check=True, timeout=20)


def smallest_rtt_ms(fleet, source="c1", target="s1"):
    """The lab's share of a round trip: the rest of the machine only makes others longer."""
    return min(round_trips_ms(fleet, source, target))


def round_trips_ms(fleet, source, target):
    text = fleet[source].run(f"ping -c 101 -i 0.01 {target}").stdout
    times = [float(found) for found in re.findall(r"time=([\d.]+)", text)]
    assert len(times) == 101
    return times


def cpu_seconds(fleet, name):
    path = fleet.inventory.hosts[0].cpu_account
    return parse_cpu_seconds(fleet[name].run(f"cat {path}").stdout)


def goodput_mbit_per_s(fleet, sender):
    """The best of three: other programs on this machine can only make it lower."""
    return max(goodput_once_mbit_per_s(fleet, sender) for _ in range(3))


def goodput_once_mbit_per_s(fleet, sender):
    fleet["m1"].run("iperf3 --server --one-off --daemon")
    report = json.loads(fleet[sender].run("iperf3 --client m1 --time 2 --omit 1 --json").stdout)
    return report["end"]["sum_received"]["bits_per_second"] / 1e6
