"""Ansible's YAML inventory: groups, host ranges and variables with Ansible's own precedence.

From the weakest to the strongest: variables of the group `all` and of other groups in the file (a
parent's below its children's, and at the same depth by `ansible_group_priority`, then by name),
those of `group_vars/` beside the file in the same order, the host's own in the file, those of
`host_vars/`. `ansible-inventory --list` says the same; a test holds the two together.
"""

from __future__ import annotations

import itertools
import re
import reprlib
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from math import prod
from pathlib import Path
from typing import Any, NoReturn

import yaml

from remote.errors import ConfigError

GROUP_KEYS = ("hosts", "vars", "children")
PRIORITY = "ansible_group_priority"
VARS_SUFFIXES = ("", ".yml", ".yaml", ".json")
VAULT_HEADER = "$ANSIBLE_VAULT"
CONVERT = "convert another format with `ansible-inventory -i {path} --list --yaml`"
_RANGE = re.compile(r"\[([^\[\]:]+):([^\[\]:]+)(?::(\d+))?\]")
_PORT = re.compile(r"([^:\[\]]+):(\d+)")  # `name:port`; an IPv6 address has more colons
_MERGE = "<<"
_MOST_NAMES = 10_000  # of one pattern; more is a typing mistake
_MOST_GROUPS = 10_000  # that are written down, or that anchors of YAML multiply
_LONGEST = 10_000  # of a value; templates that fill in each other could double without end
# Folders are called so: those of runs after hosts, and Ansible's own after groups and hosts.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,99}")
_TEMPLATE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


class Refused(ValueError):
    """What YAML or Ansible may have, and an inventory may not."""


class Encrypted(str):
    """A value that only ansible-vault can read."""


class _Loader(yaml.SafeLoader):
    """YAML with the tags of Ansible, in which nothing may be given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Make a mapping, of whose equal keys YAML would silently take the last one."""
        marks: dict[str, yaml.Mark] = {}
        for key, _ in node.value:
            first = marks.setdefault(str(key.value), key.start_mark)
            if first is not key.start_mark and key.value != _MERGE:
                lines = f"in lines {first.line + 1} and {key.start_mark.line + 1}"
                raise Refused(f"{key.value} is given twice, {lines}: remove one of them")
        return super().construct_mapping(node, deep)


def _vault(loader: yaml.SafeLoader, node: yaml.Node) -> Encrypted:
    return Encrypted(node.value)


def _unsafe(loader: yaml.SafeLoader, node: yaml.Node) -> str:
    return str(node.value)


def _other_tag(loader: yaml.SafeLoader, node: yaml.Node) -> NoReturn:
    line = node.start_mark.line + 1
    raise Refused(f"line {line} has the tag {node.tag}: known are !vault and !unsafe; remove it")


_Loader.add_constructor(None, _other_tag)
_Loader.add_constructor("!vault", _vault)
_Loader.add_constructor("!vault-encrypted", _vault)
_Loader.add_constructor("!unsafe", _unsafe)


@dataclass(kw_only=True)
class Group:
    """One group as the file has it: names and variables, nothing inherited."""

    name: str
    hosts: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    variables: dict[str, Any] = field(default_factory=dict)


class AnsibleInventory:
    """The hosts and groups of an inventory file and of the folders beside it.

    Raises
    ------
    ConfigError
        The file is missing or is no such inventory; names the place of the mistake.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.groups: dict[str, Group] = {"all": Group(name="all")}
        self.host_variables: dict[str, dict[str, Any]] = {}
        self._written = 0
        for name, body in _load(path).items():
            self._add_group(str(name), body, ())
        self._adopt_orphans()
        self._depths = self._measure_depths()

    @property
    def hosts(self) -> list[str]:
        """Names of all hosts in the order of the file."""
        return list(self.host_variables)

    def members(self, group: str) -> list[str]:
        """Return the hosts of `group` and of all groups below it; an unknown group has none."""
        names = {host for name in self._below(group) for host in self.groups[name].hosts}
        return [host for host in self.hosts if host in names]

    def variables(self, host: str) -> dict[str, Any]:
        """Return the variables of `host` as Ansible merges them, with simple templates filled in.

        ``{{ name }}`` of another variable is replaced; what needs more of Ansible is left as it is.
        """
        values: dict[str, Any] = {}
        groups = self._groups_of(host)
        for group in groups:
            values |= self.groups[group].variables
        for group in groups:
            values |= _vars_beside(self.path, "group_vars", group)
        values |= self.host_variables[host]
        values |= _vars_beside(self.path, "host_vars", host)
        values.pop(PRIORITY, None)  # about the group, not its hosts
        return _fill_templates({"inventory_hostname": host, **values})

    def _add_group(self, name: str, body: object, above: tuple[str, ...]) -> None:
        """Add a group and those inside it; `above` are the groups that it lies in."""
        if name in above:  # without end, by an anchor of YAML
            self._refuse_ring((*above, name))
        place = ".children.".join((*above, name))
        self._written += 1
        if self._written > _MOST_GROUPS:
            raise ConfigError(
                self.path,
                f"{place}: there are more than {_MOST_GROUPS} groups: repeat fewer YAML anchors",
            )
        self._require_name("group", name, place)
        group = self.groups.setdefault(name, Group(name=name))
        content = _mapping(body, self.path, place)
        unknown = sorted(str(key) for key in set(content) - set(GROUP_KEYS))
        if unknown:
            raise ConfigError(
                self.path,
                f"{place}: a group has {', '.join(GROUP_KEYS)}, not {', '.join(unknown)}",
            )
        variables = _mapping(content.get("vars"), self.path, f"{place}.vars")
        group.variables |= {str(key): value for key, value in variables.items()}
        for pattern, own in _named(content.get("hosts"), self.path, f"{place}.hosts").items():
            own_variables = _mapping(own, self.path, f"{place}.hosts.{pattern}")
            for host, variables in _expand(str(pattern), self.path, f"{place}.hosts"):
                self._require_name("host", host, f"{place}.hosts")
                known = self.host_variables.setdefault(host, {})
                known |= {**variables, **{str(k): v for k, v in own_variables.items()}}
                group.hosts.append(host)
        for child, inner in _named(content.get("children"), self.path, f"{place}.children").items():
            group.children.append(str(child))
            self._add_group(str(child), inner, (*above, name))

    def _require_name(self, kind: str, name: str, place: str) -> None:
        if not _NAME.fullmatch(name):
            raise ConfigError(
                self.path,
                f"{place}: {name!r} cannot be the name of a {kind}: folders have it, too, so it "
                "consists of letters, digits, `.`, `_`, `-`, `:`; a range is written [1:3]",
            )

    def _adopt_orphans(self) -> None:
        """Make groups without a parent children of `all`."""
        children = {child for group in self.groups.values() for child in group.children}
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
            self._refuse_ring(exc.args[1])
        return depths

    def _refuse_ring(self, ring: Sequence[str]) -> NoReturn:
        raise ConfigError(self.path, f"group {ring[-1]} is below itself: {' > '.join(ring)}")

    def _below(self, group: str) -> set[str]:
        below: set[str] = set()
        left = [group]
        while left:
            name = left.pop()
            if name in self.groups and name not in below:
                below.add(name)
                left += self.groups[name].children
        return below

    def _groups_of(self, host: str) -> list[str]:
        """Return the groups that have `host`, directly or below, the weakest first."""
        names = [
            g for g in self.groups if any(host in self.groups[b].hosts for b in self._below(g))
        ]
        names = list({"all": None, **dict.fromkeys(names)})
        return sorted(names, key=lambda name: (self._depths[name], self._priority(name), name))

    def _priority(self, group: str) -> int:
        value = self.groups[group].variables.get(PRIORITY, 1)
        try:
            return int(value)
        except (TypeError, ValueError):
            raise ConfigError(
                self.path, f"{group}.{PRIORITY} must be a whole number, got {value!r}"
            ) from None


def _load(path: Path) -> dict[Any, Any]:
    document = _read_yaml(path)
    if not isinstance(document, dict):
        remedy = CONVERT.format(path=path)
        raise ConfigError(path, f"no Ansible YAML inventory: it must map groups; {remedy}")
    return document


def _read_yaml(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as exc:
        raise ConfigError(
            path, f"is not UTF-8: {exc}; convert it with `iconv -f latin1 -t utf-8`"
        ) from exc
    except OSError as exc:
        raise ConfigError(path, f"cannot be read: {exc.strerror}") from exc
    if text.startswith(VAULT_HEADER):
        raise ConfigError(
            path,
            "is encrypted: decrypt it (`ansible-vault decrypt`) and keep secrets in group_vars/",
        )
    if text.startswith("#!"):
        raise ConfigError(
            path,
            "is a script, which Ansible would run: remove its first line, or "
            "write what it prints into a file and name that",
        )
    try:
        return yaml.load(text, Loader=_Loader)  # a SafeLoader
    except yaml.YAMLError as exc:
        raise ConfigError(path, f"not YAML: {exc}; {CONVERT.format(path=path)}") from exc
    except ValueError as exc:  # of ours, or a number or date that Python refuses
        raise ConfigError(path, str(exc)) from exc
    except RecursionError as exc:
        raise ConfigError(path, "is nested without end, or nearly so") from exc


def _mapping(value: object, path: Path, place: str) -> dict[Any, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(path, f"{place} must be a mapping, got {reprlib.repr(value)}")
    return value


def _named(value: object, path: Path, place: str) -> dict[Any, Any]:
    """Hosts and children are mappings of names; Ansible takes a single name, too."""
    return {value: None} if isinstance(value, str) else _mapping(value, path, place)


def _expand(pattern: str, path: Path, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every host that `pattern` names, with its port if it has one: ``c[1:3]``, ``c1:22``."""
    variables: dict[str, Any] = {}
    if match := _PORT.fullmatch(_RANGE.sub("", pattern)):
        pattern = pattern.removesuffix(f":{match[2]}")
        variables["ansible_port"] = int(match[2])
    parts: list[list[str]] = []
    end = 0
    for match in _RANGE.finditer(pattern):
        parts += [[pattern[end : match.start()]], _range(match, path, place)]
        end = match.end()
    parts.append([pattern[end:]])
    count = prod(map(len, parts))
    if count > _MOST_NAMES:
        raise ConfigError(path, f"{place}: {pattern} has {count} names, more than {_MOST_NAMES}")
    for combination in itertools.product(*parts):
        yield "".join(combination), dict(variables)


def _range(match: re.Match[str], path: Path, place: str) -> list[str]:
    first, last, step = match[1], match[2], int(match[3] or 1)
    letters = string.ascii_letters
    try:
        if first.isdigit():
            width = len(first) if first.startswith("0") else 0
            if width and len(last) != width:
                raise ValueError("both ends need the same number of digits")
            numbers = range(int(first), int(last) + 1, step)
            if numbers[_MOST_NAMES:]:
                raise ValueError(f"it has more than {_MOST_NAMES} names")
            names = [f"{n:0{width}d}" for n in numbers]
        else:
            names = list(letters[letters.index(first) : letters.index(last) + 1 : step])
    except ValueError as exc:
        raise ConfigError(path, f"{place}: {match[0]} is no range: {exc}") from exc
    if not names:
        raise ConfigError(path, f"{place}: {match[0]} is no range: it ends before it begins")
    return names


def _vars_beside(inventory: Path, folder: str, name: str) -> dict[str, Any]:
    """Read what `group_vars/` or `host_vars/` beside the inventory says of `name`."""
    values: dict[str, Any] = {}
    for suffix in VARS_SUFFIXES:
        path = inventory.parent / folder / f"{name}{suffix}"
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            readable = file.suffix in VARS_SUFFIXES and not file.name.startswith(".")
            if not file.is_file() or not readable:
                continue
            if file.read_bytes().startswith(VAULT_HEADER.encode()):
                continue  # secrets, of which the lab needs none
            values |= _mapping(_read_yaml(file), file, name)
    return {str(key): value for key, value in values.items()}


def _fill_templates(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replace ``{{ name }}`` by the variable of that name, also where that holds another."""
    filled = dict(values)
    for _ in range(len(filled)):
        again = {key: _fill(value, filled) for key, value in filled.items()}
        if again == filled:
            break
        filled = again
    return filled


def _fill(value: Any, values: Mapping[str, Any]) -> Any:
    if not isinstance(value, str) or isinstance(value, Encrypted):
        return value
    whole = _TEMPLATE.fullmatch(value)
    if whole:
        return values.get(whole[1], value)
    filled = _TEMPLATE.sub(
        lambda m: str(v) if isinstance(v := values.get(m[1]), str | int | float) else m[0], value
    )
    return filled if len(filled) <= _LONGEST else value
