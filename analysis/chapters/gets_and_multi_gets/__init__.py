"""Chapter 5: multi-gets, sharded and not."""
