"""Where hosts come from: network namespaces of this machine, its loopback, or an inventory."""
