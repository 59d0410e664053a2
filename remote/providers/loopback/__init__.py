"""The fleet for machines without root or namespaces."""
