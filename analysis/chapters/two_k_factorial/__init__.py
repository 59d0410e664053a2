"""Chapter 6: servers, middlewares and workers as factors."""
