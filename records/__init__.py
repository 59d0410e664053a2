"""Typed records that `remote` writes and `analysis` reads, and how files and text are written.

Nothing here imports another package of ours.

Each room may use what stands above it::

    text              text of others, shown and not done; numbers and lists in words; Markdown
    files             files written whole or not at all, unpacked within limits, locked
    paths             where the project keeps its files
    names             plain names of hosts, sections, campaigns and files
    fleets            names of fleets, and which of them share one machine
    documents         what a file holds, checked by a model
    settings          the register: every factor and setting of a run, declared once
    objective         a limit of response times within which the largest throughput is searched for
    section           what a section file may hold
    import_plan       how other people's raw files are named, and what is in them
    template          templates of middleware files, filled in within bounds
    middleware        what a middleware file may hold, and what any middleware can be told
    verdict           the checks of a run, and whether it counts
    manifest_entries  the entries of a manifest: programs, files, hosts, clocks, phases
    manifest          all that is recorded of a run
    campaign          the choices and conditions that a campaign was begun with
    sensitivity       what is changed of a lab, by which factor, and the folders of these cases
"""
