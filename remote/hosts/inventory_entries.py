"""From the variables of an inventory to a host and the way to it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from remote.errors import ConfigError
from remote.hosts.ansible_variables import HostVariables
from remote.hosts.host import DEFAULT_WORK_DIR, JUMP_ROLE, Host
from remote.hosts.ssh.options import (
    MOST_JUMPS,
    SSH_PORT,
    USER_KNOWN_HOSTS,
    JumpSpec,
    SshOptions,
    expanded,
    local_user,
    options_of_inventory,
    resolve,
)

_SSH_ARGUMENTS = ("ansible_ssh_args", "ansible_ssh_common_args", "ansible_ssh_extra_args")
_CONNECTIONS = ("ssh", "smart", "paramiko", "paramiko_ssh")


def make_hosts(
    variables: Mapping[str, HostVariables], roles: Iterable[tuple[str, str]]
) -> tuple[Host, ...]:
    """Make the hosts that `roles` names, each with its role."""
    _resolve.cache_clear()  # ssh_config may have changed
    return tuple(_make_host(variables, name, role) for name, role in roles)


def _make_host(
    variables: Mapping[str, HostVariables], name: str, role: str, above: tuple[str, ...] = ()
) -> Host:
    """Make the host `name`, whose way leads on to the hosts `above`."""
    own = variables[name]
    _refuse_other_connections(own)
    if len(above) > MOST_JUMPS:
        way = " > ".join((*above, name))
        raise ConfigError(own.path, f"{above[0]} has more than {MOST_JUMPS} jump hosts: {way}")
    try:
        return _with_way(variables, own, role, (*above, name))
    except (OSError, ValueError) as exc:
        raise ConfigError(own.path, f"{name}: {exc}") from exc


def _with_way(
    variables: Mapping[str, HostVariables], own: HostVariables, role: str, above: tuple[str, ...]
) -> Host:
    """Make a host and its jump hosts; OSError and ValueError tell what is wrong."""
    name = own.name
    address = own.text("ansible_host", "ansible_ssh_host") or name
    user = own.text("ansible_user", "ansible_ssh_user")
    words = ["-l", user] if user else []  # Ansible tells ssh the user, too
    for key in _SSH_ARGUMENTS:
        words += _ssh_words(own, key)
    options = _resolve(address, tuple(words))
    identity = own.text("ansible_private_key_file", "ansible_ssh_private_key_file")
    host = Host(
        name=name,
        role=role,
        address=options.address,
        port=own.port() or options.port or SSH_PORT,
        user=user or options.user or local_user(),
        identity_file=expanded(identity) if identity else _first_file(options),
        keys=options.keys,
        known_hosts=_known_hosts(own.known_hosts(), options),
        work_dir=_work_dir(own),
        route_device=own.text("mwlab_route_device"),
        data_address=own.text("mwlab_data_address") or options.address,
        rate_mbit_per_s=own.number("mwlab_rate_mbit_per_s"),
        own_rtt_ms=own.number("mwlab_own_rtt_ms"),
        cpu_quota=own.number("mwlab_cpu_quota"),
        processor=own.text("mwlab_processor"),
        cpu_account=own.text("mwlab_cpu_account"),
        program_user=own.text("mwlab_program_user"),
        for_ansible=own.passed_on(),
        connect_command=options.connect_command,
    )
    if host.program_user and host.user != "root":
        raise ConfigError(
            own.path, f"{name}.mwlab_program_user needs ansible_user: root, and not {host.user}"
        )
    jump_host = own.text("mwlab_jump_host")
    if jump_host is not None and jump_host in variables:
        return replace(host, jump=_make_host(variables, jump_host, JUMP_ROLE, above))
    jump: Host | None = None
    if jump_host is not None:
        jump = _jump(own, jump_host, options, like=host, via=None)
    else:
        for spec in options.jumps:
            jump = _jump(own, spec, options, like=None, via=jump)
    return replace(host, jump=jump)


def _jump(
    own: HostVariables, text: str, options: SshOptions, *, like: Host | None, via: Host | None
) -> Host:
    """Make a jump host of ``[user@]host[:port]``.

    Parameters
    ----------
    like : host whose user, key and known_hosts the jump host has unless something else is given;
        None as for ``ssh -J``: those of ssh_config.
    via : the jump host before it.
    """
    spec = JumpSpec.parse(text)
    known = _resolve(spec.host, ("-F", options.config_file) if options.config_file else ())
    own_known_hosts = str(like.known_hosts) if like else None
    return Host(
        name=f"jump host {spec.host}",
        role=JUMP_ROLE,
        address=known.address,
        port=spec.port or known.port or SSH_PORT,
        user=spec.user or known.user or (like.user if like else local_user()),
        identity_file=_first_file(known) or (like.identity_file if like else None),
        keys=like.keys if like and known.keys.files is None else known.keys,
        known_hosts=_known_hosts(own_known_hosts or own.known_hosts(), known),
        data_address=known.address,
        jump=via,
        connect_command=known.connect_command,
    )


def _refuse_other_connections(own: HostVariables) -> None:
    kind = own.text("ansible_connection")
    if kind is not None and kind.rpartition(".")[2] not in _CONNECTIONS:
        raise ConfigError(
            own.path,
            f"{own.name}.ansible_connection is {kind}: the hosts of an experiment are reached by "
            "ssh, also this machine",
        )


def _work_dir(own: HostVariables) -> str:
    """Return the working directory; ssh begins in the user's home, so `~/` says nothing more."""
    given = own.text("mwlab_work_dir") or DEFAULT_WORK_DIR
    folder = given.removeprefix("~/").rstrip("/")
    if not folder or folder.startswith("~"):
        raise ConfigError(
            own.path,
            f"{own.name}.mwlab_work_dir must be a folder, absolute or in the user's home, "
            f"got {given}",
        )
    return folder


def _ssh_words(own: HostVariables, key: str) -> list[str]:
    """Return the options of ssh in a variable; those of our own inventory may run programs here."""
    text = own.text(key) or ""
    try:
        return shlex.split(text) if own.trusted else options_of_inventory(text)
    except ValueError as exc:
        raise ConfigError(own.path, f"{own.name}.{key}: {exc}") from exc


@cache
def _resolve(address: str, words: tuple[str, ...]) -> SshOptions:
    return resolve(address, words)


def _known_hosts(wanted: str | None, options: SshOptions) -> Path:
    """Return the file with the pinned keys; /dev/null, which turns the check off, is not obeyed."""
    text = wanted or options.known_hosts or ""
    return expanded(text if text not in ("", "none", "/dev/null") else USER_KNOWN_HOSTS)


def _first_file(options: SshOptions) -> Path | None:
    """Return the first key of ssh_config, of several the first whose file exists."""
    files = options.keys.files or ()
    return next((file for file in files if file.is_file()), files[0] if files else None)
