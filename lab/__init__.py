"""`lab`: measuring and analysing from a terminal. No package imports this one.

Each room may use what stands above it::

    say             what commands show on a terminal
    shared_options  options that several commands have
    crate, verify   a campaign described for other programs; gone over again
    campaigns       what was measured: its states, its soundness, its reproduction
    claims          which claims of the report a campaign supports
    fleets          the local lab and other fleets: which there are, what their hosts lack
    packing, trace  campaigns handed on; requests that were followed
    course, search, sensitivity, dilations, middlewares, workers, export, imports  other commands
    pages_so_far    the report of a campaign that is being measured
    cli             `lab`, which imports a command when it is named, and what all commands share
    __main__        `python -m lab`
"""
