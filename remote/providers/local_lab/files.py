"""Where the running lab keeps its keys, its inventory and what it must put back."""

from __future__ import annotations

import json
from pathlib import Path

from records.files.atomic import write_json
from remote.hosts.inventory import LOCAL_LAB_INVENTORY
from remote.providers.local_lab.topology import Topology

STATE_DIR = LOCAL_LAB_INVENTORY.parent
HOST_DIR = Path("/run/middleware-lab")
"""What a host has for itself: a path inside the host."""

WORK_DIR = HOST_DIR / "work"
"""Each host's working directory: a path inside the host, on a tmpfs of its own."""

CPU_ACCOUNT = HOST_DIR / "cpu_account"
"""The kernel's file with a host's CPU time: a path inside the host."""


class LabFiles:
    """Paths of a lab's files below one directory that only its user can read."""

    def __init__(self, directory: Path = STATE_DIR) -> None:
        self.directory = directory
        # What was built; written before anything is built.
        self.topology = directory / "topology.json"
        # How to reach the hosts; written last: a lab with an inventory was completed.
        self.inventory = directory / "inventory.yml"
        # Private key that all hosts accept; the public one is beside it, with suffix .pub.
        self.identity = directory / "id_ed25519"
        self.known_hosts = directory / "known_hosts"
        # The machine's own setting, kept while it is changed.
        self.congestion_control = directory / "tcp_allowed_congestion_control"
        # Exists if /run/netns did not exist before the lab.
        self.netns_dir_is_new = directory / "netns_dir_is_new"
        # The process that holds an ordinary user's namespaces, and that of the delay line.
        self.holder = directory / "holder.init"
        self.line_process = directory / "delay-line.init"
        # Settings and counters of the delay line; exists if there is one.
        self.line_shared = directory / "delay-line"

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
