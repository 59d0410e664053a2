"""What tests of the emulated network measure."""

import re

from remote.testbed.cpu_account import parse_cpu_seconds

TOLERANCE_MS = 0.2


def median_rtt_ms(fleet, source="c1", target="s1"):
    text = fleet[source].run(f"ping -c 41 -i 0.02 {target}").stdout
    times = sorted(float(found) for found in re.findall(r"time=([\d.]+)", text))
    assert len(times) == 41
    return times[20]


def cpu_seconds(fleet, name):
    path = fleet.inventory.hosts[0].cpu_account
    return parse_cpu_seconds(fleet[name].run(f"cat {path}").stdout)
