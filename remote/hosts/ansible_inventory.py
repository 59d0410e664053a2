"""Ansible's YAML inventory: groups, host ranges and variables with Ansible's own precedence.

From the weakest to the strongest: variables of the group `all` and of other groups in the file (a
parent's below its children's, and at the same depth by `ansible_group_priority`, then by name),
those of `group_vars/` beside the file in the same order, the host's own in the file, those of
`host_vars/`.

An inventory that is read here has the hosts, groups and variables that Ansible reads from it with
its default settings; a property test compares the two. Everything else is refused with a reason,
also what Ansible passes over with a warning. Two differences are meant: files of `group_vars/` and
`host_vars/` that are encrypted as a whole are passed over, and templates with more than the name of
a variable stay as they are.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from records.names import HOST, NAME, NAME_RULE
from remote.errors import ConfigError
from remote.hosts.ansible_ranges import MOST_NAMES, expand
from remote.hosts.ansible_variables import fill_templates
from remote.hosts.ansible_yaml import (
    CONVERT,
    VAULT_HEADER,
    mapping_of,
    parse_ansible,
    read_text,
    require_text,
    variables_of,
)

UNGROUPED = "ungrouped"
_GROUP_KEYS = ("hosts", "vars", "children")
_PRIORITY = "ansible_group_priority"
_DEEPEST = 20  # folders in each other
_SUFFIXES = ("", ".yml", ".yaml", ".json")  # of files that Ansible reads as YAML, else as INI


@dataclass(kw_only=True)
class Group:
    """One group as the file has it: names and variables, nothing inherited."""

    name: str
    hosts: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    variables: dict[str, Any] = field(default_factory=dict)
    priority: int = 1


class AnsibleInventory:
    """The hosts and groups of an inventory file and of the folders beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.groups: dict[str, Group] = {name: Group(name=name) for name in ("all", UNGROUPED)}
        self.host_variables: dict[str, dict[str, Any]] = {}
        self._names = 0
        try:
            for name, body in _load(path).items():
                self._add_group(name, body, ())
            self._refuse_shared_names()
            self._adopt_orphans()
            self._depths = self._measure_depths()
        except ValueError as exc:
            raise ConfigError(path, str(exc)) from exc
        self._settle_ungrouped()
        self._below = self._gather_hosts()
        self._beside = cache(partial(_vars_beside, path))

    @property
    def hosts(self) -> list[str]:
        """Names of all hosts in the order of the file."""
        return list(self.host_variables)

    def members(self, group: str) -> list[str]:
        """Return the hosts of `group` and of all groups below it; an unknown group has none."""
        return [host for host in self.hosts if host in self._below.get(group, ())]

    def variables(self, host: str) -> dict[str, Any]:
        """Return the variables of `host` as Ansible merges them, with simple templates filled."""
        values: dict[str, Any] = {}
        groups = self._groups_of(host)
        for group in groups:
            values |= self.groups[group].variables
        for group in groups:
            values |= self._beside("group_vars", group)
        values |= self.host_variables[host]
        values |= self._beside("host_vars", host)
        if len(values) > MOST_NAMES:
            raise ConfigError(self.path, f"{host} has more than {MOST_NAMES} variables")
        return fill_templates(values, host)

    def _add_group(self, name: object, body: object, above: tuple[str, ...]) -> None:
        """Add a group and those inside it; `above` are the groups that it lies in."""
        place = ".children.".join((*above, str(name)))
        name = self._require_name("group", name, place)
        group = self.groups.setdefault(name, Group(name=name))
        content = mapping_of(body, place)
        if unknown := sorted(str(key) for key in content if key not in _GROUP_KEYS):
            known = ", ".join(_GROUP_KEYS)
            raise ValueError(f"{place}: a group has {known}, not {', '.join(unknown)}")
        add = {"vars": self._add_variables, "hosts": self._add_hosts}
        for key, value in content.items():  # in this order, which is that of the hosts
            if key == "children":
                for child, inner in _named(value, f"{place}.children").items():
                    self._add_group(child, inner, (*above, name))
                    group.children.append(child)
            else:
                add[key](group, value, f"{place}.{key}")

    def _add_variables(self, group: Group, value: object, place: str) -> None:
        variables = variables_of(value, place)
        priority = variables.pop(_PRIORITY, group.priority)
        try:
            group.priority = int(priority)
        except (TypeError, ValueError, OverflowError):
            rule = f"must be a whole number, got {reprlib.repr(priority)}"
            raise ValueError(f"{group.name}.{_PRIORITY} {rule}") from None
        group.variables |= variables

    def _add_hosts(self, group: Group, value: object, place: str) -> None:
        for pattern, own in _named(value, place).items():
            require_text("host", pattern, place)
            own_variables = variables_of(own, f"{place}.{pattern}")
            try:
                names, port = expand(pattern)
            except ValueError as exc:
                raise ValueError(f"{place}: {exc}") from exc
            for host in names:
                self._require_name("host", host, place)
                if host not in self.host_variables:  # Ansible takes the port of the first mention
                    self.host_variables[host] = {"ansible_port": port} if port else {}
                self.host_variables[host] |= own_variables
                group.hosts.append(host)

    def _require_name(self, kind: str, name: object, place: str) -> str:
        self._names += 1
        if self._names > MOST_NAMES:
            raise ValueError(f"{place}: more than {MOST_NAMES} hosts and groups")
        text = require_text(kind, name, place)
        if re.fullmatch(HOST if kind == "host" else NAME, text):
            return text
        ranges = "ranges such as [1:3] are expanded only in the names of hosts"
        remedy = ranges if kind == "group" else "a range is written [1:3]"
        raise ValueError(
            f"{place}: {text!r} cannot be the name of a {kind}: folders have it, too, so it "
            f"consists of {NAME_RULE}; {remedy}"
        )

    def _refuse_shared_names(self) -> None:
        """Refuse a host named as a group: Ansible gives the host's variables to the group."""
        for name in self.groups:
            if name in self.host_variables:
                raise ValueError(f"{name} is both a group and a host: rename one of them")

    def _adopt_orphans(self) -> None:
        children = {child for group in self.groups.values() for child in group.children}
        parents = {g.name for g in self.groups.values() if UNGROUPED in g.children} - {"all"}
        if parents or self.groups[UNGROUPED].children:
            raise ValueError(
                f"the group {UNGROUPED} has a parent or children: it is Ansible's own, for hosts "
                "that are in no other group; rename it"
            )
        self.groups["all"].children += [n for n in self.groups if n not in children and n != "all"]

    def _measure_depths(self) -> dict[str, int]:
        """Return how deep each group lies below `all`, by the longest way."""
        parents: dict[str, set[str]] = {name: set() for name in self.groups}
        for name, group in self.groups.items():
            for child in group.children:
                parents[child].add(name)
        depths: dict[str, int] = {}
        try:
            for name in TopologicalSorter(parents).static_order():
                depths[name] = 1 + max((depths[parent] for parent in parents[name]), default=-1)
        except CycleError as exc:
            raise ValueError(f"a group is below itself: {' > '.join(exc.args[1])}") from exc
        return depths

    def _settle_ungrouped(self) -> None:
        """Let the group `ungrouped` have exactly the hosts that are in no other but `all`."""
        others = (g.hosts for name, g in self.groups.items() if name not in ("all", UNGROUPED))
        grouped = set().union(*others)
        self.groups[UNGROUPED].hosts = [host for host in self.hosts if host not in grouped]

    def _gather_hosts(self) -> dict[str, set[str]]:
        found = {name: set(group.hosts) for name, group in self.groups.items()}
        for name in reversed(self._depths):  # a group stands behind its parents
            found[name].update(*(found[child] for child in self.groups[name].children))
        return found

    def _groups_of(self, host: str) -> list[str]:
        """Return the groups that have `host`, directly or below, the weakest first."""
        names = [name for name in self.groups if name == "all" or host in self._below[name]]
        return sorted(
            names, key=lambda name: (self._depths[name], self.groups[name].priority, name)
        )


def _load(path: Path) -> dict[Any, Any]:
    remedy = CONVERT.format(path=path)
    if path.suffix not in _SUFFIXES:
        raise ValueError(
            f"Ansible reads no YAML from a file whose name ends in {path.suffix}: let it end in "
            f".yml, or {remedy}"
        )
    text = read_text(path)
    if text.startswith(VAULT_HEADER):
        raise ValueError(
            "is encrypted: decrypt it (`ansible-vault decrypt`) and keep secrets in group_vars/"
        )
    if text.startswith("#!"):
        raise ValueError(
            "is a script, which Ansible would run: remove its first line, or write what it prints "
            "into a file and name that"
        )
    document = parse_ansible(text, path)
    if not isinstance(document, dict) or not document:
        raise ValueError(f"no Ansible YAML inventory: it must map groups; {remedy}")
    if document.get("plugin"):
        raise ValueError(f"is the configuration of an Ansible plugin: {remedy}")
    return document


def _named(value: object, place: str) -> dict[Any, Any]:
    """Hosts and children are mappings of names; Ansible takes a single name, too."""
    return {value: None} if isinstance(value, str) else mapping_of(value, place)


def _vars_beside(inventory: Path, folder: str, name: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    root = inventory.parent.resolve()
    paths = [inventory.parent / folder / f"{name}{suffix}" for suffix in _SUFFIXES]
    file = found = next((path for path in paths if path.exists()), None)  # Ansible takes one alone
    try:
        for file in _variable_files(found, root) if found else []:
            if not (text := read_text(file)).startswith(VAULT_HEADER):  # the lab needs no secrets
                values |= variables_of(parse_ansible(text, file), name)
    except OSError as exc:
        place = Path(exc.filename or inventory.parent / folder)
        raise ConfigError(place, f"cannot be read: {exc.strerror}") from exc
    except ValueError as exc:
        raise ConfigError(file or inventory, str(exc)) from exc
    return values


def _variable_files(path: Path, root: Path, depth: int = 0) -> Iterator[Path]:
    """Give the file, or those in a folder and in folders below it that Ansible reads, in order."""
    if depth > _DEEPEST:
        raise ConfigError(path, f"lies more than {_DEEPEST} folders deep: move it up")
    if not path.resolve().is_relative_to(root) or (path.is_dir() and path.is_symlink()):
        raise ConfigError(path, f"is a link out of {root}, or to a folder: put a copy there")
    if not path.is_dir():
        yield path
        return
    for inner in sorted(path.iterdir(), key=lambda entry: entry.name):
        hidden = inner.name.startswith(".") or inner.name.endswith("~")
        if hidden or (inner.is_dir() and inner.suffix):
            continue
        if inner.is_dir() or (inner.is_file() and inner.suffix in _SUFFIXES):
            yield from _variable_files(inner, root, depth + 1)
