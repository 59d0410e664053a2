import dataclasses
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from remote.errors import LabError, MissingTool
from remote.hosts.inventory import Host, Inventory
from remote.hosts.provision import ansible
from remote.hosts.provision.prepare import plain, require_tools
from remote.hosts.provision.table import hosts_table, is_ready
from remote.hosts.provision.tools import (
    FOLDER,
    PROBE,
    Found,
    Tool,
    all_tools,
    parse_probe,
    probe_command,
    tools_for,
)
from remote.hosts.ssh.handshake import ssh_command

TEXT = """
all:
  vars:
    ansible_user: lab
    ansible_ssh_private_key_file: /keys/lab
    mwlab_known_hosts: /keys/known_hosts
bastions: {hosts: {gate: {ansible_host: 192.0.2.9, ansible_port: 2200}}}
servers:
  hosts:
    s1: {ansible_host: 10.0.0.1, mwlab_jump_host: gate}
    s2: {ansible_host: 10.0.0.2}
"""


@pytest.fixture
def inventory(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / "inventory.yml"
    path.write_text(TEXT)
    return Inventory.read(path)


def programs(folder: Path, **scripts: str) -> str:
    """A folder with programs, to be searched first; returns the search path."""
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def probe(path: str, *names: str, script: str | None = None) -> dict:
    result = subprocess.run(
        shlex.split(probe_command(names)),
        input=script or PROBE.read_text(),
        capture_output=True,
        text=True,
        env={"PATH": path},
        check=True,
    )
    return parse_probe(result.stdout)


@pytest.mark.parametrize(
    ("program", "version", "state"),
    [
        ("java", 'openjdk version "17.0.15" 2025-04-15', "present"),
        ("java", 'openjdk version "21" 2023-09-19', "present"),
        ("java", 'java version "1.8.0_392"', "old"),
        ("postgres", "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "present"),
        ("postgres", "postgres (PostgreSQL) 9.6.24", "old"),
    ],
)
def test_probe_tells_programs_that_are_too_old(tmp_path, program, version, state):
    folder = tmp_path / "lib" / "15" / "bin"
    folder.mkdir(parents=True)
    path = programs(folder, **{program: f"echo '{version}' >&{2 if program == 'java' else 1}"})
    script = PROBE.read_text().replace("/usr/lib/postgresql", str(tmp_path / "lib"))
    found = probe(path if program == "java" else "/usr/bin:/bin", program, script=script)[program]
    assert (found.state, found.path) == (state, str(folder / program))
    assert found.version == version


def test_probe_tells_missing_programs_and_survives_those_that_fail(tmp_path):
    path = programs(tmp_path, iperf3="exit 3")
    (tmp_path / "ss-not-a-program").mkdir()
    found = probe(path, "no-such-program", "iperf3", "ss-not-a-program")
    assert found["no-such-program"].state == "missing"
    assert (found["iperf3"].state, found["iperf3"].version) == ("present", "")
    assert found["ss-not-a-program"].state == "missing"


@pytest.mark.parametrize(("status", "state"), [(0, "present"), (1, "barred")])
@pytest.mark.parametrize(
    ("program", "shows", "does"),
    [("tcpdump", "--version", '"-i any -d"'), ("ping", "-V", "*127.0.0.1")],
)
def test_probe_tells_whether_the_user_may_capture_and_ping(
    tmp_path, program, shows, does, status, state
):
    script = f'case "$*" in {shows}) echo {program} 4.99.3;; {does}) exit {status};; esac'
    found = probe(programs(tmp_path, **{program: script}), program)[program]
    assert (found.state, found.version) == (state, f"{program} 4.99.3")


def test_host_whose_ping_may_not_be_used_is_refused():
    barred = found_on("clients", ping="barred")
    with pytest.raises(MissingTool, match=r"c1: `ping` is there, but lab may not ping\. .*setcap"):
        require_tools(client(user="lab"), barred)


def test_users_may_capture_as_members_of_a_group(tmp_path):
    names = ("groupadd", "usermod", "chgrp", "chmod", "setcap", "tcpdump")
    path = programs(tmp_path, **{name: 'echo "${0##*/}" "$@"' for name in names})
    result = subprocess.run(
        ["sh", "-c", tcpdump().for_users],
        capture_output=True,
        text=True,
        env={"PATH": path, "SUDO_USER": "lab"},
        check=True,
    )
    file = tmp_path / "tcpdump"
    assert result.stdout.splitlines() == [
        "groupadd --force --system pcap",
        "usermod --append --groups pcap lab",
        f"chgrp pcap {file}",
        f"chmod 0750 {file}",
        f"setcap cap_net_raw,cap_net_admin+eip {file}",
    ]


def found_on(role: str, **states: str) -> dict[str, Found]:
    """All tools of a role as present, but for `states`."""
    names = {tool.program: "present" for tool in tools_for(role)} | states
    return {
        name: Found(program=name, state=state, path=f"/usr/bin/{name}", version=f"{name} 1")
        for name, state in names.items()
    }


def tcpdump() -> Tool:
    (tool,) = (tool for tool in all_tools() if tool.program == "tcpdump")
    return tool


def client(role: str = "clients", user: str = "root") -> Host:
    return Host(
        name=f"{role[0]}1",
        role=role,
        user=user,
        address="192.0.2.1",
        data_address="192.0.2.1",
        known_hosts=Path("/keys/known_hosts"),
    )


def test_host_without_a_tool_is_refused_before_an_experiment():
    require_tools(client(), found_on("clients"))
    with pytest.raises(MissingTool, match=r"c1: `ping` is missing\. .*install -y iputils-ping"):
        require_tools(client(), found_on("clients", ping="missing"))
    with pytest.raises(MissingTool, match=r"c1: `java` is too old: java 1\. .*openjdk-17"):
        require_tools(client(), found_on("clients", java="old"))


def test_host_that_may_not_capture_is_refused_where_that_is_to_be_done():
    host, barred = client("middlewares", user="lab"), found_on("middlewares", tcpdump="barred")
    require_tools(host, barred)
    with pytest.raises(MissingTool) as refused:
        require_tools(host, barred, captures=True)
    text = str(refused.value)
    assert text.startswith("m1: `tcpdump` is there, but lab may not capture. Mend that: `ssh ")
    assert "setcap" in text
    assert 'with `observed = "none"`' in text
    with pytest.raises(MissingTool, match="m1: `tcpdump` is missing"):
        require_tools(host, found_on("middlewares", tcpdump="missing"), captures=True)
    require_tools(client(), found_on("clients"), captures=True)


@pytest.mark.parametrize(
    ("user", "remedy"),
    [("lab", "setcap"), ("root", "'apt-get update && apt-get install -y tcpdump'")],
)
def test_table_names_a_tcpdump_that_may_not_capture(user, remedy):
    host = client("servers", user=user)

    class Hosts:
        def try_each(self, task, hosts, *, at_once=None):
            return {one.name: found_on(one.role, tcpdump="barred") for one in hosts}

    table = hosts_table(Hosts(), [host])
    (row,) = table[table["remedy"] != ""].to_dict("records")
    assert (row["tool"], row["needed"], row["present"]) == ("tcpdump", False, False)
    assert row["version"] == f"tcpdump 1: {user} may not capture"
    assert remedy in row["remedy"]
    assert is_ready(table)


def test_client_with_the_real_generator_needs_no_java():
    require_tools(client(), found_on("clients", java="missing", memtier_benchmark="present"))
    with pytest.raises(MissingTool, match="`java` is missing"):
        require_tools(client(), found_on("clients", java="missing", memtier_benchmark="missing"))


def tool_of(role, program):
    (tool,) = (tool for tool in tools_for(role) if tool.program == program)
    return tool


def test_command_names_a_jump_host_as_one_writes_it_where_ssh_knows_the_rest():
    known = Path("~/.ssh/known_hosts").expanduser()
    gate = dataclasses.replace(client("jump"), address="gate", port=2200, known_hosts=known)
    through = dataclasses.replace(client(), known_hosts=known, jump=gate)
    assert ssh_command(through) == "ssh -J root@gate:2200 root@192.0.2.1"


def test_a_bare_host_learns_of_packages_before_it_installs_one_of_several():
    command = tool_of("clients", "java").install_command("root")
    assert command.startswith("apt-get update && { apt-get install -y openjdk-17-jre-headless || ")
    assert command.endswith("; }")


def test_ansible_gets_our_jump_hosts_and_known_hosts(inventory):
    hosts = yaml.safe_load(ansible.connections_text(inventory))["all"]["hosts"]
    arguments = shlex.split(hosts["s1"]["ansible_ssh_common_args"])
    assert "UserKnownHostsFile=/keys/known_hosts" in arguments
    assert "StrictHostKeyChecking=yes" in arguments
    (proxy,) = (a for a in arguments if a.startswith("ProxyCommand="))
    words = shlex.split(proxy.removeprefix("ProxyCommand="))
    assert words[-3:] == ["-W", "[10.0.0.1]:22", "lab@192.0.2.9"]
    assert "StrictHostKeyChecking=yes" in words
    assert not any("Proxy" in a for a in shlex.split(hosts["s2"]["ansible_ssh_common_args"]))


def test_ansible_gets_the_command_that_passes_a_socket_on(inventory):
    s2 = dataclasses.replace(inventory.hosts[1], connect_command="nc -F %h %p")
    reached = dataclasses.replace(inventory, hosts=(s2,))
    hosts = yaml.safe_load(ansible.connections_text(reached))["all"]["hosts"]
    arguments = shlex.split(hosts["s2"]["ansible_ssh_common_args"])
    assert {"ProxyCommand=nc -F %h %p", "ProxyUseFdpass=yes"} <= set(arguments)


def test_missing_ansible_is_said_with_the_command_to_run(inventory, monkeypatch):
    monkeypatch.setattr(ansible, "find_program", lambda: None)
    with pytest.raises(LabError, match=r"ansible-playbook -i .+ .+playbook\.yml'? --check"):
        ansible.run_playbook(inventory, check=True)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ('openjdk version "17.0.19" 2026-04-21', 'openjdk version "17.0.19" 2026-04-21'),
        ("6.1.0-18-amd64", "6.1.0-18-amd64"),
        ("<script>alert(1)</script>", "?script?alert(1)?/script?"),
        ("[x](javascript:alert(1)) `$\\input{a}$` |", "?x?(javascript:alert(1)) ???input?a??? ?"),
        ("x" * 5000, "x" * 200),
    ],
)
def test_what_a_host_says_of_itself_is_plain_text(said, kept):
    assert plain(said) == kept


def test_cloud_init_brings_what_every_role_needs():
    text = (FOLDER / "cloud-init.yaml").read_text()
    assert text.startswith("#cloud-config\n")
    document = yaml.safe_load(text)
    essential = {"util-linux", "coreutils"}
    assert set(document["packages"]) == {tool.packages[0] for tool in all_tools()} - essential
    assert ["systemctl", "disable", "--now", "memcached"] in document["runcmd"]
