"""The variables of one host of an inventory: templates filled in, values checked."""

from __future__ import annotations

import difflib
import math
import re
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from records.names import NAME
from records.text.visible import visible
from remote.errors import ConfigError
from remote.hosts.ansible_yaml import Encrypted, Unsafe
from remote.hosts.ssh.options import ADDRESS, KNOWN_HOSTS_RULE, USER, is_called_known_hosts

DELAYS = ("none", "netem", "delay-line")
FLEET_VARIABLES = {
    "mwlab_fleet": "name of the fleet, as manifests and figures show it",
    "mwlab_topology": "name of the network's limits and delays",
    "mwlab_time_dilation": "number, how many times slower than its model the network is",
    "mwlab_rtt_ms": "number, what ping shall show between two hosts",
    "mwlab_wake_up_ms": "number, what of it the machine itself takes and is not delayed",
    "mwlab_delay": f"what delays packets: {', '.join(DELAYS)}",
    "mwlab_own_processors": "roles whose hosts have processors of one machine for themselves",
}
HOST_VARIABLES = {
    "mwlab_data_address": "where measured traffic goes, and services listen, if not where SSH "
    "connects; one that the Internet routes is refused without --allow-public",
    "mwlab_rate_mbit_per_s": "number, limit of the host's outgoing link, for the models",
    "mwlab_own_rtt_ms": "number, what ping shall show between it and hosts without such a number",
    "mwlab_work_dir": "folder on the host for all files, by default `middleware-lab` in the home "
    "of its user; hosts that are one machine need one each",
    "mwlab_known_hosts": "file with the pinned host keys, with known_hosts in its name, by default "
    "~/.ssh/known_hosts",
    "mwlab_jump_host": "the way through another host: its name here, or `[user@]host[:port]`",
    "mwlab_route_device": "network device by which packets must leave",
    "mwlab_cpu_quota": "number, CPUs that the host's processes together may use",
    "mwlab_processor": "of the local lab: what messages to clients and to servers take where each "
    "is alone, in us, and the exponent of how many wait",
    "mwlab_cpu_account": "file, on the host, with the CPU time that it has used",
    "mwlab_program_user": "whom root becomes to run middlewares and load generators, such as "
    "nobody; must be able to reach mwlab_work_dir",
}
OUR_PREFIX = "mwlab_"
PASSED_ON = (
    "ansible_become",
    "ansible_become_exe",
    "ansible_become_flags",
    "ansible_become_method",
    "ansible_become_pass",
    "ansible_become_password",
    "ansible_become_user",
    "ansible_password",
    "ansible_python_interpreter",
    "ansible_remote_tmp",
    "ansible_ssh_pass",
    "ansible_ssh_password",
)
"""What Ansible is told as it stands: it concerns the host alone, and not how it is reached."""

# Others may have written an inventory. Of what it says, commands and paths are made.
_ADDRESS = ("one address or the name of one host", ADDRESS)
_USER = ("the name of a user", USER)
_LABEL = ("a name of letters, digits, blanks, `.`, `_`, `-`", r"\w[\w .-]{0,99}")
_FOLDER = ("a path on the host without `..`", r"(?!-)(?!(.*/)?\.\.(/|$))[^\n\t]+")
_RULES = {
    "ansible_host": _ADDRESS,
    "ansible_ssh_host": _ADDRESS,
    "ansible_user": _USER,
    "ansible_ssh_user": _USER,
    "ansible_become_user": _USER,
    "ansible_become_method": ("the name of a method such as sudo", NAME),
    "mwlab_data_address": _ADDRESS,
    "mwlab_program_user": _USER,
    "mwlab_fleet": _LABEL,
    "mwlab_topology": _LABEL,
    "mwlab_own_processors": _LABEL,
    "mwlab_work_dir": _FOLDER,
    "mwlab_cpu_account": _FOLDER,
    "mwlab_route_device": ("the name of a network device", NAME),
}
_TEMPLATE = re.compile(r"\{[{%#]")
_LONGEST_VALUE = 10_000  # of a value; templates that fill in each other could double without end
_NAME_TEMPLATE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
# Names whose value Ansible sets itself, whatever an inventory says.
_SET_BY_ANSIBLE = (
    *("ansible_async_path", "ansible_collection_name", "ansible_config_file"),
    *("ansible_dependent_role_names", "ansible_diff_mode", "ansible_facts", "ansible_forks"),
    *("ansible_inventory_sources", "ansible_limit", "ansible_play_batch", "ansible_play_hosts"),
    *("ansible_play_hosts_all", "ansible_play_role_names", "ansible_playbook_python"),
    *("ansible_role_name", "ansible_role_names", "ansible_run_tags", "ansible_skip_tags"),
    *("ansible_verbosity", "ansible_version", "group_names", "groups", "hostvars"),
    *("inventory_dir", "inventory_file", "inventory_hostname", "inventory_hostname_short"),
    *("play_hosts", "playbook_dir", "role_name", "role_names", "role_path", "role_uuid"),
)
_SHORT = "inventory_hostname_short"
_NOT_IN_TEMPLATES = ("environment", "omit", "vars")


@dataclass(frozen=True)
class HostVariables:
    """Merged variables of a host in an inventory; `trusted` if this project has written it."""

    path: Path
    name: str
    values: Mapping[str, Any]
    trusted: bool = False

    def refuse_wrong(self) -> None:
        """Refuse variables with our prefix that mean nothing: they are typing mistakes."""
        known = (*HOST_VARIABLES, *FLEET_VARIABLES)
        for key in self.values:
            if key.startswith(OUR_PREFIX) and key not in known:
                near = _like(key, known)
                hint = f"did you mean {near}?" if near else f"known: {', '.join(known)}"
                raise ConfigError(self.path, f"{self.name}.{key} is not known here; {hint}")

    def text(self, *keys: str) -> str | None:
        """Return the last of `keys` that is given, as Ansible chooses among aliases."""
        for key in reversed(keys):
            value = self.values.get(key)
            if value is None:
                continue
            if isinstance(value, Encrypted):
                raise self._wrong(key, "must be readable without ansible-vault", "encrypted text")
            if not isinstance(value, str | int | float) or isinstance(value, bool) or value == "":
                raise self._wrong(key, "must be a text", reprlib.repr(value))
            if _TEMPLATE.search(str(value)):
                raise self._wrong(key, "needs Ansible to be filled in: write the value", str(value))
            rule, pattern = _RULES.get(
                key, ("at most 4000 characters without control characters", "(?s).{0,4000}")
            )
            if not re.fullmatch(pattern, str(value)) or str(value) != visible(str(value)):
                raise self._wrong(key, f"must be {rule}", repr(value))
            return str(value)
        return None

    def known_hosts(self) -> str | None:
        """Return the file with the pinned host keys, if one is given."""
        key = "mwlab_known_hosts"
        text = self.text(key)
        if text is None or self.trusted or is_called_known_hosts(text):
            return text
        raise self._wrong(key, KNOWN_HOSTS_RULE, text)

    def passed_on(self) -> tuple[tuple[str, str | bool], ...]:
        """Return what Ansible is told as it stands, by name; secrets of its vault stay secret."""
        told: list[tuple[str, str | bool]] = []
        for key in PASSED_ON:
            value = self.values.get(key)
            as_it_is = isinstance(value, bool | Encrypted)
            if (known := value if as_it_is else self.text(key)) is not None:
                told.append((key, known))
        return tuple(told)

    def number(self, *keys: str, may_be_zero: bool = False) -> float | None:
        """Return a number above 0, or not below it, of the last of `keys` that is given."""
        for key in reversed(keys):
            value = self.values.get(key)
            if value is None:
                continue
            try:
                number = math.nan if isinstance(value, bool) else float(value)
            except (TypeError, ValueError, OverflowError):
                number = math.nan
            if not 0 <= number < math.inf or (number == 0 and not may_be_zero):
                rule = f"must be a number {'>=' if may_be_zero else '>'} 0"
                raise self._wrong(key, rule, reprlib.repr(value))
            return number
        return None

    def port(self) -> int | None:
        """Return the port of the host's sshd, None if nothing says it."""
        keys = ("ansible_port", "ansible_ssh_port")
        value = self.number(*keys)
        if value is not None and (value != int(value) or value > 65535):
            raise self._wrong(keys[0], "must be a whole number up to 65535", f"{value:g}")
        return None if value is None else int(value)

    def _wrong(self, key: str, rule: str, got: str) -> ConfigError:
        return ConfigError(self.path, f"{self.name}.{key} {rule}, got {got}")


def fill_templates(values: Mapping[str, Any], host: str) -> dict[str, Any]:
    """Replace ``{{ name }}`` by the host's variable `name`; other templates stay as they are."""
    filled = {name: value for name, value in values.items() if name not in _SET_BY_ANSIBLE}
    filled |= {"inventory_hostname": host, _SHORT: host.partition(".")[0]}
    for _ in range(len(filled).bit_length() + 1):  # each round doubles how far it looks
        known = {key: value for key, value in filled.items() if key not in _NOT_IN_TEMPLATES}
        again = {key: _fill(value, known) for key, value in filled.items()}
        if again == filled:
            break
        filled = again
    del filled[_SHORT]
    return filled


def _fill(value: Any, values: Mapping[str, Any]) -> Any:
    if not isinstance(value, str) or isinstance(value, Encrypted | Unsafe):
        return value
    whole = _NAME_TEMPLATE.fullmatch(value)
    if whole:
        return values.get(whole[1], value)
    filled = _NAME_TEMPLATE.sub(
        lambda m: str(v) if isinstance(v := values.get(m[1]), str | int | float) else m[0], value
    )
    return filled if len(filled) <= _LONGEST_VALUE else value


def _like(key: str, known: Sequence[str]) -> str | None:
    """Return the known variable whose name, without the common prefix, looks like that of `key`."""
    names = [name.removeprefix(OUR_PREFIX) for name in known]
    near = difflib.get_close_matches(key.removeprefix(OUR_PREFIX), names, n=1)
    return OUR_PREFIX + near[0] if near else None
