"""Leases, by this machine's shell: no SSH is needed for that."""

import fcntl
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from remote.errors import CommandFailed, GroupError, HostGone, HostLeased
from remote.hosts import lease
from remote.hosts.connection import Result
from remote.hosts.group import in_parallel
from remote.hosts.lease import FREE_AFTER_S, Holder, Leases, has_ended, leased, own_token
from remote.waiting import until

OTHER = "another-machine.4711.00ff"


class LocalHosts:
    """Hosts that are folders of this machine; those in `gone` do not answer."""

    def __init__(self, folder: Path, names=("c1", "m1")) -> None:
        self.hosts = [SimpleHost(name=name, work_dir=str(folder / name)) for name in names]
        self.gone = set()

    def __getitem__(self, host):
        return SimpleNamespace(
            host=host, open=list, run=lambda *args, **kw: self.run(host, *args, **kw)
        )

    def for_each(self, hosts, action):
        def run(host):
            return lambda: action(self[host])

        return in_parallel({host.name: run(host) for host in hosts})

    def try_each(self, action, hosts):
        def attempt(connection):
            try:
                return action(connection)
            except (HostGone, HostLeased, CommandFailed) as exc:
                return exc

        return self.for_each(hosts, attempt)

    def run(self, host, command, *, stdin, shown, **_):
        if host.name in self.gone:
            raise HostGone(host.name, "no answer", "Check the link.")
        done = subprocess.run(["sh", "-c", command], input=stdin, capture_output=True, text=True)
        if done.returncode:
            raise CommandFailed(host.name, shown, done.returncode, done.stderr)
        return Result(
            host=host.name, command=shown, exit_status=0, stdout=done.stdout, stderr=done.stderr
        )


class SimpleHost(SimpleNamespace):
    def __hash__(self):
        return hash(self.name)


@pytest.fixture
def hosts(tmp_path):
    return LocalHosts(tmp_path / "it's work")


def file_of(host):
    return Path(host.work_dir, "lease")


def write(host, *, age_s=0, token=OTHER):
    """Write the lease of a controller on another machine, renewed so long ago.

    The file is locked, as it is by all who write it: what reads it meanwhile would find it damaged.
    """
    renewed_s = int(time.time()) - age_s
    file_of(host).parent.mkdir(parents=True, exist_ok=True)
    with file_of(host).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(f"{renewed_s} {renewed_s - 60} {token} laptop, process 4711, campaign x\n")


def test_a_host_has_one_controller_and_then_none(hosts):
    with leased(hosts, hosts.hosts, "campaign a"):
        renewed, since, token, holder = file_of(hosts.hosts[0]).read_text().split(maxsplit=3)
        assert renewed == since
        assert "campaign a" in holder
        assert not has_ended(token)
        refused = r"c1: in use by another controller, .*, process \d+, campaign a, since 20.* UTC"
        with pytest.raises(HostLeased, match=refused), leased(hosts, hosts.hosts, "campaign b"):
            pass
        assert file_of(hosts.hosts[0]).read_text().split()[2] == token
    assert not any(file_of(host).exists() for host in hosts.hosts)


def test_refusal_tells_who_since_when_and_what_to_do(hosts):
    write(hosts.hosts[1], age_s=12)
    with pytest.raises(HostLeased) as refused, leased(hosts, hosts.hosts, "campaign b"):
        pass
    text = str(refused.value)
    assert text.startswith(
        "m1: in use by another controller, laptop, process 4711, campaign x, since"
    )
    assert int(re.search(r"it was heard of (\d+) s ago", text)[1]) >= 12
    assert f"nothing was heard of it for {FREE_AFTER_S} s, or at once if you remove" in text
    assert not file_of(hosts.hosts[0]).exists(), "what was taken before is given back"


@pytest.mark.parametrize("age_s", [FREE_AFTER_S + 1, -FREE_AFTER_S - 10_000])
def test_a_lease_that_is_not_renewed_is_taken_over(hosts, age_s):
    write(hosts.hosts[0], age_s=age_s)
    with leased(hosts, hosts.hosts, "campaign b"):
        assert "campaign b" in file_of(hosts.hosts[0]).read_text()


def test_a_lease_of_a_process_of_this_machine_that_ended_is_void(hosts):
    code = "from remote.hosts.lease import own_token; print(own_token())"
    token = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert has_ended(token.stdout.strip())
    write(hosts.hosts[0], token=token.stdout.strip())
    with leased(hosts, hosts.hosts, "campaign b"):
        assert "campaign b" in file_of(hosts.hosts[0]).read_text()


def test_processes_of_other_machines_are_not_taken_for_dead():
    assert not has_ended(OTHER)
    assert not has_ended("")
    machine, pid, use = own_token().split(".")
    assert not has_ended(f"{machine}.{'9' * 5000}.{use}"), "a host may tell anything"
    assert has_ended(f"{machine}.{pid}.00{use}"), "an earlier use by this process"


def test_what_is_damaged_holds_nobody_off(hosts):
    for text in ("", "\n", "half", "-- --\n"):
        file_of(hosts.hosts[0]).parent.mkdir(parents=True, exist_ok=True)
        file_of(hosts.hosts[0]).write_text(text)
        with leased(hosts, hosts.hosts, "campaign b"):
            assert "campaign b" in file_of(hosts.hosts[0]).read_text()


def test_of_many_that_want_a_host_at_the_same_time_one_gets_it(hosts):
    write(hosts.hosts[0], age_s=FREE_AFTER_S + 1)
    many = [Leases(hosts, f"campaign {number}") for number in range(12)]

    def take(one):
        try:
            one.take(hosts.hosts[0])
        except HostLeased:
            return 0
        return 1

    with ThreadPoolExecutor(12) as pool:
        assert sum(pool.map(take, many)) == 1


def test_leases_are_renewed_and_not_after_they_were_given_back(hosts, monkeypatch):
    monkeypatch.setattr(lease, "RENEW_S", 0.05)
    with leased(hosts, hosts.hosts, "campaign a") as leases:
        write(hosts.hosts[0], age_s=200, token=leases._token)
        old = file_of(hosts.hosts[0]).read_text()
        assert until(lambda: file_of(hosts.hosts[0]).read_text() != old, 60)
    leases.renew_all()
    # A renewal that has begun before may make the file again, and then removes it.
    assert until(lambda: not file_of(hosts.hosts[0]).exists(), 60)


def test_a_silent_host_keeps_its_lease_and_one_that_others_took_is_lost(hosts):
    with leased(hosts, hosts.hosts, "campaign a") as leases:
        hosts.gone = {"m1"}
        leases.renew_all()
        leases.require()
        hosts.gone = set()
        write(hosts.hosts[1])
        leases.renew_all()
        with pytest.raises(HostLeased, match="m1: in use by another controller, laptop"):
            leases.require()
    assert OTHER in file_of(hosts.hosts[1]).read_text(), "it is not ours to give back"


def test_what_a_silent_host_keeps_is_void_for_the_same_process(hosts):
    with leased(hosts, hosts.hosts, "campaign a"):
        token = file_of(hosts.hosts[1]).read_text().split()[2]
        assert not has_ended(token)
        hosts.gone = {"m1"}
    assert token in file_of(hosts.hosts[1]).read_text()
    hosts.gone = set()
    with leased(hosts, hosts.hosts, "campaign a"):
        assert token not in file_of(hosts.hosts[1]).read_text()


def test_hosts_that_are_not_needed_are_taken_where_they_are_free(hosts):
    write(hosts.hosts[1])
    leases = Leases(hosts, "campaign a")
    assert leases.take_free(hosts.hosts) == hosts.hosts[:1]
    file_of(hosts.hosts[1]).unlink()
    assert leases.renew_all() == hosts.hosts[:1], "what was refused is not taken later"
    write(hosts.hosts[0])
    assert leases.renew_all() == []
    leases.require()  # nothing is lost with it


def test_a_host_that_cannot_keep_a_lease_says_why(hosts):
    Path(hosts.hosts[0].work_dir).parent.mkdir()
    Path(hosts.hosts[0].work_dir).write_text("a file")
    with pytest.raises((CommandFailed, GroupError), match=r"c1: `lease\.sh take .*File exists"):
        Leases(hosts, "campaign a").take(hosts.hosts[0])


@pytest.mark.parametrize(
    "text", ["1 x", "1 2 x TOKEN name", f"1 2 {10**30} TOKEN name", "-1 2 3 T n"]
)
def test_times_that_cannot_be_are_refused(text):
    with pytest.raises(ValueError):
        Holder.parse(text)
