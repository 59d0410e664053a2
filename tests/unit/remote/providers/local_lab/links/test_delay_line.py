"""The delay line's core by itself, how it is built, and the memory that it shares."""

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from remote.errors import LabError
from remote.providers.local_lab.links import delay_line
from remote.providers.local_lab.links.delay_line import (
    COMPILER_FLAGS,
    LIBRARIES,
    SOURCES,
    LineCounters,
)
from remote.providers.local_lab.links.wiring import Delay
from remote.providers.local_lab.topology import Topology

AZURE = Topology.named("azure")
CORE_TEST = Path(__file__).with_name("test_switch_core.c")

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


@needs_compiler
def test_core_passes_its_own_test(tmp_path):
    program = tmp_path / "test"
    sources = [CORE_TEST, SOURCES / "switch_core.c"]
    command = ["cc", *COMPILER_FLAGS, f"-I{SOURCES}", "-o", program, *sources, *LIBRARIES]
    subprocess.run(command, check=True)
    assert subprocess.check_output([program], text=True) == "all passed\n"


@needs_compiler
def test_program_is_built_once(tmp_path, monkeypatch):
    monkeypatch.setattr(delay_line, "PROGRAM", tmp_path / "build" / "delay-line")
    program = delay_line.build_line()
    built = program.stat().st_mtime_ns
    assert delay_line.build_line().stat().st_mtime_ns == built
    assert list(program.parent.iterdir()) == [program]
    usage = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (usage.returncode, "usage: delay-line" in usage.stderr) == (1, True)


def test_missing_compiler_is_explained(tmp_path, monkeypatch):
    monkeypatch.setattr(delay_line, "PROGRAM", tmp_path / "delay-line")
    monkeypatch.setattr(delay_line.shutil, "which", lambda _: None)
    with pytest.raises(LabError, match=r"no C compiler.*apt-get install -y gcc.*unshaped"):
        delay_line.build_line()


@pytest.mark.parametrize(
    ("rtt_ms", "has_netem", "chosen"),
    [(0, True, Delay.NONE), (0.9, True, Delay.NETEM), (0.9, False, Delay.LINE)],
)
def test_kernels_own_delay_is_preferred(monkeypatch, rtt_ms, has_netem, chosen):
    monkeypatch.setattr(delay_line, "_kernel_has_netem", lambda: has_netem)
    topology = Topology.from_dict(AZURE.to_dict() | {"rtt_ms": rtt_ms})
    assert delay_line.choose(topology) is chosen


def test_processors_are_the_delay_lines_alone(monkeypatch):
    monkeypatch.setattr(delay_line, "_kernel_has_netem", lambda: True)
    data = AZURE.to_dict()
    data["servers"]["own"] = {"s3": {"processor": {"reply_us": 300}}}
    assert delay_line.choose(Topology.from_dict(data)) is Delay.LINE


@pytest.mark.parametrize(
    ("rtt_ms", "k", "delay_ns", "coalesce_ns"),
    [
        (0.9, 1, 450_000, 200_000),
        (0.9, 4, 1_800_000, 800_000),
        (0.1, 1, 50_000, 25_000),
    ],
)
def test_settings_are_dilated_and_batches_stay_short_beside_the_delay(
    rtt_ms, k, delay_ns, coalesce_ns
):
    topology = Topology.from_dict(AZURE.to_dict() | {"rtt_ms": rtt_ms, "time_dilation": k})
    settings = struct.unpack("=Q" + 9 * "3Qd", delay_line.settings(topology))
    # The first port is the control's.
    assert settings == (coalesce_ns, 0, 0, 0, 0.0, *[delay_ns, 0, 0, 0.0] * 8)


def test_a_far_hosts_port_has_a_delay_of_its_own():
    data = AZURE.to_dict()
    data["servers"]["own"] = {"s3": {"rtt_ms": 5}}
    topology = Topology.from_dict(data)
    coalesce_ns, *ports = struct.unpack("=Q" + 9 * "3Qd", delay_line.settings(topology))
    assert (coalesce_ns, ports[::4]) == (200_000, [0, *[450_000] * 7, 4_550_000])
    assert [host.name for host in topology.hosts][-1] == "s3"


def test_processors_are_dilated_as_delays_are():
    data = AZURE.to_dict()
    data["middlewares"]["processor"] = {"reply_us": 60.5, "forward_us": 10}
    data["servers"]["processor"] = {"reply_us": 200, "exponent": 0.25}
    _, *ports = struct.unpack(
        "=Q" + 9 * "3Qd", delay_line.settings(Topology.from_dict(data).dilated(4))
    )
    assert ports[4:8] == [1_800_000, 0, 0, 0.0]  # c1
    assert ports[16:20] == [1_800_000, 242_000, 40_000, 0.0]  # m1
    assert ports[32:] == [1_800_000, 800_000, 0, 0.25]  # s3


def test_changed_settings_leave_the_counters(tmp_path):
    shared = tmp_path / "shared"
    shared.write_bytes(struct.pack("=5Q", 1, 2, 3, 4, 5) + delay_line.settings(AZURE))
    delay_line.change_line(AZURE.dilated(2), shared)
    written = struct.unpack("=6Q" + 9 * "3Qd", shared.read_bytes())
    assert written == (1, 2, 3, 4, 5, 400_000, 0, 0, 0, 0.0, *[900_000, 0, 0, 0.0] * 8)
    assert delay_line.read_counters(shared) == LineCounters(
        frames=1, sent=2, lost=3, refused=4, wakeups=5
    )
