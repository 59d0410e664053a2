"""Real virtual machines, from bare to measured, with faults: 25 to 40 minutes.

The commands are those of docs/virtual-machines.md. The tests build on each other, in their order.
"""

import contextlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from analysis.tables.tidying import tidy_campaign
from lab.verify import verify_campaign
from records.paths import DATA, PROJECT
from remote.campaign import Campaign
from remote.campaign.states import RunState, State, mark_of
from remote.errors import RemoteError
from remote.hosts.group import Fleet
from remote.hosts.inventory import Inventory
from remote.hosts.provision.tools import (
    BARRED,
    FOLDER,
    PRESENT,
    PROBE,
    all_tools,
    parse_probe,
    probe_command,
)
from remote.programs import run
from remote.providers.local_lab import processes
from remote.providers.vm.files import DEVICE, MACHINES, STATE_DIR, inside
from remote.providers.vm.lab import VmLab
from remote.providers.vm.machine import VirtualMachine

HERE = Path(__file__).parent
CLOUD_INIT = FOLDER / "cloud-init.yaml"
LAB = (sys.executable, "-c", "from lab.cli import main; main()")
CAMPAIGN = "on-vms"
PROVISIONED_WITHIN_S = 300
WRONG_BY_S = 5
FAULTS = ("clock", "5 s", "20 s", "90 s", "reboot")
RECAP = re.compile(r"^(\w+) +: ok=\d+ +changed=(\d+) +unreachable=(\d+) +failed=(\d+)", re.M)


def commands() -> dict[str, list[str]]:
    """The commands of the documentation on virtual machines, by their first words."""
    text = (PROJECT / "docs/virtual-machines.md").read_text()
    lines = text.split("```sh\n")[1].split("```")[0].splitlines()
    words = [shlex.split(line, comments=True)[1:] for line in lines]
    return {" ".join(words[:1]): words for words in words}


took_s: dict[str, list[float]] = {}
"""How long each command took, in their order."""


def lab(verb: str) -> subprocess.CompletedProcess:
    """Do as the documentation says, and show how long it took."""
    started_s = time.monotonic()
    command = [*LAB, *commands()[verb]]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT, timeout=900)
    took_s.setdefault(verb, []).append(time.monotonic() - started_s)
    print(f"\n{shlex.join(command[3:])}: {took_s[verb][-1]:.0f} s", flush=True)
    return done


def changed(text: str) -> dict[str, int]:
    """How much Ansible has changed on each host; nothing may have failed."""
    found = RECAP.findall(text)
    assert [host for host, _, unreachable, failed in found if int(unreachable) + int(failed)] == []
    return {host: int(count) for host, count, *_ in found}


@pytest.fixture(scope="module")
def machines():
    """The machines, up for all tests but the last, and nothing left of an earlier try."""
    shutil.rmtree(DATA / CAMPAIGN, ignore_errors=True)
    VmLab().down()
    try:
        up = lab("up")
        assert up.returncode == 0, up.stdout + up.stderr
        yield VmLab()
    finally:
        VmLab().down()


@pytest.fixture
def fleet(machines):
    with Fleet(Inventory.read(machines.inventory_path)) as fleet:
        yield fleet


def test_bare_machines_are_made_ready(machines):
    bare = lab("hosts")
    assert bare.returncode == 1
    assert "memcached" in bare.stdout
    first = lab("provision")
    assert first.returncode == 0, first.stdout[-3000:] + first.stderr[-3000:]
    assert min(changed(first.stdout).values()) > 0
    ready = lab("hosts")
    assert ready.returncode == 0, ready.stdout
    again = lab("provision")
    assert changed(again.stdout) == {machine.name: 0 for machine in MACHINES}


def test_open_and_closed_loops_pass_all_checks(machines):
    done = lab("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert verify_campaign(DATA / CAMPAIGN).findings == ()
    pings = tidy_campaign(DATA / CAMPAIGN).pings
    rtt_ms = 2 * MACHINES[0].delay_ms
    assert pings["round_trip_time_min_ms"].between(rtt_ms, 3 * rtt_ms).all(), pings
    shutil.rmtree(DATA / CAMPAIGN)


def set_clock(fleet: Fleet, host: str, seconds: float) -> None:
    """Set a clock forward, which nothing sets right; or let it be right again."""
    wrong = f"sudo systemctl stop chrony && sudo date -s '{seconds} sec'"
    right = "sudo systemctl start chrony && sudo chronyc waitsync 60 0.05 0 1 >/dev/null"
    fleet[host].run(wrong if seconds else right, timeout_s=120)


def faulty(folder: Path) -> Campaign:
    return Campaign.open("faults", fleet="vm", data_dir=folder)


SECTION = str(HERE / "vm-faults.toml")


def test_clock_that_is_wrong_before_a_run_is_refused(fleet, tmp_path):
    set_clock(fleet, "s1", WRONG_BY_S)
    try:
        with pytest.raises(RemoteError, match=r"s1: its clock is \+"):
            faulty(tmp_path).measure(SECTION, progress=False)
    finally:
        set_clock(fleet, "s1", 0)


class Endured(threading.Thread):
    """A campaign that goes on after each fault, as a user would have it go on."""

    def __init__(self, campaign: Campaign) -> None:
        super().__init__(daemon=True)
        self.campaign = campaign
        self.told: list[str] = []

    def run(self) -> None:
        for _ in range(3 * len(FAULTS)):
            try:
                left = self.campaign.measure(SECTION, progress=False)
                self.told += [state.reason for state in left]
                return
            except RemoteError as exc:
                self.told.append(str(exc))
                time.sleep(10)


def states_of(campaign: Campaign) -> dict[str, RunState]:
    """How the runs stand, by their labels; those of links are none of them."""
    return {state.run.label: state for state in campaign.states(SECTION)}


def current(campaign: Campaign) -> str | None:
    """Label of the run under load that is being measured."""
    marked = [run.label for run in campaign.runs(SECTION) if mark_of(run).exists()]
    return marked[0] if marked else None


def loaded(fleet: Fleet) -> bool:
    """Tell whether the generator sends; on a machine that is slow, so is asking."""
    sends = "grep -qs ' secs]' middleware-lab/jobs/*/memtier-0.err"
    try:
        return fleet["c1"].run(sends, check=False).exit_status == 0
    except RemoteError:
        return False


def inject(fault: str, fleet: Fleet, machines: VmLab, is_judged: Callable[[], bool]) -> None:
    """Let one thing happen, and return when it is over; `is_judged` tells that the run is."""
    if fault == "clock":
        set_clock(fleet, "s1", WRONG_BY_S)
        deadline_s = time.monotonic() + 120
        while not is_judged() and time.monotonic() < deadline_s:
            time.sleep(1)
        set_clock(fleet, "s1", 0)
    elif fault == "reboot":
        with contextlib.suppress(RemoteError):  # it may go while it still answers
            fleet["s1"].run("sudo systemctl reboot", check=False)
    else:
        link = inside(machines.namespace, "ip", "link", "set", "tap-s1")
        run([*link, "down"])
        time.sleep(float(fault.split()[0]))
        run([*link, "up"])


def test_campaign_endures_clocks_cables_and_a_reboot(machines, fleet, tmp_path):
    campaign = faulty(tmp_path)
    endured = Endured(campaign)
    endured.start()
    struck: dict[str, str] = {}
    for fault in FAULTS:
        while (label := current(campaign)) in (None, *struck.values()) or not loaded(fleet):
            assert endured.is_alive(), (struck, endured.told)
            time.sleep(2)
        struck[fault] = label
        inject(fault, fleet, machines, lambda label=label: bool(states_of(campaign)[label].reasons))
    endured.join(600)
    states = states_of(campaign)
    for fault, label in struck.items():
        print(f"{fault}: {states[label].reasons}")
    assert {state.state for state in states.values()} == {State.DONE}, endured.told
    assert verify_campaign(campaign.path).findings == ()
    reasons = [text for _, text in states[struck["clock"]].reasons]
    assert reasons
    assert all("clock_" in text for text in reasons)
    for fault in ("20 s", "90 s", "reboot"):
        assert states[struck[fault]].reasons, f"{fault}: accepted as if nothing had happened"


def test_machine_that_was_booted_again_is_still_ready(machines):
    assert lab("hosts").returncode == 0


def test_nothing_is_left(machines):
    network = processes.in_network_namespaces([machines.namespace])
    assert len(network) >= len(MACHINES) + 2  # with the jump host and the clock
    assert lab("down").returncode == 0
    assert not any(process.is_running for process in network)
    assert not STATE_DIR.exists()
    assert DEVICE not in run(["ip", "-o", "link"])
    assert str(STATE_DIR) not in Path("/proc/mounts").read_text()


def test_cloud_init_makes_a_machine_ready_for_every_role_at_its_first_boot():
    """Its host key stays the one that is pinned; whoever rents machines asks the cloud for it."""
    document = yaml.safe_load(CLOUD_INIT.read_text())
    text = "#cloud-config\n" + yaml.safe_dump(document | {"ssh_deletekeys": False})
    machine = VirtualMachine(name="s1", role="servers", user_data=text)
    with (
        VmLab((machine,)) as machines,
        Fleet(Inventory.read(machines.inventory_path)) as fleet,
    ):
        host = fleet[machine.name]
        ended = host.run("cloud-init status --wait --long", timeout_s=900, check=False)
        assert "status: done" in ended.stdout, ended.stdout
        host.put(CLOUD_INIT, "/tmp/cloud-init.yaml")
        host.run("cloud-init schema --config-file /tmp/cloud-init.yaml", timeout_s=120)
        service = host.run("systemctl is-active memcached", check=False)
        assert service.stdout.strip() == "inactive"
        assert host.run("pg_lsclusters --no-header").stdout == ""
        programs = [tool.program for tool in all_tools()]
        asked = host.run(probe_command(programs), stdin=PROBE.read_text(), timeout_s=120)
        found = parse_probe(asked.stdout)
        unfit = {name: tool.state for name, tool in found.items() if tool.state != PRESENT}
        assert unfit == {"tcpdump": BARRED}  # `lab provision` lets users capture
        assert set(found) == set(programs)


def test_bare_machines_were_ready_within_five_minutes():
    """Last, since it tells as much of this machine as of what is installed, and how."""
    assert took_s["provision"][0] < PROVISIONED_WITHIN_S
