"""Names of fleets, as inventories and manifests state them."""

LOCAL_LAB = "local-lab"
ONE_MACHINE = (LOCAL_LAB, "loopback")
"""The fleets whose hosts share the CPUs of one machine."""
