"""The chapters of the report, a package for each notebook that has code of its own."""
