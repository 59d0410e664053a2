"""The variables of a host that hold the names of others in double braces; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from remote.hosts.ansible_yaml import Encrypted, Unsafe

_LONGEST = 10_000  # of a value; templates that fill in each other could double without end
_TEMPLATE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
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


def fill_templates(values: Mapping[str, Any], host: str) -> dict[str, Any]:
    """Replace ``{{ name }}`` by the variable of `host` of that name, also where it holds another.

    What needs more of Ansible is left as it is.
    """
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
    whole = _TEMPLATE.fullmatch(value)
    if whole:
        return values.get(whole[1], value)
    filled = _TEMPLATE.sub(
        lambda m: str(v) if isinstance(v := values.get(m[1]), str | int | float) else m[0], value
    )
    return filled if len(filled) <= _LONGEST else value
