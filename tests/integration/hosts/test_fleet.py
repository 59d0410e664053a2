"""Ways to the hosts of the local lab: jump hosts, pinned keys, broken links, many hosts at once."""

import contextlib
import dataclasses
import subprocess
from functools import partial
from pathlib import Path

import pytest
import yaml

from remote.errors import (
    CommandTimeout,
    ConnectionLost,
    GroupError,
    HostKeyRejected,
    HostUnreachable,
    RemoteError,
    TransferFailed,
)
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet, in_parallel
from remote.hosts.inventory import Inventory
from tests.helpers.network import link

# The process of sshd that serves a command: the parent of the `timeout` around it.
SSHD = "$(ps -o ppid= $PPID)"
KILL_SSHD = f"kill {SSHD}"


def changed(connection, **fields):
    return Connection(dataclasses.replace(connection.host, **fields))


@pytest.fixture
def behind_jump(fleet, tmp_path):
    """Makes the lab's inventory with s1 and s2 behind m1 as their jump host."""

    def build(**variables):
        document = yaml.safe_load(fleet.inventory.path.read_text())
        servers = document["all"]["children"]["servers"]["hosts"]
        for name in ("s1", "s2"):
            servers[name] |= {"mwlab_jump_host": "m1", **variables}
        path = tmp_path / "inventory.yml"
        path.write_text(yaml.safe_dump(document))
        return Inventory.read(path)

    return build


def peer_of(connection):
    """The address from which the host sees its connection coming."""
    return connection.run("echo $SSH_CONNECTION").stdout.split()[0]


def test_host_behind_a_jump_host_is_reached_through_it(fleet, behind_jump):
    with Fleet(behind_jump()) as jumping:
        assert peer_of(jumping["s1"]) == fleet["m1"].host.address
        assert jumping.run("hostname")["s2"].stdout == "s2\n"
        # one transport to the jump host for both, beside the one to m1 as a host of its own
        sessions = fleet["m1"].run("ss -Htn state established 'sport = :22' | wc -l").stdout
        assert int(sessions) == 3  # with the one of this question
        jumping["s1"].put_text("through", f"{jumping['s1'].host.work_dir}/through")
    assert fleet["s1"].run(f"cat {fleet['s1'].host.work_dir}/through").stdout == "through"


def test_jump_host_by_the_arguments_of_ansible(fleet, behind_jump):
    jump = fleet["m1"].host
    arguments = (
        f"-F none -o UserKnownHostsFile={jump.known_hosts} "
        f"-o ProxyJump=root@{jump.address} -o IdentityFile={jump.identity_file}"
    )
    inventory = behind_jump(mwlab_jump_host=None, ansible_ssh_common_args=arguments)
    (s1,) = inventory.take("servers", 1)
    # ssh takes the key of a jump host from ssh_config or an agent; this test has neither
    s1 = dataclasses.replace(
        s1, jump=dataclasses.replace(s1.jump, identity_file=jump.identity_file)
    )
    with Connection(s1) as connection:
        assert peer_of(connection) == jump.address


def test_both_host_keys_are_checked(fleet, behind_jump, tmp_path):
    (s1,) = behind_jump().take("servers", 1)
    lines = s1.known_hosts.read_text().splitlines(keepends=True)
    known = tmp_path / "known"
    known.write_text("".join(x for x in lines if not x.startswith(f"{s1.jump.address} ")))
    jump = dataclasses.replace(s1.jump, known_hosts=known)
    with pytest.raises(
        HostKeyRejected, match=r"m1: .*`ssh-keyscan -p 22 -t ed25519 198\.18\.0\.21"
    ):
        Connection(dataclasses.replace(s1, jump=jump)).open()
    known.write_text("".join(x for x in lines if not x.startswith(f"{s1.address} ")))
    with pytest.raises(
        HostKeyRejected,
        match=r"s1: .*root@198\.18\.0\.21 ssh-keyscan -p 22 -t ed25519 198\.18\.0\.31",
    ):
        Connection(dataclasses.replace(s1, known_hosts=known)).open()


def test_command_of_the_refusal_adds_the_key(fleet, tmp_path):
    known = tmp_path / "known hosts"
    connection = changed(fleet["c1"], known_hosts=known)
    with pytest.raises(HostKeyRejected, match="which does not exist") as error:
        connection.open()
    command = error.value.remedy.split("then add the key: `")[1].split("`.")[0]
    subprocess.run(command, shell=True, check=True, stderr=subprocess.DEVNULL)
    assert connection.run("hostname").stdout == "c1\n"
    connection.close()


def test_hashed_names_and_other_ports(fleet, tmp_path):
    c1 = fleet["c1"]
    c1.run(
        "/usr/sbin/sshd -f /run/middleware-lab/sshd_config -p 2222 -o ListenAddress=0.0.0.0:2222"
    )
    known = tmp_path / "known"
    key = next(
        x.split()[1:]
        for x in c1.host.known_hosts.read_text().splitlines()
        if x.startswith(f"{c1.host.address} ")
    )
    known.write_text(f"[{c1.host.address}]:2222 {' '.join(key)}\n")
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", known], check=True, capture_output=True)
    with changed(c1, known_hosts=known, port=2222) as connection:
        assert connection.run("hostname").stdout == "c1\n"
    with pytest.raises(HostKeyRejected, match="is not in"):
        changed(c1, known_hosts=known).open()


def test_jump_host_that_cannot_reach_the_host_says_so(behind_jump):
    (s1,) = behind_jump().take("servers", 1)
    with pytest.raises(HostUnreachable, match=r"s1: .*m1 cannot reach 198\.18\.0\.99:22"):
        Connection(dataclasses.replace(s1, address="198.18.0.99")).open()


def kill_connections(connection):
    """End the sshd process that serves this connection, from outside of it."""
    with pytest.raises(ConnectionLost):
        connection.run(f"{KILL_SSHD}; sleep 5")


def test_broken_transport_is_replaced_for_what_may_be_repeated(fleet, tmp_path):
    with changed(fleet["c1"]) as c1:
        counter = f"{c1.host.work_dir}/count"
        once = f"[ -e {counter} ] || {{ touch {counter}; {KILL_SSHD}; sleep 5; }}; echo there"
        assert c1.run(once, idempotent=True).stdout == "there\n"
        kill_connections(c1)
        (tmp_path / "file").write_text("content")
        c1.put(tmp_path / "file", f"{c1.host.work_dir}/file")
        kill_connections(c1)
        assert "file" in c1.get_tree(c1.host.work_dir)


def test_more_channels_than_sshd_allows_wait_for_their_turn(fleet):
    c1 = fleet["c1"]
    c1.run(
        "/usr/sbin/sshd -f /run/middleware-lab/sshd_config -p 2223 -o MaxSessions=2 "
        "-o ListenAddress=0.0.0.0:2223"
    )
    known = c1.host.known_hosts.read_text().replace(
        f"{c1.host.address} ", f"[{c1.host.address}]:2223 "
    )
    path = Path(c1.host.known_hosts).with_name("known_2223")
    path.write_text(known)
    with changed(c1, port=2223, known_hosts=path) as connection:
        tasks = {str(i): partial(connection.run, f"sleep 0.3; echo {i}") for i in range(8)}
        assert {name: r.stdout for name, r in in_parallel(tasks).items()} == {
            str(i): f"{i}\n" for i in range(8)
        }


@contextlib.contextmanager
def stopped_sshd(fleet, connection):
    """Stop the process that serves `connection`; another connection wakes it up again."""
    pid = connection.run(f"echo {SSHD}").stdout.strip()
    fleet["c2"].run(f"kill -STOP {pid}")
    try:
        yield
    finally:
        fleet["c2"].run(f"kill -CONT {pid}")


def test_connection_whose_sshd_is_stopped_is_replaced(fleet):
    with changed(fleet["c2"]) as c2, stopped_sshd(fleet, c2):
        with pytest.raises(CommandTimeout):
            c2.run("echo alive", timeout_s=1)
        with pytest.raises(TransferFailed, match="did not end within 1 s"):
            c2.get_tree(c2.host.work_dir, timeout_s=1)
        # its listener still answers, and so does a new connection
        assert c2.run("echo alive").stdout == "alive\n"


def test_listener_that_is_stopped_is_named(fleet):
    c3 = fleet["c3"]
    # process 1 of a host takes no SIGSTOP from inside: a second listener stands in for it
    c3.run(
        "/usr/sbin/sshd -f /run/middleware-lab/sshd_config -o PidFile=/tmp/sshd2.pid "
        "-p 2224 -o ListenAddress=0.0.0.0:2224"
    )
    c3.run("kill -STOP $(cat /tmp/sshd2.pid)")
    with pytest.raises(HostUnreachable, match="c3: cannot connect"):
        changed(c3, port=2224).open()


def test_blackholed_link_bounds_run_put_and_get(fleet, tmp_path):
    """While the link of s3 is down, every operation ends by its own time limit."""
    s3 = fleet["s3"]
    folder = s3.host.work_dir
    s3.run(f"head -c 2000000 /dev/zero > {folder}/big")
    (tmp_path / "big").write_bytes(b"x" * 2_000_000)
    tries = {
        "run": lambda: s3.run("echo x", timeout_s=2),
        "put": lambda: s3.put(tmp_path / "big", f"{folder}/put", timeout_s=2),
        "get": lambda: s3.get_tree(folder, timeout_s=2),
    }

    def attempt(name):
        with pytest.raises((CommandTimeout, TransferFailed)):
            tries[name]()

    link("s3", "down")
    try:
        in_parallel({name: partial(attempt, name) for name in tries})
    finally:
        link("s3", "up")
    assert s3.run("echo again", idempotent=True, timeout_s=60).stdout == "again\n"


def test_failing_hosts_leave_the_results_of_the_others(fleet):
    with pytest.raises(GroupError, match=r"2 of 8 hosts failed:(.|\n)*m1: .*(.|\n)*s2: ") as error:
        fleet.run("case $(hostname) in m1|s2) echo no >&2; exit 4;; esac; hostname")
    results = error.value.results
    assert len(results) == 8
    assert results["c1"].stdout == "c1\n"
    assert results["s2"].exit_status == 4
    outcomes = fleet.try_each(lambda c: c.run("[ $(hostname) != c2 ]"))
    assert [n for n, outcome in outcomes.items() if isinstance(outcome, RemoteError)] == ["c2"]
