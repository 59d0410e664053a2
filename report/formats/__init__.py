"""Sections as pages of PDF and HTML."""
