"""Single requests, seen at every host that they pass: where their time went, and who took it."""
