"""The token buckets of the lab's links, for models of what was measured on it."""

from pathlib import Path

from analysis.results.manifests import each_run
from records.fleets import LOCAL_LAB
from remote.errors import ConfigError
from remote.providers.local_lab.topology import Topology

BYTES_PER_KIB = 1024


def bucket_bytes(campaign_dir: Path, section: str, role: str) -> int | None:
    """Return the size of the token bucket of a role's links when a section was measured.

    A manifest names the topology, and the topology's file has its buckets. They hold the same
    bytes however time was dilated. None where the hosts were not the lab's, their links have no
    limit, or the topology does not come with the package.
    """
    runs = each_run(campaign_dir, [section])
    manifests = [manifest for _, manifest in runs if manifest.fleet == LOCAL_LAB]
    if not manifests:
        return None
    try:
        topology = Topology.named(manifests[0].topology.name)
    except ConfigError:
        return None
    links = [host.egress for host in topology.hosts if host.role == role]
    return links[0].burst_kib * BYTES_PER_KIB if links and links[0] else None
