"""Chapter 0: what the network of the lab gives before anything runs on it."""
