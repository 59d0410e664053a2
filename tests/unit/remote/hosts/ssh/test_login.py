"""Logins at a real sshd with keys of files, of a real ssh-agent, and certificates of a real CA."""

import contextlib
import getpass
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from remote.errors import ConfigError, HostGone, HostKeyRejected, HostUnreachable
from remote.hosts.connection import Connection
from remote.hosts.inventory import Inventory
from remote.hosts.ssh.identities import read_files
from remote.providers.common import COMMON_SSHD_CONFIG
from tests.helpers.ports import free_port

SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
NAMES = [f"key{number}" for number in range(8)]
CUT_OFF = r"s1: .*too many keys: .* after 6 of 8 keys.*MaxAuthTries.*IdentitiesOnly.*IdentityFile"


def keygen(*words):
    subprocess.run(["ssh-keygen", "-q", *map(str, words)], check=True, capture_output=True)


def make_key(path, *, passphrase="", kind="ed25519"):
    keygen(
        "-t",
        kind,
        *(["-b", 2048] if kind == "rsa" else []),
        "-N",
        passphrase,
        "-C",
        path.name,
        "-f",
        path,
    )


def certify(ca, key, *words, principal=None):
    keygen("-s", ca, "-I", "test", "-n", principal or getpass.getuser(), *words, f"{key}.pub")
    return Path(f"{key}-cert.pub")


@contextlib.contextmanager
def running(*words, says):
    """A program that runs until the end, once it has written `says`."""
    with subprocess.Popen(
        list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert any(says in line for line in process.stdout), words
            yield process
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Port of an sshd that lets in the last of eight keys, `rsa`, and what the CA has signed."""
    if SSHD is None:
        pytest.skip("no sshd is installed")
    folder = tmp_path_factory.mktemp("sshd")
    for name in ("host", "ca", *NAMES):
        make_key(folder / name)
    make_key(folder / "rsa", kind="rsa")
    make_key(folder / "locked", passphrase="secret")
    allowed = [(folder / f"{name}.pub").read_text() for name in (NAMES[-1], "rsa", "locked")]
    (folder / "authorized_keys").write_text("".join(allowed))
    port = free_port()
    (folder / "sshd_config").write_text(
        f"{COMMON_SSHD_CONFIG}\n"
        f"ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host\nPidFile none\n"
        f"StrictModes no\nAuthorizedKeysFile {folder}/authorized_keys\n"
        f"TrustedUserCAKeys {folder}/ca.pub\nMaxAuthTries 6\n"
    )
    pin = (folder / "host.pub").read_text()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {pin}")
    (folder / "port").write_text(str(port))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # root's sshd insists on it
    with running(SSHD, "-D", "-e", "-f", folder / "sshd_config", says="Server listening"):
        yield folder


@pytest.fixture
def agent(tmp_path, monkeypatch):
    """A function that puts keys into an agent, which is the user's."""
    path = tmp_path / "agent"
    with running("ssh-agent", "-D", "-a", path, says="SSH_AUTH_SOCK"):
        monkeypatch.setenv("SSH_AUTH_SOCK", str(path))

        def add(*keys):
            for key in keys:
                subprocess.run(["ssh-add", "-q", key], check=True, capture_output=True)
            return path

        yield add


@pytest.fixture
def keys(server, tmp_path):
    """A folder with copies of all keys, in which a test may add and remove files."""
    folder = tmp_path / "keys"
    shutil.copytree(server, folder)
    return folder


@pytest.fixture
def login(server, tmp_path, monkeypatch):
    """A function that logs in by lines of ssh_config and variables of an inventory."""
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    ssh = home / "ssh"  # which would look for ssh_config by the user's name alone
    ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {home}/.ssh/config "$@"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{home}:{os.environ['PATH']}")

    def attempt(*lines, **variables):
        (home / ".ssh" / "config").write_text(
            f"Host s1\n HostName 127.0.0.1\n Port {(server / 'port').read_text()}\n"
            f" UserKnownHostsFile {server}/known_hosts\n" + "".join(f" {x}\n" for x in lines)
        )
        path = tmp_path / "inventory.yml"
        own = ", ".join(f"{name}: '{value}'" for name, value in variables.items())
        path.write_text(f"servers: {{hosts: {{s1: {{{own}}}}}}}\n")
        (host,) = Inventory.read(path).hosts
        with Connection(host) as connection:
            return connection.open().is_authenticated()

    return attempt


def test_too_many_keys_of_an_agent_are_named_as_the_cause(login, agent, keys):
    agent(*(keys / name for name in NAMES))
    with pytest.raises(HostUnreachable, match=CUT_OFF):
        login()


def test_known_hosts_of_more_than_16_mib_is_not_read(login, tmp_path):
    file = tmp_path / "known_hosts"
    file.touch()
    os.truncate(file, (16 << 20) + 1)
    with pytest.raises(HostKeyRejected, match=r"known_hosts cannot be read: .*16777216 bytes"):
        login(mwlab_known_hosts=file)


@pytest.mark.parametrize("lines", [(), ("IdentitiesOnly yes",)])
@pytest.mark.parametrize("file", ["key7.pub", "key7"])
def test_key_of_an_agent_that_a_file_names_is_offered_first(login, agent, keys, lines, file):
    agent(*(keys / name for name in NAMES))
    (keys / "key7").unlink()  # only the agent has the private key
    assert login(f"IdentityFile {keys}/{file}", *lines)
    assert login(*lines, ansible_ssh_private_key_file=keys / file)


def test_identities_only_leaves_out_other_keys_of_the_agent(login, agent, keys):
    agent(*(keys / name for name in NAMES))
    with pytest.raises(HostGone, match=r"was refused \(its key\)"):
        login("IdentitiesOnly yes", f"IdentityFile {keys}/key0.pub")
    files = [f"IdentityFile {keys}/{name}" for name in NAMES]
    with pytest.raises(HostUnreachable, match=CUT_OFF):
        login("IdentitiesOnly yes", *files)
    assert login("IdentitiesOnly yes", *files[3:])


def test_certificate_is_used_with_the_key_of_a_file_or_an_agent(login, agent, keys):
    key = keys / "key0"
    certificate = certify(keys / "ca", key).rename(keys / "signed.pub")
    with pytest.raises(HostGone, match="was refused"):
        login(f"IdentityFile {key}")
    assert login(f"IdentityFile {key}", f"CertificateFile {certificate}")
    arguments = f"-o CertificateFile={certificate}"
    assert login(ansible_ssh_private_key_file=key, ansible_ssh_common_args=arguments)
    agent(*(keys / name for name in NAMES))
    assert login(f"CertificateFile {certificate}")
    key.unlink()
    assert login("IdentitiesOnly yes", f"IdentityFile {key}.pub", f"CertificateFile {certificate}")


def test_certificate_beside_a_key_is_used_unless_another_is_named(login, agent, keys):
    key = keys / "key0"
    certify(keys / "ca", key)
    assert login(f"IdentityFile {key}")
    with pytest.raises(HostGone, match=r"refused \(its key; the certificate file .*/no does not"):
        login(f"IdentityFile {key}", f"CertificateFile {keys}/no")
    agent(key)  # which holds the certificate, too
    key.unlink()
    assert login(f"IdentityFile {key}-cert.pub", "IdentitiesOnly yes")


def test_rsa_keys_and_certificates_are_signed_as_sshd_wants(login, agent, keys):
    assert login(f"IdentityFile {keys}/rsa")
    make_key(keys / "other", kind="rsa")
    certify(keys / "ca", keys / "other")
    assert login(f"IdentityFile {keys}/other")
    agent(keys / "other")
    (keys / "other").unlink()
    assert login(f"IdentityFile {keys}/other.pub", f"CertificateFile {keys}/other-cert.pub")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-V", "20200101:20200102"], "the certificate .* has expired"),
        (["-h"], "is one of a host, not of a user"),
    ],
)
def test_certificate_that_cannot_be_valid_is_named(login, keys, words, message):
    certify(keys / "ca", keys / "key0", *words)
    with pytest.raises(HostGone, match=message):
        login(f"IdentityFile {keys}/key0")


def test_several_files_are_offered_in_turn_and_missing_ones_passed_over(login, keys):
    files = [f"IdentityFile {keys}/{name}" for name in ("none", "key0", "key7")]
    assert login("IdentityFile none", *files)
    with pytest.raises(HostGone, match=r"its key; the key file .*/none does not exist"):
        login(*files[:2])
    with pytest.raises(HostUnreachable, match=r"the key file .*/none does not exist"):
        login(ansible_ssh_private_key_file=keys / "none")


def test_default_files_are_used_unless_there_shall_be_none(login, keys):
    shutil.copy(keys / "key7", Path("~/.ssh/id_ed25519").expanduser())
    assert login()
    with pytest.raises(HostUnreachable, match="there is no key to log in with"):
        login("IdentityFile none")


def test_tokens_of_file_names_are_filled_in(login, keys, monkeypatch):
    home, user = Path("~").expanduser(), getpass.getuser()
    shutil.copy(keys / "key7", home / f"127.0.0.1-{user}-s1")
    assert login("IdentityFile %d/%h-%u-%n")
    monkeypatch.setenv("KEYS", str(keys))
    assert login("IdentityFile ${KEYS}/key7", "CertificateFile ~/no")
    with pytest.raises(ConfigError, match="%C cannot be filled in: write the name of a file"):
        login("IdentityFile ~/%C")


def test_locked_key_is_used_of_the_agent_or_named(login, agent, keys):
    key = keys / "locked"
    with pytest.raises(HostUnreachable, match=r"locked has a passphrase.*`ssh-add .*/locked`"):
        login(f"IdentityFile {key}")
    shutil.copy(key, keys / "plain")
    keygen("-p", "-P", "secret", "-N", "", "-f", keys / "plain")
    agent(*(keys / name for name in NAMES[:7]), keys / "plain")
    Path(f"{key}.pub").unlink()  # the locked file itself tells which key it is
    assert login("IdentitiesOnly yes", f"IdentityFile {key}")


def test_agent_may_be_another_one_or_none(login, agent, keys, monkeypatch):
    path = agent(keys / "key7")
    assert login()
    with pytest.raises(HostUnreachable, match="there is no key to log in with"):
        login("IdentityAgent none")
    monkeypatch.delenv("SSH_AUTH_SOCK")
    assert login(f"IdentityAgent {path}")
    monkeypatch.setenv("OTHER", str(path))
    assert login("IdentityAgent $OTHER")
    with pytest.raises(HostUnreachable, match=r"the agent at .*/nowhere does not answer"):
        login(f"IdentityAgent {keys}/nowhere")


def test_public_key_without_its_private_key_is_named(login, keys):
    (keys / "key7").unlink()
    with pytest.raises(HostUnreachable, match=r"no private key of .*/key7\.pub is in a key file"):
        login(f"IdentityFile {keys}/key7.pub")


def test_files_that_are_no_keys_become_problems(tmp_path):
    (tmp_path / "text").write_text("x")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "damaged").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END\n")
    (tmp_path / "secret").write_text("hunter2")
    (tmp_path / "large").write_bytes(b"x" * (1 << 17))
    (tmp_path / "endless").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    names = ("text", "binary", "damaged", ".", "secret", "large", "endless", "pipe", "a" * 300)
    paths = [tmp_path / name for name in names] + [tmp_path / f"{'a' * 300}-cert.pub"]
    files = read_files(paths, [tmp_path / "text", tmp_path / "binary", tmp_path / "pipe"])
    assert set(files.problems) == set(paths)
    assert not files.identities
    assert "hunter2" not in str(files.problems)


def test_a_certificate_beside_a_key_is_a_regular_file(tmp_path):
    key = tmp_path / "key"
    make_key(key)
    os.mkfifo(f"{key}-cert.pub")
    assert "is not a regular file" in read_files([key], []).problems[key]
