"""Drawings of how a system is built."""
