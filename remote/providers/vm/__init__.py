"""Virtual machines on this machine, which begin as bare as a user's own hosts: the fleet `vm`."""
