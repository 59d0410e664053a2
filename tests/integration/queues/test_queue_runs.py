"""Runs over message queues, for real: PostgreSQL on the lab's databases, every message counted."""

import os
import shlex
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.tables.tidying import tidy_campaign
from records.settings import DEFAULTS
from remote.campaign.attempts import measure_once
from remote.errors import RemoteError
from remote.experiment.checks.queues import database_counts
from remote.experiment.manifest import read_manifest
from remote.experiment.run import Run
from remote.experiment.section_file import read_section
from remote.experiment.sessions.load import LoadSession
from remote.hosts.provision import provision
from remote.services.postgresql import PORT, Cluster, Databases
from tests.helpers.running import jobs_running, wait_for_generators
from tests.helpers.runs import measure_accepted, new_manifest

SECTION = """
title = "Some messages"
[hosts]
clients = 2
middlewares = 2
databases = 2
[generator]
queue_mix = "send:40,pop:40,peek:10,list:10"
queues = 8
receivers = 2
queued_messages = 200
value_bytes = 200
clients_per_thread = 4
[middleware]
workers = 4
[database]
open_transaction_s = 1
[factors]
workload = ["queue"]
backend = ["postgresql", "echo"]
[profiles.smoke]
repetitions = 1
warm_up_s = 1
stable_s = 3
cool_down_s = 1
"""


@pytest.fixture
def fleet(queue_fleet):
    """The hosts of these tests."""
    return queue_fleet


def runs(folder: Path, text: str = SECTION) -> list[Run]:
    (folder / "9.9.toml").write_text(text)
    section = read_section("9.9", "smoke", folder=folder)
    return [
        Run(section=section, config=config, repetition=1, campaign_dir=folder)
        for config in section.configs()
    ]


def leftovers(fleet):
    """Processes and folders of PostgreSQL on the databases' hosts, and its shared memory."""
    script = (
        "pgrep -a postgres; ls -d /var/tmp/middleware-lab-* /dev/shm/middleware-lab-* 2>/dev/null; "
        "find . -name data -path '*jobs*'; ipcs -m | grep -v '^-\\|^key' | grep ."
    )
    found = fleet.for_each(
        fleet.inventory.role("databases"),
        lambda c: c.run(f"cd {shlex.quote(c.host.work_dir)}; {script}", check=False).stdout,
    )
    return "".join(found.values())


@pytest.mark.selected
def test_every_message_of_a_run_is_accounted_for(fleet, tmp_path):
    of_a_host_that_died = Path("/var/tmp") / f"middleware-lab-d1-{os.getuid()}"
    of_a_host_that_died.mkdir(exist_ok=True)
    postgresql, echo = runs(tmp_path)
    measure_accepted(fleet, postgresql, echo)
    assert leftovers(fleet) == ""
    assert jobs_running() == []

    manifest = read_manifest(postgresql.folder)
    assert manifest.roles.databases == ["d1", "d2"]
    opened = {one.host: one for one in manifest.pauses}
    assert set(opened) == {"d1", "d2"}
    for one in opened.values():
        assert one.kind == "open transaction"
        assert manifest.stable.start_epoch_s < one.began_epoch_s < one.ended_epoch_s
    assert manifest.hosts["d1"]["postgres"].startswith("postgres (PostgreSQL) 1")
    checks = {check.name for check in manifest.checks}
    assert {"d1_messages_kept", "d2_messages_kept", "databases_taken_counts"} <= checks
    counted = [database_counts(postgresql.folder / name) for name in ("d1", "d2")]
    assert all(one["sent"] > 0 for one in counted)
    assert all(one["taken"] > 0 for one in counted), "each database has some of the queues"
    assert "databases" not in read_manifest(echo.folder).roles.by_name

    tables = tidy_campaign(tmp_path, ["9.9"])
    rows = tables.runs.set_index("backend")
    assert rows["client_throughput_ops_per_s"].min() > 0
    assert (rows["middleware_errors"] == 0).all()
    assert {"send", "pop", "peek", "list"} <= set(tables.request_types["request_type"])


def cluster(**changes):
    return Cluster.of(replace(DEFAULTS, backend="postgresql", **changes), 1.0)


def test_databases_are_on_disk_where_that_is_asked_for(fleet):
    databases = Databases(fleet, fleet.inventory.take("databases", 1), "durable")
    try:
        databases.start(cluster(durable=True, shared_buffers_mib=16), limit_s=60)
        databases.empty(databases.hosts, synchronous_commit=False)
        told = databases.asked(
            databases.hosts, "SHOW data_directory", "SHOW synchronous_commit", "SHOW fsync"
        )
        assert told["d1"].decode().split() == ["/var/tmp/middleware-lab-d1-0", "off", "on"]
        assert b"ready to accept connections" in databases.log(databases.hosts)["d1"]
        assert databases.log(databases.hosts) == {}
        with pytest.raises(RemoteError, match=rf"d1: port {PORT} is in use by `postgres`"):
            Databases(fleet, databases.hosts, "another").start(cluster(), limit_s=60)
    finally:
        databases.kill()
    assert leftovers(fleet) == ""
    assert jobs_running() == []


def test_a_database_that_cannot_start_says_why(fleet):
    databases = Databases(fleet, fleet.inventory.take("databases", 1), "broken")
    try:
        with pytest.raises(
            RemoteError, match=r"d1: .*ended with status(.|\n)*shared memory|memory"
        ):
            databases.start(cluster(shared_buffers_mib=8_000_000), limit_s=60)
    finally:
        databases.kill()
    assert leftovers(fleet) == ""
    assert jobs_running() == []


def kill_database(fleet):
    wait_for_generators()
    fleet["d1"].run("kill -QUIT $(pgrep -o postgres)")


def test_run_whose_database_dies_is_not_accepted_and_its_log_is_kept(fleet, tmp_path):
    run = runs(tmp_path)[0]
    tools = provision(fleet, fleet.inventory.hosts)
    with LoadSession(fleet, run.section, tools) as session:
        killer = threading.Thread(target=kill_database, args=[fleet])
        killer.start()
        try:
            with pytest.raises(RemoteError, match=r"d1: .*ended with status"):
                measure_once(session, run, new_manifest(fleet))
        finally:
            killer.join()
    (attempt,) = run.attempts()
    assert attempt["status"] == "failed"
    assert "d1/postgresql.log.gz" in attempt["files"]
    assert leftovers(fleet) == ""
    assert jobs_running() == []
