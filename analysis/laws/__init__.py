"""Operational laws, and what they say of demands, bounds and bottlenecks."""
