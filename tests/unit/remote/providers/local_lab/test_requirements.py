"""One clear error before anything is touched."""

import os

import pytest

from remote import programs
from remote.errors import LabError
from remote.hosts.ssh import sockets
from remote.providers.local_lab import requirements
from remote.providers.local_lab.links import congestion
from remote.providers.local_lab.topology import Topology


def test_missing_programs_are_named_with_their_packages(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    present = {"ip", "ssh", "ssh-keygen", "taskset", "unshare", "setsid", "mount", "hostname"}
    monkeypatch.setattr(
        requirements.shutil, "which", lambda name, path: f"/bin/{name}" if name in present else None
    )
    with pytest.raises(LabError, match=r"tc, sshd\. .*install -y iproute2 openssh-server$"):
        requirements.check_all()


def test_root_is_needed_where_users_may_make_no_namespaces(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(requirements, "account", lambda: "me")
    monkeypatch.setattr(requirements, "refusal", lambda: "unshare failed: EPERM")
    with pytest.raises(LabError, match=r"needs root.*does not: unshare failed: EPERM\. .*sudo"):
        requirements.check_all()
    monkeypatch.setattr(requirements, "refusal", str)
    requirements.check_all()


def test_only_root_limits_cpu_time(monkeypatch):
    queue, azure = Topology.named("queue"), Topology.named("azure")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(LabError, match=r"`queue` limits the CPU time of d1, d2, which only root"):
        requirements.check_quotas(queue)
    requirements.check_quotas(azure)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    requirements.check_quotas(queue)


def test_run_names_the_command_and_what_it_said():
    with pytest.raises(LabError, match=r"`sh -c 'echo nothing >&2; exit 3'` failed: nothing\. "):
        programs.run(["sh", "-c", "echo nothing >&2; exit 3"])


def test_run_says_that_a_program_is_not_installed():
    with pytest.raises(LabError, match="`no-such-program` is not installed"):
        programs.run(["no-such-program", "-x"])


def test_route_leaves_by_knows_the_loopback_and_refuses_what_does_not_exist():
    assert sockets.route_leaves_by("127.0.0.1", "lo")
    assert not sockets.route_leaves_by("127.0.0.1", "mwlab-none")
    assert not sockets.route_leaves_by("not an address", "lo")


def test_allow_and_restore_leave_the_setting_as_it_was(monkeypatch, tmp_path):
    setting, remembered = tmp_path / "allowed", tmp_path / "remembered"
    setting.write_text("reno bbr\n")
    monkeypatch.setattr(congestion, "_ALLOWED", setting)
    congestion.allow(remembered)
    assert setting.read_text().split() == ["reno", "bbr", "cubic"]
    congestion.restore(remembered)
    assert setting.read_text() == "reno bbr\n"


def test_allow_changes_nothing_where_cubic_is_allowed(monkeypatch, tmp_path):
    setting, remembered = tmp_path / "allowed", tmp_path / "remembered"
    setting.write_text("reno cubic\n")
    monkeypatch.setattr(congestion, "_ALLOWED", setting)
    congestion.allow(remembered)
    assert not remembered.exists()
    congestion.restore(remembered)
    assert setting.read_text() == "reno cubic\n"
