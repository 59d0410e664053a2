"""Everything that touches a host: connections, jobs, experiments, campaigns and the local lab."""
