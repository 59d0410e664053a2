"""The pages of `docs/reference` that are made from the code, by its docstrings.

Each room may use what stands above it::

    markdown       tables and blocks of code, as all pages have them
    docstrings     the description of each attribute
    commands       `lab` and `make`
    section_files  what a section file may hold
    inventory      variables of hosts and fleets
    columns        the tidy tables
    programs       options of middleware and load generator
    __main__       `make manual`
"""
