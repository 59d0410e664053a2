"""Where hosts come from: network namespaces, this machine's loopback, virtual machines, or an inventory."""
