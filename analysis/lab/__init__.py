"""The machine under a lab: what it emulates, what it adds, and what limits it."""
