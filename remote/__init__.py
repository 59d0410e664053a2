"""Everything that touches a host: connections, jobs, experiments, campaigns and the local lab.

Each line may use what stands above it::

    errors, phases, programs           what goes wrong, where time goes, what this machine runs
    inventories, inventory             which hosts there are
    ssh, connection, group, jobs       one host, many hosts, programs that run on them
    testbed, loopback, fleets          hosts that this machine can have
    tools, provision                   what runs on a host, and how it gets there
    design, section                    an experiment as data
    runs, checks, manifest, run        one run: measured, judged, recorded
    campaign, fleet_table, whatif      all runs of some sections, for notebooks too
    commands, cli                      `lab`
"""
