"""The local lab: hosts of an experiment as network namespaces of this machine, reached by SSH."""

from remote.ssh.routes import route_leaves_by
from remote.testbed.files import default_inventory_path
from remote.testbed.namespaces import LocalLab
from remote.testbed.status import HostStatus, SwitchStatus, network_problem, shell_command
from remote.testbed.topology import Topology

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
