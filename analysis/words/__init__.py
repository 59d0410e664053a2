"""Sentences that are made from numbers, so that another campaign gets other sentences."""
