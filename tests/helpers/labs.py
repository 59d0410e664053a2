"""One local lab for many tests: it stays up until a test needs another one, or none."""

from contextlib import contextmanager

from remote.hosts.group import Fleet
from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Inventory
from remote.providers.local_lab import LocalLab, Topology


class Labs:
    """The local lab of this machine, of one topology after another."""

    def __init__(self):
        self._topology = None

    @contextmanager
    def fleet(self, name):
        """Connect to the hosts of the topology of that name; the lab stays up afterwards."""
        topology = Topology.named(name)
        if self._topology != name:
            self.down()
        LocalLab(topology).up()  # builds a lab anew in which a host does not answer
        self._topology = name
        with Fleet(Inventory.read(LOCAL_LAB_INVENTORY)) as fleet:
            yield fleet

    def down(self):
        """Take the lab down, if there is one."""
        LocalLab().down()
        self._topology = None
