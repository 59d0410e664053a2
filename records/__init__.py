"""Typed records that `remote` writes and `analysis` reads; nothing here imports either.

Each room may use what stands above it::

    visible     text of others, shown and not done
    names       plain names of hosts, sections, campaigns and files
    documents   what a file holds, checked by a model
"""
