"""The local lab: hosts of an experiment as network namespaces of this machine, reached by SSH."""

from remote.hosts.ssh.sockets import route_leaves_by
from remote.providers.local_lab.files import default_inventory_path
from remote.providers.local_lab.namespaces import LocalLab
from remote.providers.local_lab.status import (
    HostStatus,
    SwitchStatus,
    network_problem,
    shell_command,
)
from remote.providers.local_lab.topology import Topology

__all__ = [
    "HostStatus",
    "LocalLab",
    "SwitchStatus",
    "Topology",
    "default_inventory_path",
    "network_problem",
    "route_leaves_by",
    "shell_command",
]
