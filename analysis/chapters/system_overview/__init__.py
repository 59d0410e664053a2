"""Chapter 1: the system, and what of it limited the runs."""
