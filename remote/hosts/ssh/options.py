"""How ssh would reach a host: the options of an inventory over those of the user's ssh_config."""

from __future__ import annotations

import getpass
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import paramiko

USER_CONFIG = Path("~/.ssh/config")
USER_KNOWN_HOSTS = "~/.ssh/known_hosts"
SSH_PORT = 22
_NO_JUMP = "none"
# ssh's one-letter options that take a value.
_WITH_VALUE = "BbcDEeFIiJLlmOopQRSWw"
_LETTERS = {"J": "proxyjump", "i": "identityfile", "p": "port", "l": "user"}


@dataclass(frozen=True, kw_only=True)
class SshOptions:
    """What is known of the way to a host; None where nothing says it.

    Parameters
    ----------
    address : name or address to connect to, after the aliases of ssh_config.
    jumps : ``[user@]host[:port]`` of each jump host, the first to connect to first.
    config_file : ssh_config that was asked for instead of the user's.
    """

    address: str
    port: int | None = None
    user: str | None = None
    identity_file: str | None = None
    known_hosts: str | None = None
    jumps: tuple[str, ...] = ()
    config_file: str | None = None


@dataclass(frozen=True, kw_only=True)
class JumpSpec:
    """A jump host as one writes it for ``ssh -J``."""

    host: str
    user: str | None = None
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> JumpSpec:
        """Read ``[user@]host[:port]``, also as ``ssh://...`` and with an IPv6 address in brackets.

        Raises
        ------
        ValueError
            It is not of that form.
        """
        rest = text.removeprefix("ssh://").rstrip("/")
        user, _, rest = rest.rpartition("@")
        host, port = rest, ""
        if rest.startswith("["):
            host, _, port = rest[1:].partition("]")
            port = port.removeprefix(":")
        elif rest.count(":") == 1:
            host, _, port = rest.partition(":")
        if not host or (port and not port.isdigit()):
            raise ValueError(f"`{text}` is no jump host: write [user@]host[:port]")
        return cls(host=host, user=user or None, port=int(port) if port else None)


@dataclass
class _Arguments:
    options: dict[str, str] = field(default_factory=dict)
    config_file: str | None = None


def resolve(address: str, arguments: Sequence[str] = ()) -> SshOptions:
    """Tell how ``ssh ARGUMENTS... ADDRESS`` would connect, without connecting.

    Parameters
    ----------
    arguments : the texts of Ansible's ``ansible_ssh_common_args`` and its like.

    Raises
    ------
    ValueError
        The arguments or the configuration file are wrong or ask for what is not supported.
    """
    parsed = _parse_arguments(arguments)
    configured = _configured(address, parsed.config_file)
    merged = {**configured, **parsed.options}
    port = merged.get("port")
    if port is not None and not port.isdigit():
        raise ValueError(f"the port `{port}` is no number")
    return SshOptions(
        address=configured.get("hostname", address),
        port=int(port) if port else None,
        user=merged.get("user"),
        identity_file=merged.get("identityfile"),
        known_hosts=merged.get("userknownhostsfile", "").split(" ")[0] or None,
        jumps=next((j for j in map(_jumps, (parsed.options, configured)) if j is not None), ()),
        config_file=parsed.config_file,
    )


def local_user() -> str:
    """Return the name that ssh takes when nothing names a user."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without an entry in /etc/passwd
        return "root"


def _parse_arguments(texts: Sequence[str]) -> _Arguments:
    parsed = _Arguments()
    for text in texts:
        words = iter(shlex.split(text))
        for word in words:
            if not word.startswith("-") or len(word) < 2:
                raise ValueError(f"`{word}` is no option of ssh")
            letter = word[1]
            if letter not in _WITH_VALUE:
                continue
            value = word[2:] or next(words, "")
            if letter == "o":
                name, _, value = value.replace("=", " ", 1).partition(" ")
                parsed.options.setdefault(name.lower(), value.strip())
            elif letter == "F":
                parsed.config_file = value
            elif letter in _LETTERS:
                parsed.options.setdefault(_LETTERS[letter], value)
    return parsed


def _configured(address: str, config_file: str | None) -> dict[str, str]:
    """Return what ssh_config says of `address`, lists as their first entry."""
    path = Path(config_file or USER_CONFIG).expanduser()
    if config_file == _NO_JUMP or not path.is_file():
        if config_file not in (None, _NO_JUMP, "/dev/null"):
            raise ValueError(f"the file {path} of `-F` does not exist")
        return {}
    try:
        found = paramiko.SSHConfig.from_path(str(path)).lookup(address)
    except (paramiko.SSHException, ImportError, OSError) as exc:
        raise ValueError(f"{path} cannot be used: {exc}") from exc
    flat = {key: value[0] if isinstance(value, list) else value for key, value in found.items()}
    return {key: value for key, value in flat.items() if isinstance(value, str)}


def _jumps(options: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the jump hosts that `options` ask for, None if they say nothing of it."""
    if "proxyjump" in options:
        text = options["proxyjump"]
        return () if text.lower() == _NO_JUMP else tuple(part.strip() for part in text.split(","))
    command = options.get("proxycommand", "").strip()
    if not command:
        return None
    if command.lower() == _NO_JUMP:
        return ()
    words = shlex.split(command)
    if Path(words[0]).name != "ssh" or "-W" not in words:
        raise ValueError(f"ProxyCommand `{command}` is not supported: write ProxyJump=HOST instead")
    return (_jump_of_command(words[1:]),)


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
