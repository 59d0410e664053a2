import io
import itertools
import tarfile
from pathlib import Path

import pytest

from remote.campaign.record import topology_of
from remote.errors import ConfigError, LabError
from remote.hosts.inventory import Inventory
from remote.hosts.provision.tools import all_tools
from remote.providers.fleets import find_lab, inventory_path
from remote.providers.vm import files, image
from remote.providers.vm.files import MACHINES, inventory_text, network_commands
from remote.providers.vm.lab import VmLab
from remote.providers.vm.machine import NETWORK, VirtualMachine

SERVER = VirtualMachine(name="s1", role="servers", memory_mib=300, delay_ms=2.5)
NAMESPACE = Path("/run/net")


def options(command, name):
    return [value for word, value in itertools.pairwise(command) if word == name]


@pytest.mark.parametrize(
    ("user_data", "told"), [("", "cloud-init=disabled"), ("#cloud-config\n", "ds=nocloud")]
)
def test_cloud_init_runs_only_where_it_is_told_something(user_data, told):
    machine = VirtualMachine(name="m1", role="middlewares", user_data=user_data)
    (kernel,) = options(machine.qemu_command(Path("i"), Path("s")), "-append")
    assert kernel.split()[-1] == told
    assert "systemd.hostname=m1" in kernel
    names = unpacked(machine)
    assert ("var/lib/cloud/seed/nocloud/user-data" in names) == bool(user_data)


def test_machine_without_the_memory_for_a_jvm_is_refused():
    with pytest.raises(ValueError, match="c1: a JVM and Debian need 256 MiB, not 128"):
        VirtualMachine(name="c1", role="clients", memory_mib=128)


def unpacked(machine):
    data = machine.seed_tar(user_key="ssh-ed25519 AAAA me\n", host_key="PRIVATE\n")
    assert len(data) % 512 == 0  # a disk has whole sectors
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {
            entry.name: (entry.mode, entry.uid, (tar.extractfile(entry) or io.BytesIO()).read())
            for entry in tar
        }


def test_second_disk_makes_the_image_one_machine():
    files = unpacked(SERVER)
    assert files["etc/ssh/ssh_host_ed25519_key"] == (0o600, 0, b"PRIVATE\n")
    assert files["home/lab/.ssh"][:2] == (0o700, 1000)
    assert files["home/lab/.ssh/authorized_keys"] == (0o600, 1000, b"ssh-ed25519 AAAA me\n")
    network = files["etc/systemd/network/10-lab.network"][2].decode()
    assert "Address=198.19.77.31/24\n" in network
    assert "DelaySec=2.5ms\n" in network
    assert b"server 198.19.77.1 " in files["etc/chrony/chrony.conf"][2]


def test_one_device_is_in_the_network_of_this_machine():
    commands = network_commands(NAMESPACE, MACHINES)
    outside = [command for command in commands if command[0] != "nsenter"]
    assert all(files.DEVICE in command for command in outside)
    assert all(command[1] == "--net=/run/net" for command in commands if command[0] == "nsenter")
    assert outside[0][-2:] == ["netns", "/run/net"]
    assert not any(str(NETWORK.network_address)[:-1] in " ".join(command) for command in outside)


def test_inventory_is_that_of_hosts_behind_a_jump_host(tmp_path):
    path = tmp_path / "inventory.yml"
    path.write_text(inventory_text(tmp_path, MACHINES))
    inventory = Inventory.read(path)
    assert [host.name for host in inventory.hosts] == [machine.name for machine in MACHINES]
    assert [host.address for host in inventory.hosts] == [m.address for m in MACHINES]
    assert {host.user for host in inventory.hosts} == {"lab"}
    (jump,) = {host.jump for host in inventory.hosts}
    assert (jump.name, jump.user, jump.known_hosts) == ("jump", "root", tmp_path / "known_hosts")
    assert (inventory.fleet, inventory.rtt_ms) == ("vm", 4)
    assert topology_of(inventory).delay == "netem"


def test_fleet_that_is_down_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr("remote.providers.vm.lab.STATE_DIR", tmp_path / "none")
    assert isinstance(find_lab("vm"), VmLab)
    assert VmLab().status() == []
    assert not VmLab().is_running()
    with pytest.raises(ConfigError, match="the fleet is down: run `lab up --fleet vm` first"):
        inventory_path("vm")


def test_image_has_the_packages_that_provisioning_asks_for_first():
    assert {tool.packages[0] for tool in all_tools()} < set(image.packages())


@pytest.fixture
def image_script(tmp_path, monkeypatch):
    """An image that is built by a script which notes its arguments."""
    script = tmp_path / "image.sh"
    script.write_text('#!/bin/sh\necho "$@" >> "$(dirname "$0")/calls"\n')
    script.chmod(0o755)
    monkeypatch.setattr(image, "SCRIPT", script)
    monkeypatch.setattr(image, "FOLDER", tmp_path / "build" / "vm")
    return script


def test_image_is_built_once_and_again_when_its_script_has_changed(image_script):
    said = []
    for _ in range(2):
        assert image.ensure(said.append) == image.FOLDER
    calls = image_script.with_name("calls")
    assert calls.read_text().split()[0] == str(image.FOLDER)
    assert len(said) == 1
    image_script.write_text(image_script.read_text() + "# changed\n")
    image.ensure(said.append)
    assert len(calls.read_text().splitlines()) == len(said) == 2


def test_image_that_cannot_be_built_says_why_and_is_tried_again(image_script):
    image_script.write_text("#!/bin/sh\necho E: no mirror >&2\nexit 100\n")
    for _ in range(2):
        with pytest.raises(LabError, match=r"could not be built: E: no mirror.*image\.log"):
            image.ensure(lambda _: None)
