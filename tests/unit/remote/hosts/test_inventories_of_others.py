"""An inventory that someone else has written does nothing on this machine but be read."""

import itertools
import json
import os
import shlex
import string
from pathlib import Path

import pytest
import yaml

from records.text.visible import LONGEST_MESSAGE
from remote.errors import ConfigError
from remote.hosts import inventory_entries
from remote.hosts.inventory import Inventory
from remote.hosts.provision import ansible
from remote.hosts.ssh.options import KeyOptions

PIPE = "{{ lookup('pipe', 'touch PROOF') }}"


pytestmark = pytest.mark.usefixtures("home")


def read(folder: Path, text: str) -> Inventory:
    path = folder / "inventory.yml"
    path.write_text(text.replace("PROOF", str(folder / "proof")))
    return Inventory.read(path)


def of_s1(**variables: object) -> str:
    return yaml.safe_dump({"servers": {"hosts": {"s1": variables}}})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ansible_host", "-oProxyCommand=touch PROOF"),
        ("ansible_host", "10.0.0.1; touch PROOF"),
        ("ansible_host", "10.0.0.1\n10.0.0.2"),
        ("ansible_host", PIPE),
        ("ansible_user", "-oProxyCommand=touch PROOF"),
        ("ansible_user", "lab `touch PROOF`"),
        ("ansible_user", "lab\x1b]0;owned\x07"),
        ("ansible_user", "{% set x = 1 %}lab"),
        ("ansible_become_password", PIPE),
        ("ansible_become_method", "../../mine"),
        ("ansible_port", "22 -oProxyCommand=touch"),
        ("ansible_private_key_file", "key\x1b[2J"),
        ("mwlab_data_address", "10.0.0.1 -u root"),
        ("mwlab_data_address", "$(touch PROOF)"),
        ("mwlab_jump_host", "-oProxyCommand=touch PROOF@gate"),
        ("mwlab_jump_host", "me@-oProxyCommand=touch"),
        ("mwlab_work_dir", "work/../../etc"),
        ("mwlab_work_dir", "-rf"),
        ("mwlab_cpu_account", "/sys/fs/cgroup/../../../etc/shadow"),
        ("mwlab_program_user", "nobody; reboot"),
        ("mwlab_route_device", "eth0; reboot"),
        ("mwlab_fleet", "<script>alert(1)</script>"),
        ("mwlab_topology", "../azure"),
    ],
)
def test_values_that_would_be_more_than_they_say_are_refused_by_their_place(
    tmp_path, variable, value
):
    with pytest.raises(ConfigError, match=rf"(s1|all\.vars)(\.{variable}|: )") as error:
        read(tmp_path, of_s1(**{"ansible_user": "lab", variable: value}))
    assert str(error.value).isprintable()
    assert not (tmp_path / "proof").exists()


def test_only_root_can_become_another_user(tmp_path):
    with pytest.raises(ConfigError, match=r"s1\.mwlab_program_user needs ansible_user: root"):
        read(tmp_path, of_s1(ansible_user="me", mwlab_program_user="nobody"))
    assert read(tmp_path, of_s1(ansible_user="root", mwlab_program_user="nobody"))


# systemd has such lines installed for all users, for names of virtual machines.
OF_THE_DISTRIBUTION = "Host *\n ProxyUseFdpass yes\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-o ProxyCommand='touch PROOF'", "`ProxyCommand` of .* inventory: write ProxyJump=HOST"),
        ("-o ProxyCommand='ssh -W %h:%p b'", "`ProxyCommand` of .* write ProxyJump=HOST"),
        ("-o KnownHostsCommand=/tmp/mine", "the option `KnownHostsCommand` of ssh is not accepted"),
        ("-o 'pkcs11provider /tmp/mine.so'", "the option `pkcs11provider`"),
        ("-o '\"ProxyCommand\" touch PROOF'", "the option `.*ProxyCommand.*` of ssh"),
        ("-o StrictHostKeyChecking=no", r"`StrictHostKeyChecking` .*into your own ~/\.ssh/config"),
        ("-I /tmp/mine.so", "the option `-I`"),
        ("-qE PROOF", "the option `-qE`"),
        ("-F PROOF.config", "-F cannot be '.*proof.config'"),
        ("-o F=none", "the option `F`"),
        ("-J 'a,me$@b'", "ProxyJump cannot be"),
        ("gate", "the option `gate`"),
        ("-l -oProxyCommand=touch", "User cannot be '-oProxyCommand=touch'"),
        ('-o \'IdentityFile "a" b"\'', "IdentityFile cannot be"),
        (
            "-o UserKnownHostsFile=/etc/shadow",
            "UserKnownHostsFile must be a file with known_hosts in",
        ),
        ("-p 0", "Port cannot be '0'"),
        (f"-J {','.join('abcdefghi')}", "ProxyJump cannot be 'a,b,c"),
        (f"-o UserKnownHostsFile=/{'a' * 3000}/known_hosts", "must be a file with known_hosts in"),
        ("-o 'IdentityFile", "No closing quotation"),
    ],
)
def test_options_of_ssh_that_are_not_of_the_way_are_refused_by_name(
    tmp_path, home, arguments, message
):
    (home / ".ssh" / "config").write_text(OF_THE_DISTRIBUTION)
    (tmp_path / "proof.config").write_text(f'Match exec "touch {tmp_path}/proof"\n')
    with pytest.raises(
        ConfigError, match=rf"inventory\.yml: s1\.ansible_ssh_extra_args: .*{message}"
    ):
        read(tmp_path, of_s1(ansible_ssh_extra_args=arguments))
    assert not (tmp_path / "proof").exists()


@pytest.mark.parametrize(
    "variables",
    [
        {"ansible_ssh_common_args": "-o HostName='$(touch${IFS}PROOF)'"},
        {"ansible_ssh_common_args": "-o User='$(touch${IFS}PROOF)'"},
        {"ansible_ssh_common_args": "-o HostKeyAlias='$(touch${IFS}PROOF)'"},
        {"ansible_user": "me$"},
        {"ansible_user": "me\\"},
        {"ansible_host": "vsock%3"},
        {"mwlab_jump_host": "me$@b"},
        {"mwlab_jump_host": "me@b:\u0662\u0662"},
    ],
)
def test_hosts_users_and_ports_are_held_to_a_form_before_commands_of_ssh_config_get_them(
    tmp_path, home, variables
):
    (home / ".ssh" / "config").write_text('Match exec ": %h %k %p %r"\n User lab\n')
    with pytest.raises(ConfigError, match=r"inventory\.yml: s1"):
        read(tmp_path, of_s1(**variables))
    assert not (tmp_path / "proof").exists()


def test_options_of_the_way_are_taken(tmp_path):
    arguments = (
        "-F none -p23 -l me -i '/a key' -o identitiesonly=yes -J gate "
        "-o 'CertificateFile /c' -o 'IdentityAgent=\"/an agent\"' "
        "-o UserKnownHostsFile=/known_hosts"
    )
    (s1,) = read(tmp_path, of_s1(ansible_ssh_common_args=arguments)).hosts
    assert (s1.address, s1.port, s1.user, s1.jump.address) == ("s1", 23, "me", "gate")
    assert (s1.known_hosts, s1.keys) == (
        Path("/known_hosts"),
        KeyOptions(
            files=(Path("/a key"),), certificates=(Path("/c"),), only=True, agent="/an agent"
        ),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("../../etc: {hosts: {s1: }}", r"'\.\./\.\./etc' cannot be the name of a group"),
        ("servers: {hosts: {-oProxyCommand=x: }}", "cannot be the name of a host"),
        ("servers: {hosts: {'s1\\e[2J': }}".replace("'", '"'), "cannot be the name of a host"),
        ("servers: {hosts: {s1: !!python/object/apply:os.system [x]}}", "line 1 has the tag .*pyt"),
        ("servers: {hosts: {s1: {x: !template '{{ x }}'}}}", "the tag !template: known are !vault"),
        ("#!/bin/sh\nservers: {hosts: {s1: }}", "is a script, which Ansible would run"),
        ("[" * 5000, "is nested without end|not YAML"),
        ("servers: &x {<<: *x}", "is nested without end|no host has a role|not YAML"),
        ("servers: {hosts: {s1: {ansible_port: 2026-99-99}}}", "month must be|ansible_port"),
        ('servers: {hosts: {s1: {x: !!int ""}}}', "line 1 has the tag .*:int: known are !vault"),
        ("servers: {hosts: {s1: {x: !unsafe {a: =}}}}", "not YAML: .*tag:yaml.org,2002:value"),
        (f"servers: {{hosts: {{s1: {{x: 0x{'f' * 5000}}}}}}}", "line 1 has a number of more than"),
        (
            f"servers: {{hosts: {{? 0x{'f' * 5000} : }}}}",
            "line 1 has a number of more than 100 char",
        ),
        (f"servers: {{vars: {{x: {10**18}}}}}", r"servers\.vars\.x must be a number of at most"),
        (f"servers: {{vars: {{x: {'[' * 60}{']' * 60}}}}}", r"vars\.x\[1\].* is nested deeper tha"),
        (f'{{"servers": {{"vars": {{"x": {"[" * 900}{"]" * 900}}}}}}}', "is nested deeper than 50"),
        ('{"servers": {"hosts": {"s1": 1, "s1": 2}}}', "s1 is given twice: remove one of them"),
    ],
)
def test_names_and_tags_that_are_not_plain_are_refused(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message) as error:
        read(tmp_path, text)
    assert "\x1b" not in str(error.value)


def test_templates_and_lists_that_grow_without_end_are_not_followed(tmp_path):
    doubling = {f"v{n}": f"{{{{ v{n + 1} }}}}{{{{ v{n + 1} }}}}" for n in range(40)}
    with pytest.raises(ConfigError, match=r"s1\.ansible_user needs Ansible to be filled in"):
        read(tmp_path, of_s1(**doubling, v40="x", ansible_user="{{ v0 }}"))
    laughs = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(24)
    )
    variables = "".join(f"        {line}\n" for line in laughs.splitlines())
    text = f"servers:\n  hosts:\n    s1:\n      many:\n{variables}      ansible_user: *y\n"
    with pytest.raises(ConfigError, match="characters with all that its anchors repeat"):
        read(tmp_path, text)


@pytest.mark.parametrize("name", ["~/.ssh/authorized_keys", "of-lab/known_hosts", "~nobody-is/x"])
def test_pinned_keys_stand_in_no_file_of_another_kind(tmp_path, home, name):
    (tmp_path / "of-lab").mkdir()
    (tmp_path / "of-lab" / "known_hosts").symlink_to(home / ".ssh" / "authorized_keys")
    path = name.replace("of-lab", f"{tmp_path}/of-lab")
    with pytest.raises(ConfigError, match=r"s1\.mwlab_known_hosts must be a file with known_hosts"):
        read(tmp_path, of_s1(mwlab_known_hosts=path))


@pytest.mark.parametrize("name", ["known_hosts", "lab_known_hosts.2026", "current_known_hosts"])
def test_pinned_keys_may_stand_in_any_folder(tmp_path, name):
    (tmp_path / "current_known_hosts").symlink_to("known_hosts.1")
    (s1,) = read(tmp_path, of_s1(mwlab_known_hosts=str(tmp_path / name))).hosts
    assert s1.known_hosts == tmp_path / name


@pytest.mark.parametrize(
    "use",
    [
        "servers: {hosts: {s1: }, vars: {ansible_group_priority: *LAST}}",
        "servers: {hosts: {s1: }, vars: {? *LAST : 1}}",
        "servers: {hosts: {s1: {mwlab_rtt_ms: *LAST}, s2: {mwlab_rtt_ms: *c}}}",
        "servers: {hosts: {? *LAST : }}",
        "servers: {hosts: {s1: {<<: [*once, *once, *once], ansible_user: []}}}",
    ],
)
@pytest.mark.parametrize("levels", [3, 9])
def test_anchors_that_repeat_each_other_make_no_long_message(tmp_path, use, levels):
    names = string.ascii_lowercase[: levels + 1]
    lines = ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]", "once: &once {x: *a}"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in itertools.pairwise(names)]
    text = "all:\n  vars:\n" + "".join(f"    {line}\n" for line in lines)
    with pytest.raises(ConfigError) as error:
        read(tmp_path, text + use.replace("LAST", names[-1]))
    assert len(str(error.value)) < LONGEST_MESSAGE + 100


def test_ansible_sees_only_what_was_checked(tmp_path):
    (tmp_path / "host_vars").mkdir()
    (tmp_path / "host_vars" / "s1.yml").write_text(
        f'motd: "{PIPE}"\nansible_ssh_common_args: -o IdentityAgent=/agent\n'
    )
    inventory = read(
        tmp_path,
        of_s1(ansible_become=True, ansible_become_user="root", ansible_remote_tmp="/tmp/a"),
    )
    text = ansible.connections_text(inventory)
    (s1,) = (document := yaml.safe_load(text)["all"])["hosts"].values()
    assert document["children"] == {"servers": {"hosts": {"s1": {}}}}
    assert {name for name in s1 if "become" in name or "tmp" in name} == {
        "ansible_become",
        "ansible_become_user",
        "ansible_remote_tmp",
    }
    assert "lookup" not in text
    assert "IdentityAgent" not in text
    assert "StrictHostKeyChecking=yes" in shlex.split(s1["ansible_ssh_common_args"])


def test_secrets_reach_ansible_as_they_are_encrypted(tmp_path):
    secret = "$ANSIBLE_VAULT;1.1;AES256\n6162\n"
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars" / "all.yml").write_text(
        "ansible_become_password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6162\n"
    )
    inventory = read(tmp_path, of_s1())
    assert dict(inventory.hosts[0].for_ansible) == {"ansible_become_password": secret}
    assert "VAULT" not in repr(inventory.hosts[0])
    assert "ansible_become_password: !vault |\n" in ansible.connections_text(inventory)


def test_the_playbook_is_run_on_our_inventory_alone(tmp_path, monkeypatch):
    inventory = read(tmp_path, of_s1())
    monkeypatch.setattr(ansible, "find_program", lambda: "echo")
    asked = []
    monkeypatch.setattr(
        ansible.subprocess, "run", lambda command, **_: asked.append(command) or Ended()
    )
    ansible.run_playbook(inventory)
    (command,) = asked
    assert command.count("-i") == 1
    assert str(inventory.path) not in command


class Ended:
    returncode = 0


@pytest.mark.parametrize(
    "variables",
    [
        {"ansible_private_key_file": "~nobody-is/key"},
        {"ansible_ssh_common_args": "-i /" + "a" * 3000},
        {"ansible_ssh_common_args": "-o IdentityAgent=~nobody-is/agent"},
        {"mwlab_known_hosts": "a" * 3000 + "/known_hosts"},
        {"mwlab_jump_host": "gate:65536"},
    ],
)
def test_paths_and_ports_that_cannot_be_are_refused_by_the_host(tmp_path, variables):
    with pytest.raises(ConfigError, match=r"inventory\.yml: s1"):
        read(tmp_path, of_s1(**variables))


def link(target):
    return lambda path: path.symlink_to(target)


def folder_of_itself(path):
    path.mkdir()
    (path / "a").symlink_to(".")
    (path / "b").symlink_to(".")


def folders_in_folders(path):
    path.joinpath(*"abcdefghijklmnopqrstuvwxyz").mkdir(parents=True)


@pytest.mark.parametrize(
    ("place", "make", "message"),
    [
        ("group_vars/all", folders_in_folders, "q/r/s/t/u: lies more than 20 folders deep"),
        ("host_vars/s1", os.mkfifo, "s1: cannot be read: is not a regular file"),
        ("host_vars/s1", link("/etc/passwd"), "s1: is a link out of"),
        ("host_vars/s1", link("/dev/zero"), "s1: is a link out of"),
        ("host_vars/s1", link("/etc"), "s1: is a link out of"),
        ("host_vars", link("/"), "host_vars/etc: is a link out of"),
        ("group_vars/all", folder_of_itself, "all/a: is a link out of .* or to a folder"),
        (
            "group_vars/servers",
            lambda path: path.write_bytes(b"#" * 500_001),
            "more than 500000",
        ),
    ],
)
def test_variables_are_read_from_regular_files_of_the_folder_alone(tmp_path, place, make, message):
    path = tmp_path / "of others" / place
    path.parent.mkdir(parents=True)
    make(path)
    with pytest.raises(ConfigError, match=message) as error:
        read(tmp_path / "of others", "servers: {hosts: {s1: , etc: }}")
    assert "root:" not in str(error.value)


def test_variables_may_stand_behind_a_link_within_the_folder(tmp_path):
    (tmp_path / "host_vars").mkdir()
    (tmp_path / "host_vars" / "s1").write_text("ansible_port: 23")
    (tmp_path / "host_vars" / "s2").symlink_to("s1")
    inventory = read(tmp_path, "servers: {hosts: {s1: , s2: }}")
    assert [host.port for host in inventory.hosts] == [23, 23]


def test_an_inventory_is_a_regular_file(tmp_path):
    os.mkfifo(tmp_path / "inventory.yml")
    with pytest.raises(ConfigError, match=r"inventory\.yml: cannot be read: is not a regular file"):
        Inventory.read(tmp_path / "inventory.yml")


def test_ssh_is_asked_once_for_each_jump_host_and_a_way_has_at_most_eight(tmp_path, monkeypatch):
    asked = []
    resolve = inventory_entries.resolve
    monkeypatch.setattr(
        inventory_entries, "resolve", lambda *way: asked.append(way) or resolve(*way)
    )
    hosts = {f"h{n}": {"mwlab_jump_host": f"h{n + 1}"} for n in range(8)} | {"h8": {}}
    read(tmp_path, json.dumps({"servers": {"hosts": hosts}}))
    assert len(asked) == len(hosts)
    hosts |= {"h8": {"mwlab_jump_host": "h9"}, "h9": {}}
    with pytest.raises(ConfigError, match="h0 has more than 8 jump hosts: h0 > h1 > "):
        read(tmp_path, json.dumps({"servers": {"hosts": hosts}}))


def test_templates_that_name_each_other_are_left_as_they_are(tmp_path):
    ring = {f"v{n}": f"{{{{ v{(n + 1) % 1500} }}}}" for n in range(1500)}
    chain = {f"w{n}": f"{{{{ w{n + 1} }}}}" for n in range(300)} | {"w300": "lab"}
    (s1,) = read(tmp_path, of_s1(**ring, **chain, ansible_user="{{ w0 }}")).hosts
    assert s1.user == "lab"
