"""What a user sees of a campaign: what is to come, how it goes on, what has become of it."""
