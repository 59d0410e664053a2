"""The claims of each chapter of the report: a function each, that checks them on what was found."""
