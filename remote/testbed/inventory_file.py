"""The running lab as an inventory in Ansible's YAML format, so that it is one fleet of many."""

from __future__ import annotations

from typing import Any

import yaml

from remote.testbed.files import WORK_DIR, LabFiles
from remote.testbed.network import CONTROL_DEVICE
from remote.testbed.topology import LabHost, Topology

# For Ansible, whose ssh would read the user's settings and know no host of the lab.
_SSH_ARGUMENTS = (
    "-F none -o UserKnownHostsFile={} -o GlobalKnownHostsFile=/dev/null"
    " -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes"
)


def inventory_text(topology: Topology, files: LabFiles) -> str:
    """Write the inventory of a lab as YAML."""
    groups: dict[str, Any] = {}
    for host in topology.hosts:
        group = groups.setdefault(host.role, {"hosts": {}})
        group["hosts"][host.name] = _host_variables(host)
    shared = {
        "ansible_user": "root",
        "ansible_ssh_private_key_file": str(files.identity),
        "ansible_ssh_common_args": _SSH_ARGUMENTS.format(files.known_hosts),
        "ansible_python_interpreter": "/usr/bin/python3",
        "mwlab_known_hosts": str(files.known_hosts),
        "mwlab_work_dir": str(WORK_DIR),
        "mwlab_route_device": CONTROL_DEVICE,
        "mwlab_topology": topology.name,
        "mwlab_fleet": "local-lab",
        "mwlab_time_dilation": 1,
    }
    return yaml.safe_dump({"all": {"vars": shared, "children": groups}}, sort_keys=False)


def _host_variables(host: LabHost) -> dict[str, Any]:
    variables: dict[str, Any] = {"ansible_host": host.address}
    if host.egress is not None:
        variables["mwlab_rate_mbit_per_s"] = host.egress.rate_mbit_per_s
    return variables
