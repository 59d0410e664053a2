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

import copy
import itertools
import json
import re
import reprlib
import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from graphlib import CycleError, TopologicalSorter
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any, TypeGuard

import yaml

from remote.checked_files import bounded, read_regular
from remote.errors import ConfigError
from remote.names import HOST, NAME, NAME_RULE

GROUP_KEYS = ("hosts", "vars", "children")
PRIORITY = "ansible_group_priority"
VARS_SUFFIXES = ("", ".yml", ".yaml", ".json")
VAULT_HEADER = "$ANSIBLE_VAULT"
CONVERT = "convert another format with `ansible-inventory -i {path} --list --yaml`"
FILE_SUFFIXES = ("", ".yml", ".yaml", ".json")
"""Names of files that Ansible reads as YAML; others it reads as INI."""
UNGROUPED = "ungrouped"
_RANGE = re.compile(r"\[([^\[\]:]*):([^\[\]:]+)(?::([0-9]{1,9}))?\]")
# As Ansible finds a port: behind a name or IPv4 address with or without ranges, or behind `[IPv6]`.
_PORT = re.compile(r"((?:[^:\[\]]|\[[^\]]*\])*):([0-9]{1,9})")
_IPV6_PORT = re.compile(r"\[([0-9a-fA-F:]+)\]:([0-9]{1,9})")
_PLAIN_RANGE = re.compile(r"\[(?:[a-zA-Z]:[a-zA-Z]|[0-9]+:[0-9]+)(?::[0-9]+)?\]")
_LABEL = r"\w[\w-]*(?<![_-])"
_HOSTNAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_MERGE = "<<"
_MOST_NAMES = 2000  # of hosts and groups, each mention counted; of a host's variables
_LARGEST = 2_000_000  # bytes of a file, and characters with what its anchors repeat
_LONGEST_NUMBER = 100  # characters of a number or date; Python is slow to convert more
_TAGS = (None, "!", "tag:yaml.org,2002:str", "!vault", "!vault-encrypted", "!unsafe")
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


class Refused(ValueError):
    """What YAML or Ansible may have, and an inventory may not."""


class Encrypted(str):
    """A value that only ansible-vault can read."""


class Unsafe(str):
    """A text that Ansible does not take for a template."""


class _Loader(yaml.SafeLoader):
    """YAML with the tags of Ansible, in which nothing may be given twice, or too often."""

    def get_single_node(self) -> yaml.Node | None:
        """Return the whole document, before anything that its anchors repeat is made of it."""
        node = super().get_single_node()
        if node is not None and _length(node, {}) > _LARGEST:
            raise Refused(
                f"has more than {_LARGEST} characters with all that its anchors repeat: repeat "
                "fewer YAML anchors"
            )
        return node

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a node without a tag such as !!int, whose constructor may raise any error."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if (tag := getattr(event, "tag", None)) not in _TAGS:
            line = event.start_mark.line + 1
            raise Refused(f"line {line} has the tag {tag}: known are !vault and !unsafe; remove it")
        return super().compose_node(parent, index)

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        """Return the text of a value, which is short if a number or a date is made of it."""
        if node.tag != self.DEFAULT_SCALAR_TAG and len(node.value) > _LONGEST_NUMBER:
            line = node.start_mark.line + 1
            raise Refused(f"line {line} has a number of more than {_LONGEST_NUMBER} characters")
        return super().construct_scalar(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Make a mapping, of whose equal keys YAML would silently take the last one."""
        marks: dict[str, yaml.Mark] = {}
        for key, _ in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else str(id(key))
            first = marks.setdefault(name, key.start_mark)
            if first is not key.start_mark and key.value != _MERGE:
                lines = f"in lines {first.line + 1} and {key.start_mark.line + 1}"
                raise Refused(f"{key.value} is given twice, {lines}: remove one of them")
        return super().construct_mapping(node, deep)


def _length(node: yaml.Node, known: dict[int, int]) -> int:
    """Count the characters of a node and those in it, each as often as it is repeated.

    What an anchor repeats within itself counts once, and is refused elsewhere.
    """
    if id(node) not in known:
        known[id(node)] = 0
        if isinstance(node, yaml.ScalarNode):
            inner = len(node.value)
        else:
            parts = node.value
            if isinstance(node, yaml.MappingNode):
                parts = [part for pair in parts for part in pair]
            inner = sum(_length(part, known) for part in parts)
        known[id(node)] = 1 + inner
    return known[id(node)]


def _vault(loader: yaml.SafeLoader, node: yaml.Node) -> Encrypted:
    if not isinstance(node, yaml.ScalarNode):
        raise Refused(f"line {node.start_mark.line + 1}: !vault stands before a text")
    return Encrypted(node.value)


def _unsafe(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    plain = copy.copy(node)  # with the tag that it has without !unsafe
    plain.tag = loader.resolve(type(node), node.value, (True, False))  # type: ignore[no-untyped-call]
    value = loader.construct_object(plain, deep=True)
    return Unsafe(value) if isinstance(value, str) else value


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
    priority: int = 1


class AnsibleInventory:
    """The hosts and groups of an inventory file and of the folders beside it.

    Raises
    ------
    ConfigError
        The file is missing or is no such inventory; names the place of the mistake.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.groups: dict[str, Group] = {name: Group(name=name) for name in ("all", UNGROUPED)}
        self.host_variables: dict[str, dict[str, Any]] = {}
        self._names = 0
        for name, body in _load(path).items():
            self._add_group(name, body, ())
        self._refuse_shared_names()
        self._adopt_orphans()
        self._depths = self._measure_depths()
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
        """Return the variables of `host` as Ansible merges them, with simple templates filled in.

        ``{{ name }}`` of another variable is replaced; what needs more of Ansible is left as it is.
        """
        values: dict[str, Any] = {}
        groups = self._groups_of(host)
        for group in groups:
            values |= self.groups[group].variables
        for group in groups:
            values |= self._beside("group_vars", group)
        values |= self.host_variables[host]
        values |= self._beside("host_vars", host)
        if len(values) > _MOST_NAMES:
            raise ConfigError(self.path, f"{host} has more than {_MOST_NAMES} variables")
        for name in _SET_BY_ANSIBLE:
            values.pop(name, None)
        short = host.partition(".")[0]
        values = _fill_templates({**values, "inventory_hostname": host, _SHORT: short})
        del values[_SHORT]
        return values

    def _add_group(self, name: object, body: object, above: tuple[str, ...]) -> None:
        """Add a group and those inside it; `above` are the groups that it lies in."""
        place = ".children.".join((*above, str(name)))
        name = self._require_name("group", name, place)
        group = self.groups.setdefault(name, Group(name=name))
        content = _mapping(body, self.path, place)
        unknown = sorted(str(key) for key in content if key not in GROUP_KEYS)
        if unknown:
            raise ConfigError(
                self.path,
                f"{place}: a group has {', '.join(GROUP_KEYS)}, not {', '.join(unknown)}",
            )
        add = {"vars": self._add_variables, "hosts": self._add_hosts}
        for key, value in content.items():  # in this order, which is that of the hosts
            if key == "children":
                for child, inner in _named(value, self.path, f"{place}.children").items():
                    self._add_group(child, inner, (*above, name))
                    group.children.append(child)
            else:
                add[key](group, value, f"{place}.{key}")

    def _add_variables(self, group: Group, value: object, place: str) -> None:
        variables = _variables(value, self.path, place)
        if PRIORITY in variables:
            group.priority = self._priority(group.name, variables.pop(PRIORITY))
        group.variables |= variables

    def _add_hosts(self, group: Group, value: object, place: str) -> None:
        for pattern, own in _named(value, self.path, place).items():
            if not _is_text(pattern):
                raise ConfigError(self.path, f"{place}: {_not_text('host', pattern)}")
            own_variables = _variables(own, self.path, f"{place}.{pattern}")
            names, port = _expand(pattern, self.path, place)
            for host in names:
                self._require_name("host", host, place)
                if host not in self.host_variables:  # Ansible takes the port of the first mention
                    self.host_variables[host] = {"ansible_port": port} if port else {}
                self.host_variables[host] |= own_variables
                group.hosts.append(host)

    def _require_name(self, kind: str, name: object, place: str) -> str:
        self._names += 1
        if self._names > _MOST_NAMES:
            raise ConfigError(self.path, f"{place}: more than {_MOST_NAMES} hosts and groups")
        if not _is_text(name):
            raise ConfigError(self.path, f"{place}: {_not_text(kind, name)}")
        if re.fullmatch(HOST if kind == "host" else NAME, name):
            return name
        ranges = "ranges such as [1:3] are expanded only in the names of hosts"
        remedy = ranges if kind == "group" else "a range is written [1:3]"
        raise ConfigError(
            self.path,
            f"{place}: {name!r} cannot be the name of a {kind}: folders have it, too, so it "
            f"consists of {NAME_RULE}; {remedy}",
        )

    def _refuse_shared_names(self) -> None:
        """Refuse a host named as a group: Ansible gives the host's variables to the group."""
        for name in self.groups:
            if name in self.host_variables:
                raise ConfigError(
                    self.path, f"{name} is both a group and a host: rename one of them"
                )

    def _adopt_orphans(self) -> None:
        """Make groups without a parent children of `all`."""
        children = {child for group in self.groups.values() for child in group.children}
        parents = {g.name for g in self.groups.values() if UNGROUPED in g.children} - {"all"}
        if parents or self.groups[UNGROUPED].children:
            raise ConfigError(
                self.path,
                f"the group {UNGROUPED} has a parent or children: it is Ansible's own, for hosts "
                "that are in no other group; rename it",
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
            ring = " > ".join(exc.args[1])
            raise ConfigError(self.path, f"a group is below itself: {ring}") from exc
        return depths

    def _settle_ungrouped(self) -> None:
        """Let the group `ungrouped` have exactly the hosts that are in no other but `all`."""
        grouped = {
            host
            for name, group in self.groups.items()
            for host in group.hosts
            if name not in ("all", UNGROUPED)
        }
        self.groups[UNGROUPED].hosts = [host for host in self.hosts if host not in grouped]

    def _gather_hosts(self) -> dict[str, set[str]]:
        """Return the hosts of each group and of all groups below it."""
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

    def _priority(self, group: str, value: Any) -> int:
        try:
            return int(value)
        except (TypeError, ValueError, OverflowError):
            raise ConfigError(
                self.path, f"{group}.{PRIORITY} must be a whole number, got {reprlib.repr(value)}"
            ) from None


def _load(path: Path) -> dict[Any, Any]:
    remedy = CONVERT.format(path=path)
    if path.suffix not in FILE_SUFFIXES:
        raise ConfigError(
            path,
            f"Ansible reads no YAML from a file whose name ends in {path.suffix}: let it end in "
            f".yml, or {remedy}",
        )
    text = _read_text(path)
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
    document = _parse(text, path)
    if not isinstance(document, dict) or not document:
        raise ConfigError(path, f"no Ansible YAML inventory: it must map groups; {remedy}")
    if document.get("plugin"):
        raise ConfigError(path, f"is the configuration of an Ansible plugin: {remedy}")
    return document


def _read_text(path: Path) -> str:
    try:
        return read_regular(path, _LARGEST).decode()
    except UnicodeDecodeError as exc:
        raise ConfigError(
            path, f"is not UTF-8: {exc}; convert it with `iconv -f latin1 -t utf-8`"
        ) from exc
    except OSError as exc:
        raise ConfigError(path, f"cannot be read: {exc.strerror}") from exc


def _parse(text: str, path: Path) -> Any:
    """Read JSON if `text` is JSON, else YAML, as Ansible does: the two differ in numbers."""
    try:
        try:
            document = json.loads(text, object_pairs_hook=_json_object)
        except json.JSONDecodeError:
            document = yaml.load(text, Loader=_Loader)  # a SafeLoader
    except yaml.YAMLError as exc:
        raise ConfigError(path, f"not YAML: {exc}; {CONVERT.format(path=path)}") from exc
    except ValueError as exc:  # of ours, or a number or date that Python refuses
        raise ConfigError(path, str(exc)) from exc
    except RecursionError as exc:
        raise ConfigError(path, "is nested without end, or nearly so") from exc
    bounded(document, path)
    return document


def _json_object(pairs: list[tuple[str, Any]]) -> Any:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Refused(f"{key} is given twice: remove one of them")
        found[key] = value
    if "__ansible_vault" in found:
        return Encrypted(found["__ansible_vault"])
    if "__ansible_unsafe" in found:
        return Unsafe(found["__ansible_unsafe"])
    return found


def _is_text(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and not isinstance(name, Encrypted)


def _not_text(kind: str, name: object) -> str:
    return (
        f"the name of a {kind} is {name!r}, which YAML reads as {type(name).__name__}; Ansible "
        "accepts only text: put it in quotes"
    )


def _variables(value: object, path: Path, place: str) -> dict[str, Any]:
    found = _mapping(value, path, place)
    for name in found:
        if not _is_text(name):
            raise ConfigError(path, f"{place}: {_not_text('variable', name)}")
    return found


def _mapping(value: object, path: Path, place: str) -> dict[Any, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(path, f"{place} must be a mapping, got {reprlib.repr(value)}")
    return value


def _named(value: object, path: Path, place: str) -> dict[Any, Any]:
    """Hosts and children are mappings of names; Ansible takes a single name, too."""
    return {value: None} if isinstance(value, str) else _mapping(value, path, place)


def _expand(pattern: str, path: Path, place: str) -> tuple[Iterable[str], int]:
    """Return the hosts that `pattern` names and their port, 0 without: ``c[1:3]``, ``c1:22``."""
    address = _IPV6_PORT.fullmatch(pattern)
    if address and _is_ipv6(address[1]):
        return [address[1]], int(address[2])
    port = 0
    if match := _PORT.fullmatch(pattern):
        if not _HOSTNAME.fullmatch(_PLAIN_RANGE.sub("0", match[1])) or pattern.startswith("["):
            raise ConfigError(
                path,
                f"{place}: Ansible finds no port in {pattern}: what precedes the port must be a "
                "name of letters and digits; write the port as the variable ansible_port",
            )
        pattern, port = match[1], int(match[2])
    parts: list[list[str]] = []
    end = 0
    for found in _RANGE.finditer(pattern):
        parts += [[pattern[end : found.start()]], _range(found, path, place)]
        end = found.end()
    parts.append([pattern[end:]])
    return map("".join, itertools.product(*parts)), port


def _is_ipv6(text: str) -> bool:
    try:
        return bool(IPv6Address(text)) and text.count(":") <= 7  # Ansible knows no `1:...:7::`
    except ValueError:
        return False


def _range(match: re.Match[str], path: Path, place: str) -> list[str]:
    first, last, step = match[1] or "0", match[2], int(match[3] or 1)
    letters = string.ascii_letters
    try:
        if first.isdecimal() and first.isascii():
            width = len(first) if first.startswith("0") and len(first) > 1 else 0
            if width and len(last) != width:
                raise ValueError("both ends need the same number of digits")
            if not (last.isdecimal() and last.isascii()):
                raise ValueError(f"{last} is no number")
            numbers = range(int(first), int(last) + 1, step)
            if numbers[_MOST_NAMES:]:
                raise ValueError(f"it has more than {_MOST_NAMES} names")
            names = [f"{n:0{width}d}" for n in numbers]
        elif len(first) > 1 or len(last) > 1:
            raise ValueError("its ends are two numbers or two letters")
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
    root = inventory.parent.resolve()
    paths = [inventory.parent / folder / f"{name}{suffix}" for suffix in VARS_SUFFIXES]
    found = next((path for path in paths if path.exists()), None)  # Ansible takes the first alone
    try:
        for file in _variable_files(found, root) if found else []:
            if not (text := _read_text(file)).startswith(VAULT_HEADER):  # the lab needs no secrets
                values |= _variables(_parse(text, file), file, name)
    except OSError as exc:
        place = Path(exc.filename or inventory.parent / folder)
        raise ConfigError(place, f"cannot be read: {exc.strerror}") from exc
    return values


def _variable_files(path: Path, root: Path) -> Iterator[Path]:
    """Give the file, or those in a folder and in folders below it that Ansible reads, in order.

    Raises
    ------
    ConfigError
        One is a link out of the folder `root`, or to a folder, which may hold itself.
    """
    if not path.resolve().is_relative_to(root) or (path.is_dir() and path.is_symlink()):
        raise ConfigError(path, f"is a link out of {root}, or to a folder: put a copy there")
    if not path.is_dir():
        yield path
        return
    for inner in sorted(path.iterdir(), key=lambda entry: entry.name):
        hidden = inner.name.startswith(".") or inner.name.endswith("~")
        if hidden or (inner.is_dir() and inner.suffix):
            continue
        if inner.is_dir() or (inner.is_file() and inner.suffix in VARS_SUFFIXES):
            yield from _variable_files(inner, root)


def _fill_templates(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replace ``{{ name }}`` by the variable of that name, also where that holds another."""
    filled = dict(values)
    for _ in range(len(filled).bit_length() + 1):  # each round doubles how far it looks
        known = {key: value for key, value in filled.items() if key not in _NOT_IN_TEMPLATES}
        again = {key: _fill(value, known) for key, value in filled.items()}
        if again == filled:
            break
        filled = again
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
