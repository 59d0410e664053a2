"""What a client on the lab sees of a round trip, and how much of it the machine takes itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from remote.errors import LabError
from remote.programs import find, run
from remote.providers.local_lab.links.wiring import namespace_of
from remote.providers.local_lab.rootless.holder import inside
from remote.providers.local_lab.topology import LabHost, Topology

ROUNDS = 3
BATCHES, ROUND_TRIPS = 5, 100
_REMEDY = "`lab calibrate` tries it again"
_LIMIT_S = 20

_SERVER = f"""
import socket, sys
listener = socket.create_server((sys.argv[1], 0))
listener.settimeout({_LIMIT_S})
print(listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
connection.settimeout({_LIMIT_S})
while byte := connection.recv(1):
    connection.sendall(byte)
"""
# The smallest of some medians: whatever else runs on the machine can only make them larger.
_CLIENT = f"""
import socket, statistics, sys, time
connection = socket.create_connection((sys.argv[1], int(sys.argv[2])), {_LIMIT_S})
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
medians = []
for _ in range({BATCHES}):
    times = []
    for _ in range({ROUND_TRIPS}):
        began = time.perf_counter()
        connection.sendall(b"x")
        connection.recv(1)
        times.append(time.perf_counter() - began)
    medians.append(statistics.median(times))
print(1000 * min(medians))
"""


def measure_rtt_ms(topology: Topology) -> float:
    """Measure the round trip of one byte over one TCP connection in a closed loop, in ms.

    It goes from the first client to the first server of those that are not farther away, or else
    between the first and the last host.
    """
    source, target = _ends(topology)
    command = [*_inside(target), _SERVER, target.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None and server.stderr is not None  # both are pipes
            port = server.stdout.readline().decode().strip()
            if not port:
                raise LabError(f"no round trip: {server.stderr.read().decode()[-500:]}", _REMEDY)
            client = [*_inside(source), _CLIENT, target.address, port]
            return float(run(client, remedy=_REMEDY))
        finally:
            server.kill()


def measure_wake_ups_ms(
    topology: Topology, apply: Callable[[Topology], object]
) -> tuple[float | None, float]:
    """Measure what to subtract from the delay so that a client sees the topology's round trip.

    It is measured undilated: a wake-up takes as long whatever k is, and however far hosts are.

    Parameters
    ----------
    apply : gives the lab the delays of a topology.

    Returns
    -------
    The wake-ups in ms, None without a delay or a second host, and the round trip that a client has
    seen at the end, less what the hosts are farther away.
    """
    if topology.rtt_ms == 0 or len(topology.hosts) < 2:
        return None, 0.0
    undilated = topology.dilated(1.0)
    farther_ms = sum(map(topology.farther_ms, _ends(topology)))
    wake_up_ms = 0.0
    for _ in range(ROUNDS):
        apply(undilated.calibrated(wake_up_ms))
        beyond_ms = measure_rtt_ms(topology) - farther_ms - topology.rtt_ms
        wake_up_ms = min(max(0.0, wake_up_ms + beyond_ms), topology.rtt_ms / 2)
    wake_up_ms = round(wake_up_ms, 4)
    apply(undilated.calibrated(wake_up_ms))
    return wake_up_ms, measure_rtt_ms(topology) - farther_ms


def _ends(topology: Topology) -> tuple[LabHost, LabHost]:
    by_distance = sorted(topology.hosts, key=topology.farther_ms)
    clients = [host for host in by_distance if host.role == "clients"]
    servers = [host for host in by_distance if host.role == "servers"]
    if clients and servers:
        return clients[0], servers[0]
    return topology.hosts[0], topology.hosts[-1]


def _inside(host: LabHost) -> list[str]:
    python = [sys.executable, "-I", "-S", "-c"]
    return inside([find("ip"), "netns", "exec", namespace_of(host), *python])
