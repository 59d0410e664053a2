"""Where hosts come from: this machine, in one of three ways, or an inventory.

The local lab is of network namespaces, loopback of one sshd, and there are virtual machines.
"""
