"""Hosts: which there are, the way to one and to many, what runs on them, what they need."""
