"""Chapter 7: models of the system, beside what was measured."""
