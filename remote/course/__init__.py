"""A course: systems with hidden limits, what students state of them, and marks by measurement."""
