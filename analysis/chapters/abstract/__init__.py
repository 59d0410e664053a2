"""The report's first page: the findings that matter most, and one figure of them."""
