"""How one run is measured: the programs that it needs on the hosts, in their order."""
