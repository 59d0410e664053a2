"""Chapter 4: sets through the full system."""
