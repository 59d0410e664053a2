import dataclasses
import getpass
from pathlib import Path

import pytest

import remote
from remote.errors import ConfigError
from remote.hosts.inventory import Inventory
from remote.hosts.ssh.handshake import ssh_command

TEXT = """
all:
  vars: {ansible_user: lab, mwlab_known_hosts: /tmp/known_hosts, mwlab_route_device: mwlab-ctl}
  children:
    clients:
      vars: {mwlab_rate_mbit_per_s: 200}
      hosts:
        c1: {ansible_host: 192.0.2.1}
        c2: {ansible_host: 192.0.2.2, mwlab_rate_mbit_per_s: 50, ansible_port: 2222}
    servers:
      hosts: {s1: }
"""


pytestmark = pytest.mark.usefixtures("home")


def read(folder: Path, text: str) -> Inventory:
    path = folder / "inventory.yml"
    path.write_text(text)
    return Inventory.read(path)


def test_inventory_merges_variables_from_all_group_and_host(tmp_path):
    c1, c2, s1 = read(tmp_path, TEXT).hosts
    assert (c1.user, c1.rate_mbit_per_s, c1.port) == ("lab", 200, 22)
    assert (c2.rate_mbit_per_s, c2.port) == (50, 2222)
    assert (s1.address, s1.data_address, s1.route_device) == ("s1", "s1", "mwlab-ctl")
    assert s1.known_hosts == Path("/tmp/known_hosts")


def test_inventory_takes_hosts_of_a_role_in_order(tmp_path):
    inventory = read(tmp_path, TEXT)
    assert [h.name for h in inventory.take("clients", 1)] == ["c1"]
    others = read(tmp_path, TEXT.replace("c1:", "z1:"))
    assert [h.name for h in others.take("clients", 2)] == ["z1", "c2"], "not by their names"
    with pytest.raises(ConfigError, match="2 servers are needed, the inventory has 1"):
        inventory.take("servers", 2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "ansible_host: 192.0.2.2, ",
            "ansible_host: 192.0.2.1} #",
            r"c1 and c2 are one machine \(192\.0\.2\.1\) with one working",
        ),
        (
            "hosts: {s1: }",
            "hosts: {s1: {mwlab_data_address: 10.0.0.1}, s2: {mwlab_data_address: 10.0.0.1}}",
            r"s1 and s2 have one address \(10\.0\.0\.1\), where only one of the servers",
        ),
        (
            "hosts: {s1: }",
            "hosts: {s1: {ansible_connection: local}}",
            r"s1\.ansible_connection is local: .* reached by ssh",
        ),
        ("hosts: {s1: }", "hosts: {s1: {mwlab_work_dir: ~lab/x}}", r"s1\.mwlab_work_dir must be"),
        ("ansible_host: 192.0.2.2", "ansible_user: !vault 61", "c2.ansible_user must be readable"),
        ("ansible_port: 2222", "ansible_port: ssh", "c2.ansible_port must be a number > 0"),
        ("hosts: {s1: }", "hosts: {c1: }", "hosts in more than one role: c1"),
        (
            "mwlab_route_device",
            "mwlab_route_devise",
            r"c1\.mwlab_route_devise .* mean mwlab_route_device\?",
        ),
        (
            "ansible_user: lab",
            "ansible_user: [lab]",
            r"c1\.ansible_user must be a text, got \['lab'\]",
        ),
        ("ansible_user: lab", "mwlab_delay: nfqueue", "mwlab_delay must be one of none, netem"),
        (
            "ansible_host: 192.0.2.2",
            "mwlab_topology: x",
            "mwlab_topology differs: None on c1, 'x' on",
        ),
        (
            "ansible_port: 2222",
            "ansible_port: 70000",
            "c2.ansible_port must be a whole number up to",
        ),
    ],
)
def test_inventory_names_file_and_place_of_a_mistake(tmp_path, old, new, message):
    with pytest.raises(ConfigError, match=message) as error:
        read(tmp_path, TEXT.replace(old, new, 1))
    assert "inventory.yml" in str(error.value)


def test_inventory_that_is_missing_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match="no such inventory: copy remote/inventory"):
        Inventory.read(tmp_path / "none.yml")


def test_example_inventory_is_valid():
    inventory = Inventory.read(Path(remote.__file__).parent / "inventory.example.yml")
    assert len(inventory.hosts) == 8
    assert inventory.hosts[0].data_address == "10.0.0.11"


def test_roles_are_groups_anywhere_in_the_tree(tmp_path):
    text = """
        all: {children: {lab: {children: {clients: {children: {big: {hosts: {'c[1:2]': }}}}}}}}
        servers: {hosts: {s1: }}
        workstations: {hosts: {desk: {ansible_user: me}}}
    """
    inventory = read(tmp_path, text)
    assert [(h.name, h.role) for h in inventory.hosts] == [
        ("c1", "clients"),
        ("c2", "clients"),
        ("s1", "servers"),
    ]
    assert inventory.hosts[0].user == getpass.getuser()


def test_inventory_without_roles_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"no host has a role: .*\(groups: web\)"):
        read(tmp_path, "web: {hosts: {w1: }}")


def test_words_of_ansible_for_the_same_thing(tmp_path):
    names = "ansible_ssh_host: h, ansible_ssh_port: '23', ansible_ssh_user: u"
    (host,) = read(
        tmp_path, f"clients: {{hosts: {{c1: {{{names}, ansible_private_key_file: ~/k}}}}}}"
    ).hosts
    assert (host.address, host.port, host.user) == ("h", 23, "u")
    assert host.identity_file == Path("~/k").expanduser()


def jump_of(host):
    return dataclasses.astuple(
        dataclasses.replace(host.jump, known_hosts=Path(host.jump.known_hosts.name), jump=None)
    )[2:7]


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ("mwlab_jump_host: bastion", ("bastion", 22, "lab", Path("/k"), Path("lab_known_hosts"))),
        ("mwlab_jump_host: me@b:2222", ("b", 2222, "me", Path("/k"), Path("lab_known_hosts"))),
        (
            "mwlab_jump_host: 'me@[2001:db8::1]:23'",
            ("2001:db8::1", 23, "me", Path("/k"), Path("lab_known_hosts")),
        ),
        ("ansible_ssh_common_args: -o ProxyJump=me@b", ("b", 22, "me", None, Path("known_hosts"))),
        ("ansible_ssh_common_args: -J me@b:24", ("b", 24, "me", None, Path("known_hosts"))),
        ("mwlab_jump_host: gate", ("192.0.2.9", 2200, "lab", Path("/k"), Path("known_hosts"))),
    ],
)
def test_jump_host_of_a_host(tmp_path, variable, expected):
    text = """
        all: {vars: {ansible_user: lab, ansible_ssh_private_key_file: /k}}
        other: {hosts: {gate: {ansible_host: 192.0.2.9, ansible_port: 2200}}}
        clients: {hosts: {c1: }}
        servers:
          hosts: {s1: {ansible_host: 10.0.0.1}}
          vars: {VARIABLE}
    """
    known = (
        "mwlab_known_hosts: /tmp/lab_known_hosts\n            "
        if expected[4].name == "lab_known_hosts"
        else ""
    )
    text = text.replace("{VARIABLE}", f"\n            {known}{variable}")
    c1, s1 = read(tmp_path, text).hosts
    assert c1.jump is None
    assert jump_of(s1) == expected


def test_jump_hosts_in_a_row(tmp_path):
    (s1,) = read(
        tmp_path, "servers: {hosts: {s1: {ansible_ssh_common_args: '-J a,me@b:23'}}}"
    ).hosts
    assert (s1.jump.address, s1.jump.user, s1.jump.port) == ("b", "me", 23)
    assert s1.jump.jump.address == "a"


def test_jump_command_of_ssh_config_is_read_and_others_are_refused(tmp_path, home):
    config, text = home / ".ssh" / "config", "servers: {hosts: {s1: }}"
    config.write_text("Host s1\n ProxyCommand ssh -W %h:%p -q -p 25 me@b\n")
    (s1,) = read(tmp_path, text).hosts
    assert (s1.jump.address, s1.jump.port, s1.jump.user) == ("b", 25, "me")
    config.write_text("Host s1\n ProxyCommand nc -x p %h %p\n")
    with pytest.raises(ConfigError, match=r"s1: ProxyCommand `nc .*write ProxyJump=HOST instead"):
        read(tmp_path, text)


def test_command_of_ssh_config_that_passes_a_socket_on_is_kept(tmp_path, home):
    (home / ".ssh" / "config").write_text(
        "Host s1\n ProxyCommand nc -F -x p %h %p\n ProxyUseFdpass yes\n"
    )
    (s1,) = read(tmp_path, "servers: {hosts: {s1: {}}}").hosts
    assert (s1.jump, s1.connect_command) == (None, "nc -F -x p %h %p")
    assert "ProxyUseFdpass=yes" in ssh_command(s1)


def test_ssh_config_is_honoured_below_the_inventory(tmp_path, home):
    (home / ".ssh" / "config").write_text(
        "Host s1\n HostName 192.0.2.31\n User remote\n Port 2231\n IdentityFile ~/.ssh/lab-%h\n"
        f" ProxyJump gate\n UserKnownHostsFile {home}/.ssh/known_lab\n"
        "Host gate\n HostName gate.example.org\n User guard\n"
    )
    s1, s2 = read(
        tmp_path,
        "servers: {hosts: {s1: , s2: {ansible_host: s1, ansible_port: 5, mwlab_data_address: b}}}",
    ).hosts
    assert (s1.address, s1.user, s1.port) == ("192.0.2.31", "remote", 2231)
    assert (s1.data_address, s2.address, s2.port) == ("192.0.2.31", "192.0.2.31", 5)
    assert s1.identity_file == home / ".ssh" / "lab-192.0.2.31"
    assert s1.known_hosts == home / ".ssh" / "known_lab"
    assert (s1.jump.address, s1.jump.user) == ("gate.example.org", "guard")
    text = "servers: {hosts: {s1: {ansible_ssh_common_args: '-F none'}}}"
    assert read(tmp_path, text).hosts[0].address == "s1"


def test_host_keys_are_checked_although_the_inventory_turns_it_off(tmp_path, home):
    arguments = "-o UserKnownHostsFile=/dev/null"
    text = f"servers: {{hosts: {{s1: {{ansible_ssh_common_args: '{arguments}'}}}}}}"
    assert read(tmp_path, text).hosts[0].known_hosts == home / ".ssh" / "known_hosts"


def test_machine_may_have_two_hosts_with_folders_of_their_own(tmp_path):
    text = "{ansible_host: 192.0.2.1, mwlab_work_dir: %s}"
    hosts = read(
        tmp_path,
        f"clients: {{hosts: {{c1: {text % '~/c1/'}, c2: {text % '/srv/c2'}}}}}\n"
        f"servers: {{hosts: {{s1: {text % 's1'}}}}}",
    ).hosts
    assert [host.work_dir for host in hosts] == ["c1", "/srv/c2", "s1"]


def test_folder_is_no_inventory(tmp_path):
    with pytest.raises(ConfigError, match="is a folder: name one YAML file of it"):
        Inventory.read(tmp_path)
