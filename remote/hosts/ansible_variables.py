"""The variables of one host of an inventory: which there are, and their values, types checked."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remote.errors import ConfigError
from remote.hosts.ansible_inventory import Encrypted

DELAYS = ("none", "netem", "delay-line")
FLEET_VARIABLES = {
    "mwlab_fleet": "name of the fleet, as manifests and figures show it",
    "mwlab_topology": "name of the network's limits and delays",
    "mwlab_time_dilation": "number, how many times slower than its model the network is",
    "mwlab_rtt_ms": "number, what ping shall show between two hosts",
    "mwlab_wake_up_ms": "number, what of it the machine itself takes and is not delayed",
    "mwlab_delay": f"what delays packets: {', '.join(DELAYS)}",
}
HOST_VARIABLES = {
    "mwlab_data_address": "where measured traffic goes",
    "mwlab_rate_mbit_per_s": "number, limit of the host's outgoing link",
    "mwlab_own_rtt_ms": "number, what ping shall show between it and hosts without such a number",
    "mwlab_work_dir": "folder on the host",
    "mwlab_known_hosts": "file with the pinned host keys",
    "mwlab_jump_host": "a host of this inventory, or [user@]host[:port]",
    "mwlab_route_device": "network device by which packets must leave",
    "mwlab_cpu_quota": "number, CPUs that the host's processes together may use",
    "mwlab_cpu_account": "file, on the host, with the CPU time that it has used",
}
OUR_PREFIX = "mwlab_"


@dataclass(frozen=True)
class HostVariables:
    """The merged variables of the host `name` in the inventory `path`.

    Raises
    ------
    ConfigError
        From every method: a value is of the wrong kind; names file, host and variable.
    """

    path: Path
    name: str
    values: Mapping[str, Any]

    def refuse_unknown(self) -> None:
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
                raise self._wrong(key, "must be a text", repr(value))
            if "{{" in str(value):
                raise self._wrong(key, "needs Ansible to be filled in: write the value", str(value))
            return str(value)
        return None

    def number(self, *keys: str, may_be_zero: bool = False) -> float | None:
        """Return a number above 0, or not below it, of the last of `keys` that is given."""
        for key in reversed(keys):
            value = self.values.get(key)
            if value is None:
                continue
            try:
                number = math.nan if isinstance(value, bool) else float(value)
            except (TypeError, ValueError):
                number = math.nan
            if not 0 <= number < math.inf or (number == 0 and not may_be_zero):
                rule = f"must be a number {'>=' if may_be_zero else '>'} 0"
                raise self._wrong(key, rule, repr(value))
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


def _like(key: str, known: Sequence[str]) -> str | None:
    """Return the known variable whose name, without the common prefix, looks like that of `key`."""
    names = [name.removeprefix(OUR_PREFIX) for name in known]
    near = difflib.get_close_matches(key.removeprefix(OUR_PREFIX), names, n=1)
    return OUR_PREFIX + near[0] if near else None
