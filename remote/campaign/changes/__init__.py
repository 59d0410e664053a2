"""The lab changed on purpose: what a model predicted of it, and what throughput follows."""
