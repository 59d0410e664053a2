"""`lab`: measuring and analysing from a terminal. No package imports this one.

Each room may use what stands above it::

    say             what commands show on a terminal
    shared_options  options that several commands have
    crate, verify   a campaign described for other programs; gone over again
    campaigns       what was measured: its states, its claims, its soundness, its reproduction
    fleets          the local lab and other fleets: which there are, what their hosts lack
    packing, trace  campaigns handed on; requests that were followed
    course, search, sensitivity, dilations, middlewares, workers, export  other commands
    cli             `lab` and what its commands have in common
    __main__        `python -m lab`
"""
