"""A version of others' work."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, kw_only=True, order=True)
class Package:
    """A version of others' work.

    Attributes
    ----------
    kind
        Where it is from, as package URLs say it: pypi, maven, npm, golang, cargo, deb.
    name
        Its name there; with a group, `group/artifact`.
    version
        Its version there.
    use
        What it is used for here.
    licences
        As the package itself tells them; empty if it tells none, nothing if it was not asked here.
    """

    kind: str
    name: str
    version: str
    use: str
    licences: str | None = None

    @property
    def url(self) -> str:
        """Its package URL, such as `pkg:maven/io.ktor/ktor-network-jvm@3.6.1`."""
        distribution = "debian/" if self.kind == "deb" else ""
        name, version = quote(self.name), quote(self.version, safe="")
        return f"pkg:{self.kind}/{distribution}{name}@{version}"


def python_name(name: str) -> str:
    """Write a name of PyPI's in the one way that stands for all: `Ruamel_Yaml` is `ruamel-yaml`."""
    return re.sub(r"[-_.]+", "-", name).lower()
