"""Connections and jobs against real sshds: the hosts of the local lab."""

import dataclasses
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remote.errors import (
    CommandFailed,
    CommandTimeout,
    ConnectionLost,
    HostGone,
    HostKeyRejected,
    HostUnreachable,
    MissingTool,
    PortInUse,
    TransferFailed,
)
from remote.hosts.clocks import read_clock
from remote.hosts.connection import Connection
from remote.hosts.jobs import (
    Job,
    JobKilled,
    RunningJobs,
    clear_jobs,
    job_folder,
    require_free_ports,
)
from remote.hosts.jobs import job as job_module
from remote.hosts.jobs.script import JOB_MARK, PROBE_BYTES, Task, start_script
from remote.hosts.provision import provision
from remote.services import memcached


@pytest.fixture
def c1(fleet):
    return fleet["c1"]


@pytest.fixture
def s1(fleet):
    yield fleet["s1"]
    clear_jobs(fleet["s1"])


def changed(connection, **fields):
    return Connection(dataclasses.replace(connection.host, **fields))


def test_command_returns_streams_and_status(c1):
    result = c1.run("hostname; echo problem >&2; cat; exit 3", check=False, stdin="from here\n")
    assert (result.stdout, result.stderr, result.exit_status) == ("c1\nfrom here\n", "problem\n", 3)


def test_command_that_is_sent_nothing_finds_its_input_at_the_end(c1):
    assert c1.run("cat; wc -c").stdout == "0\n"


def test_commands_that_end_at_once_leave_the_connection_alone(c1):
    """A host closes their channels while we may still be about to end their input."""
    with ThreadPoolExecutor(max_workers=12) as pool:
        results = list(pool.map(lambda _: c1.run("true"), range(600)))
    assert {result.exit_status for result in results} == {0}


def test_large_output_on_both_streams_is_whole(c1):
    zeros = "head -c {} /dev/zero | tr '\\0' x"
    result = c1.run(f"{zeros.format(3_000_000)}; {zeros.format(2_000_000)} >&2")
    assert (len(result.stdout), len(result.stderr)) == (3_000_000, 2_000_000)


def test_a_folder_in_the_users_home_is_known_by_its_whole_path(c1):
    with Connection(dataclasses.replace(c1.host, work_dir="some/work")) as connection:
        connection.settle()
        home = connection.run("pwd").stdout.strip()
        assert connection.host.work_dir == f"{home}/some/work"
        connection.settle()
        assert connection.host.work_dir == f"{home}/some/work"


def test_failed_command_names_host_command_and_message(c1):
    with pytest.raises(CommandFailed, match=r"c1: `ls /none` ended with status 2: .*No such file"):
        c1.run("ls /none")


def test_command_that_nobody_waits_for_any_more_is_ended_on_the_host(c1):
    with pytest.raises(CommandTimeout):
        c1.run("sleep 4714 & sleep 4714", timeout_s=0.1)
    deadline = time.monotonic() + 60
    while c1.run("pgrep -fx 'sleep 4714'", check=False).stdout:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_folder_that_cannot_be_written_to_is_not_called_full(c1):
    with pytest.raises(TransferFailed, match=r"c1: cannot copy /none/x: .*Correct mwlab_work_dir"):
        c1.put_text("text", "/none/x")


def test_waiting_for_a_job_starts_no_process_on_its_host(s1):
    job = Job(s1, job_folder(s1.host, "waits"), Task("sleeper", "sleep 2"))
    job.launch(limit_s=30)
    with ThreadPoolExecutor() as pool:
        outcome = pool.submit(job.wait, timeout_s=60)
        time.sleep(0.5)
        newest = [s1.run("sh -c 'echo $$'").stdout for _ in range(2) if time.sleep(0.5) is None]
        assert outcome.result().exit_status == 0
    assert outcome.result().seconds > 1.8
    first, second = map(int, newest)
    assert second - first < 8, "only what the second command itself has started"


def test_what_waits_for_a_job_is_bounded(s1):
    job = Job(s1, job_folder(s1.host, "late"), Task("sleeper", "sleep 4716"))
    job.launch(limit_s=30)
    with pytest.raises(CommandTimeout, match="did not end within 1 s"):
        job.wait(timeout_s=1)
    job.kill()


def test_clock_is_read_with_a_bound(c1):
    reading = read_clock(c1)
    assert abs(reading.offset_s) <= reading.bound_s < 0.2  # hosts of the lab have one clock
    with pytest.raises(ConnectionLost, match="no line"):
        c1.exchange("exit 3", 2)


def test_tree_of_a_folder_that_is_not_there_is_named(c1):
    with pytest.raises(TransferFailed, match=r"c1: .*/none.*No such file"):
        c1.get_tree("/none")


def test_connection_that_was_cut_is_reported_and_made_again(c1):
    before = c1.losses
    with pytest.raises(HostGone, match=r"c1: connection lost: .*broke off"):
        c1.run("kill $(ps -o ppid= $PPID); sleep 5")
    assert c1.run("echo again").stdout == "again\n"
    assert c1.losses == before + 1


def test_files_travel_whole(c1, tmp_path):
    (tmp_path / "data").write_bytes(bytes(range(256)) * 5000)
    folder = f"{c1.host.work_dir}/files"
    c1.run(f"mkdir -p {folder}/inner")
    c1.put(tmp_path / "data", f"{folder}/inner/data", mode=0o755)
    c1.put_text("text\n", f"{folder}/text")
    assert c1.get_tree(folder) == {
        "inner/data": (tmp_path / "data").read_bytes(),
        "text": b"text\n",
    }
    assert c1.run(f"stat -c %a {folder}/inner/data").stdout == "755\n"


def test_full_disk_is_named_with_a_remedy(s1, tmp_path):
    folder = s1.host.work_dir
    s1.run(f"dd if=/dev/zero of={folder}/filler bs=1M 2>/dev/null", check=False)
    try:
        (tmp_path / "data").write_bytes(b"x" * 1_000_000)
        with pytest.raises(TransferFailed, match=r"s1: cannot copy .*disk of the host may be full"):
            s1.put(tmp_path / "data", f"{folder}/data")
        assert s1.run(f"ls {folder}/data*", check=False).stdout == ""
        with pytest.raises(CommandFailed, match=r"s1: .*No space left(.|\n)*free space there"):
            Job(s1, f"{folder}/jobs/full", Task("job", "true")).launch(limit_s=5)
    finally:
        s1.run(f"rm -f {folder}/filler")


def test_changed_host_key_is_refused(c1, fleet, tmp_path):
    known = tmp_path / "known_hosts"
    entries = {
        line.split()[0]: line.split()[1:] for line in c1.host.known_hosts.read_text().splitlines()
    }
    key_of_s1 = " ".join(entries[fleet["s1"].host.address])
    known.write_text(f"{c1.host.address} {key_of_s1}\n")
    with pytest.raises(HostKeyRejected, match=r"is not the one in .*ssh-keygen -f"):
        changed(c1, known_hosts=known).open()


def test_host_that_does_not_answer_is_named(c1):
    with pytest.raises(HostUnreachable, match=r"c1: cannot connect: .* Is the host up\?"):
        changed(c1, address="198.18.0.99").open()
    with pytest.raises(HostUnreachable, match=r"c1: cannot connect: .*refused.* Is the host up"):
        changed(c1, port=2222).open()


def test_nothing_is_sent_by_another_device(c1):
    with pytest.raises(HostUnreachable, match="is not routed by mwlab-none: the local lab is down"):
        changed(c1, route_device="mwlab-none").open()


def test_missing_key_file_is_named(c1, tmp_path):
    with pytest.raises(HostUnreachable, match=r"c1: .*the key file .*/none does not exist"):
        changed(c1, identity_file=tmp_path / "none").open()


def test_refused_user_is_told_apart(c1):
    with pytest.raises(HostUnreachable, match="user nobody was refused"):
        changed(c1, user="nobody").open()


def test_port_in_use_names_its_owner(s1):
    require_free_ports(s1, memcached.PORT)
    command = memcached.command(s1.host.data_address, user="root")
    job = Job(s1, job_folder(s1.host, "t"), Task("memcached", command))
    job.launch(limit_s=30)
    deadline = time.monotonic() + 60
    while not s1.run(f"ss -Hltn 'sport = :{memcached.PORT}'").stdout:
        assert time.monotonic() < deadline
    assert s1.run("ps -o user= -C memcached").stdout.split() == ["nobody"]
    with pytest.raises(PortInUse, match=r"s1: port 11211 is in use by `memcached` \(pid \d+\)"):
        require_free_ports(s1, memcached.PORT)
    assert s1.ask(memcached.PORT, b"version\r\n", b"\r\n").startswith(b"VERSION 1.")
    assert job.stop().exit_status == 0
    with pytest.raises(HostUnreachable, match="port 11211 does not answer"):
        s1.ask(memcached.PORT, b"version\r\n", b"\r\n")


def test_missing_tool_is_named_with_its_package(fleet, s1):
    s1.run("mount --bind /dev/null /usr/bin/memcached")
    try:
        with pytest.raises(MissingTool, match=r"s1: `memcached` is missing.*apt-get install"):
            provision(fleet, [s1.host])
    finally:
        s1.run("umount /usr/bin/memcached")


def test_provision_uploads_once_and_tells_facts(fleet, c1):
    tools = provision(fleet, [c1.host])["c1"]
    stamps = f"stat -c %y {tools.middleware} {tools.bin_dir}/middleware.jar"
    stamp = c1.run(stamps).stdout
    assert provision(fleet, [c1.host])["c1"] == tools
    assert c1.run(stamps).stdout == stamp
    assert tools.facts["tcp_congestion_control"] == "cubic"
    assert f": {tools.facts['processor']}\n" in Path("/proc/cpuinfo").read_text()
    assert c1.run(f"{tools.dool} --version").stdout.startswith("Dool 1.")


def test_jobs_never_outlive_their_block(fleet, c1):
    with pytest.raises(RuntimeError, match="in the middle"), RunningJobs(fleet, "block") as jobs:
        jobs.start(c1.host, Task("sleeper", "sh -c 'sleep 4711 & sleep 4711'"), limit_s=60)
        raise RuntimeError("in the middle")
    assert c1.run("pgrep -x sleep", check=False).stdout == ""


def test_job_of_an_ended_run_is_not_started(fleet, c1):
    jobs = RunningJobs(fleet, "ended")
    jobs.kill_all()
    with pytest.raises(JobKilled, match="c1: sleeper is not started: its run was ended"):
        jobs.start(c1.host, Task("sleeper", "sleep 4713"), limit_s=60)
    job = Job(c1, job_folder(c1.host, "ended"), Task("sleeper", "sleep 4713"))
    job.kill()
    with pytest.raises(JobKilled, match="c1: sleeper is not started any more"):
        job.launch(limit_s=60)


def test_exit_status_is_told_on_a_disk_that_is_full_by_then(s1):
    folder = s1.host.work_dir
    fill = f"dd if=/dev/zero of={folder}/filler bs=64k 2>/dev/null; exit 5"
    job = Job(s1, job_folder(s1.host, "full"), Task("filler", f"sh -c '{fill}'"))
    try:
        job.launch(limit_s=30)
        assert job.wait(timeout_s=60).exit_status == 5
        job = Job(s1, job_folder(s1.host, "full"), Task("again", "true"))
        with pytest.raises(CommandFailed, match=r"s1: `true` .*No space left(.|\n)*free space"):
            job.launch(limit_s=30)
    finally:
        s1.run(f"rm -f {folder}/filler")


def test_job_can_be_ended_though_the_disk_filled_up_while_it_was_started(s1, monkeypatch):
    folder = s1.host.work_dir
    fill = f"! dd if=/dev/zero of={folder}/filler bs=4k 2>/dev/null"

    def with_full_disk(*args, **options):
        head, tail = start_script(*args, **options).split(f"&& {JOB_MARK}=")
        return f"{head} && {fill} && {JOB_MARK}={tail}"

    monkeypatch.setattr(job_module, "start_script", with_full_disk)
    job = Job(s1, job_folder(s1.host, "full"), Task("sleeper", "sleep 4714"))
    try:
        job.launch(limit_s=60)
        job.kill()
        assert s1.run("pgrep -x sleep", check=False).stdout == ""
        assert job.wait(timeout_s=60).exit_status == job_module.KILLED
    finally:
        s1.run(f"rm -f {folder}/filler; pkill -x sleep", check=False)


@pytest.mark.parametrize("left_bytes", [0, PROBE_BYTES])
def test_job_that_finds_no_disk_space_is_not_started(s1, left_bytes):
    folder = s1.host.work_dir
    s1.run(f"dd if=/dev/zero of={folder}/filler bs=4k 2>/dev/null", check=False)
    s1.run(f"mkdir -p {folder}/jobs/full; truncate -s -{left_bytes} {folder}/filler", check=False)
    job = Job(s1, job_folder(s1.host, "full"), Task("sleeper", "sleep 4715"))
    try:
        with pytest.raises(CommandFailed, match=r"s1: .*No space left(.|\n)*free space there"):
            job.launch(limit_s=30)
        assert s1.run("pgrep -x sleep", check=False).stdout == ""
    finally:
        s1.run(f"rm -f {folder}/filler; pkill -x sleep", check=False)
