"""Operational laws, and what follows for demands, bounds and bottlenecks."""
