"""Every table and figure of the studies: where its counterpart is, and whether it came out so.

::

    listed    what the studies show, and what here stands beside it
    compared  the comparisons by number: ours over theirs
    judged    the verdicts, as a table
    page      the table as a page of the documentation
"""
