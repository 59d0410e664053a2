"""Chapter 10: the studies' numbers, computed again and beside ours."""
