"""Chapter 8: a long run, second by second."""
