"""Chapter 12: by how much throughput follows each rate."""
