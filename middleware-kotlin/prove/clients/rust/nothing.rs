// The dependency is what counts.
