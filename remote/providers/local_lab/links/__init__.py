"""The local lab's links: their wiring, rates, delays and congestion control."""
