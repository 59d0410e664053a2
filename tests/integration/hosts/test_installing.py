"""Ansible installs what hosts lack, on copies of the system that end with the lab."""

import shlex

import pytest
import yaml

from remote.hosts.inventory import Inventory
from remote.hosts.provision.ansible import run_playbook
from remote.hosts.provision.tools import PROBE, all_tools
from tests.integration.hosts.test_provision import recap


@pytest.fixture(scope="module", autouse=True)
def _lab_ends(fleet, labs):
    """No other test finds these hosts as they are left here."""
    yield
    labs.down()


COPY = r"""
set -e
mkdir -p /run/layers && mount -n -t tmpfs -o size=200m mwlab /run/layers
for folder in usr etc var; do
    up=/run/layers/$folder/up work=/run/layers/$folder/work
    mkdir -p $up $work
    mount -n -t overlay -o lowerdir=/$folder,upperdir=$up,workdir=$work mwlab /$folder
done
"""
# A host whose own copy of the system lacks memcached, and whose only source of packages has one.
OVERLAY = (
    COPY
    + r"""
rm -f /usr/sbin/policy-rc.d
dpkg --purge --force-all memcached >/dev/null 2>&1
repository=/run/layers/repository package=/run/layers/package
mkdir -p $repository $package/DEBIAN $package/usr/bin
printf 'Package: memcached\nVersion: 99\nArchitecture: all\nMaintainer: x\nDescription: x\n' \
    > $package/DEBIAN/control
printf '#!/bin/sh\necho memcached 99\n' > $package/usr/bin/memcached
chmod 755 $package/usr/bin/memcached
dpkg-deb --build $package $repository/memcached.deb >/dev/null
{ cat $package/DEBIAN/control; echo "Filename: ./memcached.deb"
  echo "Size: $(stat -c %s $repository/memcached.deb)"
  echo "SHA256: $(sha256sum $repository/memcached.deb | cut -d ' ' -f 1)"; } > $repository/Packages
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*
echo "deb [trusted=yes] file:$repository ./" > /etc/apt/sources.list
"""
)


def test_user_who_is_not_root_is_let_capture(fleet):
    """On a host with a copy of the system of its own, in which nobody else captures."""
    c2 = fleet["c2"]
    c2.run(COPY, timeout_s=60)
    c2.run("useradd student")
    probe = "runuser --user student -- sh -s -- tcpdump"
    states = []
    (tcpdump,) = (tool for tool in all_tools() if tool.program == "tcpdump")
    for mend in (tcpdump.for_users, "true"):
        states.append(c2.run(probe, stdin=PROBE.read_text()).stdout.split("\t")[1])
        c2.run(f"SUDO_USER=student sh -c {shlex.quote(mend)}")
    assert states == ["barred", "present"]


def test_playbook_installs_what_is_missing_once(fleet, capfd, tmp_path):
    s3 = fleet["s3"]
    s3.run(OVERLAY, timeout_s=60)
    document = yaml.safe_load(fleet.inventory.path.read_text())
    servers = document["all"]["children"]["servers"]
    servers["hosts"] = {"s3": servers["hosts"]["s3"]}
    document["all"]["children"] = {"servers": servers}
    path = tmp_path / "inventory.yml"
    path.write_text(yaml.safe_dump(document))
    assert s3.run("memcached -V", check=False).exit_status == 127
    changes = []
    for _ in range(2):
        assert run_playbook(Inventory.read(path)) == 0
        changes.append(recap(capfd.readouterr().out)["s3"]["changed"])
    assert changes[0] > 0
    assert changes[1] == 0
    assert s3.run("memcached -V").stdout == "memcached 99\n"
    assert s3.run("ls /usr/sbin/policy-rc.d", check=False).exit_status != 0
