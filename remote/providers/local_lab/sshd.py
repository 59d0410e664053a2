"""One sshd a host: its keys and configuration, and how it is started."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Sequence
from pathlib import Path

from remote.hosts.ssh.options import SSH_PORT
from remote.processors import pinned_command
from remote.programs import SEARCH_PATH, find, side_by_side
from remote.providers.common import COMMON_SSHD_CONFIG, account, make_key, start_detached
from remote.providers.local_lab.cgroups import Groups, enter_command
from remote.providers.local_lab.files import CPU_ACCOUNT, HOST_DIR, LabFiles
from remote.providers.local_lab.links.wiring import namespace_of
from remote.providers.local_lab.project_paths import controllers_paths
from remote.providers.local_lab.rootless.holder import inside, is_rootless
from remote.providers.local_lab.topology import LabHost, Topology

SSHD, ROOT, NOBODY = "sshd", "root", "nobody"
_HOST_SCRIPT = Path(__file__).with_name("host.sh")


def user_of_hosts() -> str:
    """Return the name of the user who is on all hosts: root, or whoever the lab belongs to."""
    return account() if is_rootless() else ROOT


@functools.cache
def user_of_programs() -> str | None:
    """Return the account that root becomes on hosts to run middlewares and generators.

    None for an ordinary user, or a root that can become no one else, as in a user namespace of one.
    """
    if is_rootless():
        return None
    becoming = ["setpriv", f"--reuid={NOBODY}", "--clear-groups", "true"]
    return None if subprocess.run(becoming, capture_output=True).returncode else NOBODY


def sshd_config(host: LabHost, user: str = ROOT) -> str:
    """Write the sshd_config(5) of a host; paths are those inside the host.

    HISTFILE keeps a `lab shell` out of the user's own history. To an ordinary user, folders of the
    machine's root are nobody's, which sshd would not trust.
    """
    strict = "yes" if user == ROOT else "no"
    return f"""\
ListenAddress {host.address}:{SSH_PORT}
HostKey {HOST_DIR}/host_key
AuthorizedKeysFile {HOST_DIR}/authorized_keys
PidFile none
PermitRootLogin prohibit-password
AllowUsers {user}
StrictModes {strict}
{COMMON_SSHD_CONFIG}
SetEnv PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HISTFILE=/dev/null
"""


def known_hosts_text(host_keys: dict[str, str]) -> str:
    """Write known_hosts from the public host key of each address."""
    return "".join(f"{address} {' '.join(key.split()[:2])}\n" for address, key in host_keys.items())


def etc_hosts(topology: Topology) -> str:
    """Write /etc/hosts, in which all hosts of the lab have their names."""
    lines = ["127.0.0.1 localhost"] + [f"{host.address} {host.name}" for host in topology.hosts]
    return "\n".join(lines) + "\n"


def write_files(topology: Topology, files: LabFiles) -> None:
    """Make all keys and write what each host needs to start."""
    make_key(files.identity)
    client_key = files.identity.with_suffix(".pub").read_text()
    names, user = etc_hosts(topology), user_of_hosts()

    def write(host: LabHost) -> None:
        folder = files.host(host.name)
        folder.mkdir(parents=True)
        make_key(folder / "host_key", comment=host.name)
        (folder / "authorized_keys").write_text(client_key)
        (folder / "sshd_config").write_text(sshd_config(host, user))
        (folder / "etc_hosts").write_text(names)

    side_by_side(write, topology.hosts)
    host_keys = {
        host.address: (files.host(host.name) / "host_key.pub").read_text()
        for host in topology.hosts
    }
    files.known_hosts.write_text(known_hosts_text(host_keys))


def start(
    host: LabHost,
    files: LabFiles,
    tmpfs_mib: int,
    groups: Groups,
    entered: Sequence[Path],
    processors: Sequence[int],
) -> None:
    """Start a host in its network namespace and return at once; it writes its log to `log`.

    Parameters
    ----------
    entered : `cgroup.procs` files of the control groups that its processes belong to.
    """
    folder = files.host(host.name)
    # First into the network namespace, by which `lab down` finds it from then on; then forked off
    # into a session of its own, so that Ctrl-C and the end of the caller leave it alone.
    detached = ["ip", "netns", "exec", namespace_of(host), "setsid", "--fork"]
    isolated = ["unshare", "--pid", "--mount", "--uts", "--ipc", "--fork", "--kill-child"]
    script = ["sh", str(_HOST_SCRIPT), host.name, str(folder), str(tmpfs_mib), find(SSHD)]
    script += [user_of_hosts()]
    script += groups.mount_words(host.name) or ["", "", ""]
    script += map(str, controllers_paths())
    started = [*detached, *isolated, *script]
    command = inside(enter_command(entered, pinned_command(processors, started)), stays=True)
    start_detached(command, folder / "log", {"PATH": SEARCH_PATH})


def counts_cpu(folder: Path) -> bool:
    """Whether the host that was started from `folder` can read its CPU time."""
    if is_rootless():
        return False
    try:
        pid = (folder / "init").read_text().split(maxsplit=1)[0]
    except FileNotFoundError:
        return False
    return Path(f"/proc/{pid}/root{CPU_ACCOUNT}").exists()
