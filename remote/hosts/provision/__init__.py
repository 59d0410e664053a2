"""What hosts need for their roles: shown, installed, checked, and uploaded where it is ours."""

from remote.hosts.provision.prepare import DROP_IN, OWN_FILES, Tools, provision
from remote.hosts.provision.table import hosts_table, is_ready

__all__ = [
    "DROP_IN",
    "OWN_FILES",
    "Tools",
    "hosts_table",
    "is_ready",
    "provision",
]
