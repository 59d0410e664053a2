"""The local lab: hosts of an experiment as network namespaces of this machine, reached by SSH."""

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
    "network_problem",
    "shell_command",
]
