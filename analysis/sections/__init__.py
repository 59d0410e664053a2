"""What single sections of the report have that others do not."""
