"""An inventory that someone else has written does nothing on this machine but be read."""

import itertools
import shlex
import string
from pathlib import Path

import pytest
import yaml

from analysis.text.visible import LONGEST_MESSAGE
from remote.errors import ConfigError
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
        read(tmp_path, of_s1(**{variable: value}))
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
        ("-oLocalCommand='touch PROOF' -oPermitLocalCommand=yes", "the option `LocalCommand`"),
        ("-o KnownHostsCommand=/tmp/mine", "the option `KnownHostsCommand` of ssh is not accepted"),
        ("-o 'pkcs11provider /tmp/mine.so'", "the option `pkcs11provider`"),
        ("-o '\"ProxyCommand\" touch PROOF'", "the option `.*ProxyCommand.*` of ssh"),
        ("-o HostName=192.0.2.7", "the option `HostName`"),
        ("-o StrictHostKeyChecking=no", r"`StrictHostKeyChecking` .*into your own ~/\.ssh/config"),
        ("-I /tmp/mine.so", "the option `-I`"),
        ("-qE PROOF", "the option `-qE`"),
        ("-S PROOF", "the option `-S`"),
        ("-L 1:localhost:1", "the option `-L`"),
        ("-C", "the option `-C`"),
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
