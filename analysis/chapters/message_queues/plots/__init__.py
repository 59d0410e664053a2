"""Figures of message queues."""
