"""Every table and figure of the studies: where its counterpart is, and whether it came out so.

::

    counterpart_list  what the studies show, and what here stands beside it
    printed_numbers   which table prints a number, and the printed response times
    comparisons       what was measured of the printed numbers
    numbers           each printed number once, and whether ours is near
    verdicts          the verdicts, as a table
    page              the verdicts and numbers as a page of the documentation
"""
