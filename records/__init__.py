"""Typed records that `remote` writes and `analysis` reads; nothing here imports either.

Each room may use what stands above it::

    visible     text of others, shown and not done
    names       plain names of hosts, sections, campaigns and files
    documents   what a file holds, checked by a model
    settings    the register: every factor and setting of a run, declared once
    objective   a limit of response times within which the largest throughput is searched for
    section     what a section file may hold
    template    templates of middleware files, filled in within bounds
    middleware  what a middleware file may hold, and what any middleware can be told
    verdict     the checks of a run, and whether it counts
    manifest    all that is recorded of a run
"""
