"""Chapter 9: a ring of hashes, and what copies of every key cost."""
