"""Chapter 3: one and two middlewares before one server."""
