"""How ssh would reach a host, by its own word: `ssh -G` with the options of an inventory."""

from __future__ import annotations

import contextlib
import getpass
import itertools
import os
import re
import shlex
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from records.names import IPV6, NAME

USER_KNOWN_HOSTS = "~/.ssh/known_hosts"
SSH_PORT = 22
MOST_JUMPS = 8
# ssh fills host, user and port into commands of ssh_config (`ProxyCommand`, `Match exec`) that a
# shell runs, and an inventory of someone else's names them: no letter of them means anything there.
_IPV6 = f"{IPV6}(?:%{NAME})?"
ADDRESS = f"{NAME}|{_IPV6}"
USER = "[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,99}"
_PORT = "[1-9][0-9]{0,4}"
_JUMP = rf"(?:ssh://)?(?:({USER})@)?({NAME}|\[{_IPV6}\]|{_IPV6})(?::({_PORT}))?/?"
_PATH = r'[^"\\\x00-\x1f]+'
# All that an inventory may say in ssh's words: which way, as whom, with which keys.
_FROM_INVENTORIES = {
    "-F": "none",
    "ProxyJump": f"none|{_JUMP}(?:,{_JUMP}){{0,{MOST_JUMPS - 1}}}",
    "User": USER,
    "Port": _PORT,
    "IdentityFile": _PATH,
    "IdentitiesOnly": "yes|no",
    "IdentityAgent": _PATH,
    "CertificateFile": _PATH,
    "UserKnownHostsFile": _PATH,
}
_LETTERS = {"-F": "-F", "-J": "ProxyJump", "-l": "User", "-p": "Port", "-i": "IdentityFile"}
KNOWN_HOSTS_RULE = "must be a file with known_hosts in its name, not by a link"
# ssh's one-letter options that take a value.
_WITH_VALUE = "BbcDEeFIiJLlmOopQRSWw"


@dataclass(frozen=True, kw_only=True)
class KeyOptions:
    """Which keys ssh_config lets a user log in with; paths have no tokens any more.

    Parameters
    ----------
    files : ``IdentityFile`` in order, private or public keys; None for ssh's default files, empty
        after ``IdentityFile none``.
    certificates : ``CertificateFile`` in order.
    only : ``IdentitiesOnly``: an agent's keys are offered only if `files` name them.
    agent : socket of ``IdentityAgent``; ``none`` for no agent, None for ``SSH_AUTH_SOCK``.
    """

    files: tuple[Path, ...] | None = None
    certificates: tuple[Path, ...] = ()
    only: bool = False
    agent: str | None = None


@dataclass(frozen=True, kw_only=True)
class SshOptions:
    """What is known of the way to a host; None where nothing says it.

    Parameters
    ----------
    address : name or address to connect to, after the aliases of ssh_config.
    jumps : ``[user@]host[:port]`` of each jump host, the first to connect to first.
    config_file : ssh_config that was asked for instead of the user's.
    connect_command : connects and passes the socket on: ProxyCommand with ProxyUseFdpass, without
        its tokens filled in.
    """

    address: str
    port: int | None = None
    user: str | None = None
    keys: KeyOptions = field(default_factory=KeyOptions)
    known_hosts: str | None = None
    jumps: tuple[str, ...] = ()
    config_file: str | None = None
    connect_command: str | None = None


@dataclass(frozen=True, kw_only=True)
class JumpSpec:
    """A jump host as one writes it for ``ssh -J``."""

    host: str
    user: str | None = None
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> JumpSpec:
        """Read ``[user@]host[:port]`` or ``ssh://...``; ValueError if it is neither."""
        found = re.fullmatch(_JUMP, text)
        port = int(found[3]) if found and found[3] else None
        if not found or (port or 0) > 65535:
            raise ValueError(f"`{text}` is no jump host: write [user@]host[:port]")
        return cls(host=found[2].strip("[]"), user=found[1], port=port)


def resolve(address: str, words: Sequence[str] = ()) -> SshOptions:
    """Return how ``ssh WORDS... ADDRESS`` would connect; ValueError if that is not supported."""
    every = _configuration(*words, "--", address)
    default = _configuration("-F", "none", "--", address)
    found = {key: values[0] for key, values in every.items()}
    chosen = {key: values[0] for key, values in every.items() if values != default.get(key)}
    return SshOptions(
        address=found["hostname"],
        port=int(chosen["port"]) if "port" in chosen else None,
        user=chosen.get("user"),
        keys=_key_options(every, "identityfile" in chosen, found),
        known_hosts=chosen.get("userknownhostsfile", "").split(" ")[0] or None,
        jumps=_jumps(found),
        config_file=_config_file(words),
        connect_command=_proxy_command(found) if _passes_socket(found) else None,
    )


def options_of_inventory(text: str) -> list[str]:
    """Return the ssh options in ``ansible_ssh_common_args``; ValueError for refused ones."""
    known = {name.lower(): name for name in _FROM_INVENTORIES}
    options: list[str] = []
    rest = iter(shlex.split(text))
    for word in rest:
        letter, value, name = word[:2], word[2:], _LETTERS.get(word[:2], word)
        if letter in ("-o", *_LETTERS):
            value = value or next(rest, "")
        if letter == "-o":
            name, _, value = re.sub(r"[\s=]+", " ", value.strip(), count=1).partition(" ")
        if name.lower() not in known:
            hint = ": write ProxyJump=HOST" if name.lower() == "proxycommand" else ""
            raise ValueError(
                f"the option `{name}` of ssh is not accepted from an inventory{hint}; accepted are "
                f"{', '.join(_FROM_INVENTORIES)}. Others belong into your own ~/.ssh/config"
            )
        name, value = known[name.lower()], value.strip(' "')
        if not re.fullmatch(_FROM_INVENTORIES[name], value):
            raise ValueError(f"{name} cannot be {value!r}")
        if (
            name == "UserKnownHostsFile"
            and value != "/dev/null"
            and not is_called_known_hosts(value)
        ):
            raise ValueError(f"{name} {KNOWN_HOSTS_RULE}, got {value}")
        as_words = {"-F": ["-F", value], "ProxyJump": ["-J", value]}  # ssh takes no quotes there
        options += as_words.get(name, [f'-o{name}="{value}"'])
    return options


def is_called_known_hosts(text: str) -> bool:
    """Whether a file, also behind symbolic links, is called known_hosts.

    The content of the file is read, and users are told to append to it: it cannot be any file.
    """
    with contextlib.suppress(OSError, RuntimeError):  # a long name, `~` of nobody, links in a ring
        path = Path(text).expanduser().resolve()
        return "known_hosts" in path.name and (path.is_file() or not path.exists())
    return False


def expanded(path: str) -> Path:
    """Return a path with the home folder in place of `~`; ValueError for an unknown user."""
    try:
        return Path(path).expanduser()
    except RuntimeError as exc:
        raise ValueError(f"`{path}`: {exc}") from exc


def local_user() -> str:
    """Return the name that ssh takes when nothing names a user."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without an entry in /etc/passwd
        return "root"


def _configuration(*words: str) -> dict[str, list[str]]:
    """Ask ssh what it would do: the values of each option in the order in which they count."""
    try:
        told = subprocess.run(
            ["ssh", "-T", "-G", *words], capture_output=True, text=True, check=False
        )
    except FileNotFoundError as exc:
        raise ValueError("ssh is not installed: `apt-get install openssh-client`") from exc
    if told.returncode:
        raise ValueError(f"ssh says: {told.stderr.strip()}")
    found: dict[str, list[str]] = {}
    for line in told.stdout.splitlines():
        key, _, value = line.partition(" ")
        found.setdefault(key, []).append(value)
    return found


def _config_file(words: Sequence[str]) -> str | None:
    for word, following in itertools.pairwise([*words, ""]):
        if word.startswith("-F"):
            return word[2:] or following
    return None


def _key_options(
    every: Mapping[str, Sequence[str]], names_files: bool, found: Mapping[str, str]
) -> KeyOptions:
    """Return the options about keys; unless `names_files`, `every` has ssh's default key files."""

    def paths(key: str) -> tuple[Path, ...]:
        given = [value for value in every.get(key, ()) if value != "none"]
        return tuple(expanded(_without_tokens(value, found)) for value in given)

    return KeyOptions(
        files=paths("identityfile") if names_files else None,
        certificates=paths("certificatefile"),
        only=found.get("identitiesonly") == "yes",
        agent=_agent_socket(found.get("identityagent")),
    )


def _agent_socket(value: str | None) -> str | None:
    """Return the socket of an agent; ssh has filled in all but the name of a variable."""
    if value is None or value == "SSH_AUTH_SOCK":
        return None
    if value.startswith("$"):
        return os.environ.get(value[1:], "none")
    return str(expanded(value))


def _without_tokens(path: str, found: Mapping[str, str]) -> str:
    """Fill in the tokens and variables of ssh_config(5) in a key's name, which `ssh -G` leaves."""
    name = socket.gethostname()
    tokens = {
        "%": "%", "d": str(Path.home()), "h": found["hostname"], "i": str(os.getuid()),
        "j": found.get("proxyjump", ""), "k": found.get("hostkeyalias", found.get("host", "")),
        "L": name.partition(".")[0], "l": name, "n": found.get("host", ""), "p": found["port"],
        "r": found["user"], "u": local_user(),
    }  # fmt: skip

    def filled(match: re.Match[str]) -> str:
        if match[1] is None:
            if match[2] not in os.environ:
                raise ValueError(f"`{path}`: the environment variable {match[2]} is not set")
            return os.environ[match[2]]
        if match[1] not in tokens:
            raise ValueError(f"`{path}`: %{match[1]} cannot be filled in: write the name of a file")
        return tokens[match[1]]

    return re.sub(r"%(.?)|\$\{([^}]*)\}", filled, path)


def _jumps(found: Mapping[str, str]) -> tuple[str, ...]:
    if "proxyjump" in found:
        return tuple(part.strip() for part in found["proxyjump"].split(","))
    command = _proxy_command(found)
    if command is None or _passes_socket(found):
        return ()
    words = shlex.split(command)
    if Path(words[0]).name != "ssh" or "-W" not in words:
        raise ValueError(
            f"ProxyCommand `{command}` is not supported, and not run: write ProxyJump=HOST instead"
        )
    return (_jump_of_command(words[1:]),)


def _proxy_command(found: Mapping[str, str]) -> str | None:
    command = found.get("proxycommand", "").strip()
    return None if command in ("", "none") else command


def _passes_socket(found: Mapping[str, str]) -> bool:
    return found.get("proxyusefdpass") == "yes"


def _jump_of_command(words: Sequence[str]) -> str:
    """Return the jump host of ``ssh -W %h:%p [-p PORT] [-l USER] [USER@]HOST``."""
    found, host = {}, ""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            host = host or word
        elif word[1:2] in _WITH_VALUE:
            found[word[1]] = word[2:] or next(rest, "")
    user = f"{found['l']}@" if "l" in found and "@" not in host else ""
    port = f":{found['p']}" if "p" in found else ""
    return f"{user}{host}{port}"
