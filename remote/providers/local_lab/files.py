"""Where the running lab keeps its keys, its inventory and what it must put back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from analysis.whole_files import write_json
from remote.hosts.inventory import LOCAL_LAB_INVENTORY
from remote.providers.local_lab.topology import Topology

STATE_DIR = LOCAL_LAB_INVENTORY.parent
HOST_DIR = Path("/run/middleware-lab")
"""What a host has for itself: a path inside the host."""

WORK_DIR = HOST_DIR / "work"
"""Each host's working directory: a path inside the host, on a tmpfs of its own."""

CPU_ACCOUNT = HOST_DIR / "cpu_account"
"""The kernel's file with a host's CPU time: a path inside the host."""


@dataclass(frozen=True)
class LabFiles:
    """Paths of a lab's files below one directory that only its user can read."""

    directory: Path = STATE_DIR

    @property
    def topology(self) -> Path:
        """What was built; written before anything is built."""
        return self.directory / "topology.json"

    @property
    def inventory(self) -> Path:
        """How to reach the hosts; written last: a lab with an inventory was completed."""
        return self.directory / "inventory.yml"

    @property
    def identity(self) -> Path:
        """Private key that all hosts accept; the public one is beside it, with suffix .pub."""
        return self.directory / "id_ed25519"

    @property
    def known_hosts(self) -> Path:
        """The hosts' pinned keys."""
        return self.directory / "known_hosts"

    @property
    def congestion_control(self) -> Path:
        """The machine's own setting, kept while it is changed."""
        return self.directory / "tcp_allowed_congestion_control"

    @property
    def netns_dir_is_new(self) -> Path:
        """Exists if /run/netns did not exist before the lab."""
        return self.directory / "netns_dir_is_new"

    @property
    def holder(self) -> Path:
        """The process that holds an ordinary user's namespaces, as it has noted itself."""
        return self.directory / "holder.init"

    @property
    def line_shared(self) -> Path:
        """Settings and counters of the delay line; exists if there is one."""
        return self.directory / "delay-line"

    @property
    def line_process(self) -> Path:
        """The delay line's process, as it has noted itself."""
        return self.directory / "delay-line.init"

    def host(self, name: str) -> Path:
        """Folder of what one host needs to start, its log and its process."""
        return self.directory / "hosts" / name

    def read_topology(self) -> Topology | None:
        """Read the topology of the completed lab, None if there is none."""
        if not all(path.exists() for path in (self.inventory, self.identity, self.known_hosts)):
            return None
        try:
            return Topology.from_dict(json.loads(self.topology.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError):
            return None

    def write_topology(self, topology: Topology) -> None:
        """Note what is going to be built."""
        write_json(self.topology, topology.to_dict())


def default_inventory_path() -> Path:
    """Path of the inventory that a running lab writes."""
    return LabFiles().inventory
