"""What the studies' machines were: fitted to one experiment of each study, judged by all others."""
