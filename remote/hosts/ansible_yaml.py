"""One file as Ansible reads it, YAML or JSON, in bounded time; what is ambiguous is refused."""

from __future__ import annotations

import copy
import itertools
import json
import reprlib
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor

from records.documents import read_regular, require_plain_values
from remote.errors import ConfigError

VAULT_HEADER = "$ANSIBLE_VAULT"
CONVERT = "convert another format with `ansible-inventory -i {path} --list --yaml`"
LARGEST = 500_000
"""Bytes of a file, and characters with what its anchors repeat; 1000 hosts have 160 000 bytes."""
_LONGEST_NUMBER = 100  # characters of a number or date; Python is slow to convert more
_TAGS = (None, "!", "tag:yaml.org,2002:str", "!vault", "!vault-encrypted", "!unsafe")
_MERGE = "<<"


class Encrypted(str):
    """A value that only ansible-vault can read."""


class Unsafe(str):
    """A text that Ansible does not take for a template."""


def read_text(path: Path) -> str:
    """Read a file of UTF-8 with at most `LARGEST` bytes; ConfigError otherwise."""
    try:
        return read_regular(path, LARGEST).decode()
    except UnicodeDecodeError as exc:
        remedy = "convert it with `iconv -f latin1 -t utf-8`"
        raise ConfigError(path, f"is not UTF-8: {exc}; {remedy}") from exc
    except OSError as exc:
        raise ConfigError(path, f"cannot be read: {exc.strerror}") from exc


def parse_ansible(text: str, path: Path) -> Any:
    """Read JSON if `text` is JSON, else YAML, as Ansible does: the two differ in numbers."""
    try:
        try:
            document = json.loads(text, object_pairs_hook=_json_object)
        except json.JSONDecodeError:
            document = yaml.load(text, Loader=_Loader)  # has the constructors of a SafeLoader
        require_plain_values(document)
    except yaml.YAMLError as exc:
        raise ConfigError(path, f"not YAML: {exc}; {CONVERT.format(path=path)}") from exc
    except ValueError as exc:  # of ours, or a number or date that Python refuses
        raise ConfigError(path, str(exc)) from exc
    except RecursionError as exc:
        raise ConfigError(path, "is nested without end, or nearly so") from exc
    return document


class _Loader(Composer, yaml.CSafeLoader):
    """YAML with the tags of Ansible, in which nothing may be given twice, or too often.

    C parses, many times faster than Python does; Python composes: endless nesting would crash C.
    """

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)

    def get_single_node(self) -> yaml.Node | None:
        """Return the whole document, before anything that its anchors repeat is made of it."""
        node = super().get_single_node()
        if node is not None and _length(node, {}) > LARGEST:
            raise ValueError(
                f"has more than {LARGEST} characters with all that its anchors repeat: repeat "
                "fewer YAML anchors"
            )
        return node

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a node without a tag such as !!int, whose constructor may raise any error."""
        event: Any = self.peek_event()
        if (tag := getattr(event, "tag", None)) not in _TAGS:
            line = event.start_mark.line + 1
            raise ValueError(
                f"line {line} has the tag {tag}: known are !vault and !unsafe; remove it"
            )
        return super().compose_node(parent, index)

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        """Return the text of a value, which is short if a number or a date is made of it."""
        if node.tag != self.DEFAULT_SCALAR_TAG and len(node.value) > _LONGEST_NUMBER:
            line = node.start_mark.line + 1
            raise ValueError(f"line {line} has a number of more than {_LONGEST_NUMBER} characters")
        return super().construct_scalar(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Make a mapping, of whose equal keys YAML would silently take the last one."""
        marks: dict[str, yaml.Mark] = {}
        for key, _ in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else str(id(key))
            first = marks.setdefault(name, key.start_mark)
            if first is not key.start_mark and key.value != _MERGE:
                lines = f"in lines {first.line + 1} and {key.start_mark.line + 1}"
                raise ValueError(f"{key.value} is given twice, {lines}: remove one of them")
        return super().construct_mapping(node, deep)


def _length(node: yaml.Node, known: dict[int, int]) -> int:
    """Count the characters of a node and those in it, each as often as it is repeated.

    What an anchor repeats within itself counts once, and is refused elsewhere.
    """
    if isinstance(node, yaml.ScalarNode):
        return 1 + len(node.value)
    if id(node) not in known:
        known[id(node)] = 0
        is_mapping = isinstance(node, yaml.MappingNode)
        parts = itertools.chain(*node.value) if is_mapping else node.value
        known[id(node)] = 1 + sum(_length(part, known) for part in parts)
    return known[id(node)]


def variables_of(value: object, place: str) -> dict[str, Any]:
    """Return a mapping of variables, whose names are text; ValueError tells the `place`."""
    return {require_text("variable", k, place): v for k, v in mapping_of(value, place).items()}


def mapping_of(value: object, place: str) -> dict[Any, Any]:
    """Return a mapping, which may be empty; ValueError tells the `place`."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{place} must be a mapping, got {reprlib.repr(value)}")
    return value


def require_text(kind: str, name: object, place: str) -> str:
    """Return the name of what is of that `kind`; ValueError if YAML takes it for something else."""
    if isinstance(name, str) and not isinstance(name, Encrypted):
        return name
    raise ValueError(
        f"{place}: the name of a {kind} is {name!r}, which YAML reads as {type(name).__name__}; "
        "Ansible accepts only text: put it in quotes"
    )


def _vault(loader: _Loader, node: yaml.ScalarNode) -> Encrypted:
    return Encrypted(SafeConstructor.construct_scalar(loader, node))


def _unsafe(loader: _Loader, node: yaml.Node) -> Any:
    plain = copy.copy(node)  # with the tag that it has without !unsafe
    plain.tag = loader.resolve(type(node), node.value, (True, False))  # type: ignore[no-untyped-call]
    value = loader.construct_object(plain, deep=True)
    return Unsafe(value) if isinstance(value, str) else value


_Loader.add_constructor("!vault", _vault)
_Loader.add_constructor("!vault-encrypted", _vault)
_Loader.add_constructor("!unsafe", _unsafe)


def _json_object(pairs: list[tuple[str, Any]]) -> Any:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key} is given twice: remove one of them")
        found[key] = value
    if "__ansible_vault" in found:
        return Encrypted(found["__ansible_vault"])
    if "__ansible_unsafe" in found:
        return Unsafe(found["__ansible_unsafe"])
    return found
