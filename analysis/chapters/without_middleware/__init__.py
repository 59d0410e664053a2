"""Chapter 2: clients and servers with nothing between them."""
