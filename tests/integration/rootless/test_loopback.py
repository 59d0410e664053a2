"""The fleet for machines without root or namespaces, as a user who may nothing."""

import json

from remote.providers.fleets import why_not_local


def test_machine_with_namespaces_takes_the_local_lab():
    assert why_not_local() == ""


def test_user_without_rights_gets_the_loopback_fleet_with_a_note(user):
    result = user.lab("fleet", may_have_namespaces=False)
    assert result.stdout == "loopback\n"
    assert "needs root, or a kernel that lets users make namespaces" in result.stderr
    assert "not comparable with the studies" in result.stderr


def test_fleet_comes_up_is_complete_and_leaves_nothing(user):
    assert user.lab("up", "--fleet", "loopback").returncode == 0
    try:
        assert user.lab("up", "--fleet", "loopback").stdout.startswith("The loopback fleet is up a")
        assert user.lab("status", "--fleet", "loopback").stdout.count(" up\n") == 8
        assert "8 hosts are up and have all" in user.lab("hosts", "loopback").stdout
        assert user.processes()
    finally:
        user.lab("down", "--fleet", "loopback")
    assert user.processes() == []
    assert not (user.home / ".cache/middleware-lab/loopback").exists()
    assert user.lab("status", "--fleet", "loopback").returncode == 1


def test_run_is_measured_and_marked(user):
    assert user.lab("up", "--fleet", "loopback").returncode == 0
    try:
        result = user.measure("2.1", "loopback", workload=("set",), clients_per_thread=(1,))
    finally:
        user.lab("down", "--fleet", "loopback")
    manifests = list((user.home / "data" / "t" / "2.1").glob("workload=*/rep-1/manifest.json"))
    assert manifests, result.stdout + result.stderr
    manifest = json.loads(manifests[0].read_text())
    assert manifest["status"] == "accepted"
    assert manifest["fleet"] == "loopback"
    assert manifest["topology"]["name"] == "loopback-unshaped"
    assert user.processes() == []
