"""Ansible's YAML inventory and the variables of its hosts, read and checked."""
