"""`lab`: measuring and analysing from a terminal. No package imports this one.

Each room may use what stands above it::

    say             what commands show on a terminal
    shared_options  options that several commands have
    crate, verify   a campaign described for other programs; gone over again
    campaigns       what was measured: its states, its soundness, its reproduction
    claims          which claims of the report a campaign supports
    fleets          the local lab and other fleets: which there are, what their hosts lack
    local           the local lab is started, shown and taken down
    packing, trace  campaigns handed on; requests that were followed
    course, search, sensitivity, dilations, middlewares, workers, export, imports  other commands
    pages_so_far    the report of a campaign that is being measured
    measuring       what is missing of sections is measured
    cli             `lab`: the list of commands, each imported when it is named, and their errors
    __main__        `python -m lab`
"""
