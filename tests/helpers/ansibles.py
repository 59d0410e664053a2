"""Ansible's own reading of an inventory, in this process and with its default settings."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Hosts in order, the hosts of each group, and the variables of each host."""

    plugin: str
    hosts: list[str]
    groups: dict[str, set[str]]
    variables: dict[str, dict[str, Any]]
    filled: dict[str, dict[str, Any]]


def ansible_reads(path: Path) -> Reading | None:
    """Return what Ansible makes of `path`; None if none of its plugins can read it."""
    from ansible.constants import INTERNAL_STATIC_VARS
    from ansible.errors import AnsibleError
    from ansible.inventory.manager import InventoryManager
    from ansible.parsing.dataloader import DataLoader
    from ansible.plugins.loader import init_plugin_loader
    from ansible.plugins.vars import host_group_vars
    from ansible.utils.display import Display
    from ansible.vars.manager import VariableManager

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it was called before
        init_plugin_loader([])
    host_group_vars.FOUND.clear()  # which files it found for earlier inventories
    host_group_vars.NAK.clear()
    parsed: list[str] = []
    display = Display()
    shown = display.display, display.vvv
    display.display = lambda *_, **__: None
    display.vvv = lambda text, **_: parsed.append(text)
    try:
        loader = DataLoader()
        loader.set_basedir(str(path.parent / "none"))
        manager = InventoryManager(loader=loader, sources=[str(path)])
        source = f"Parsed {path} inventory source with "
        plugins = [text.removeprefix(source) for text in parsed if text.startswith(source)]
        if not plugins:
            return None
        variables = VariableManager(loader=loader, inventory=manager)
        every = {
            name: variables.get_vars(host=host, include_hostvars=False, stage="all")
            for name, host in manager.hosts.items()
        }
        known = {
            name: {key: value for key, value in found.items() if key not in INTERNAL_STATIC_VARS}
            for name, found in every.items()
        }
        return Reading(
            plugin=plugins[0].removesuffix(" plugin"),
            hosts=list(manager.hosts),
            groups={
                name: {host.name for host in group.get_hosts()}
                for name, group in manager.groups.items()
            },
            variables=known,
            filled={name: _filled(loader, found, every[name]) for name, found in known.items()},
        )
    except AnsibleError:
        return None
    finally:
        display.display, display.vvv = shown


def _filled(loader: Any, variables: dict[str, Any], every: dict[str, Any]) -> dict[str, Any]:
    """Fill in templates, but for those that cannot be filled in."""
    from ansible.errors import AnsibleError
    from ansible.template import Templar
    from ansible.utils.vars import transform_to_native_types

    templar = Templar(loader, variables=every)
    filled = {}
    for key, value in variables.items():
        try:
            filled[key] = transform_to_native_types(templar.template(value))
        except AnsibleError:
            filled[key] = transform_to_native_types(value)
    return filled
