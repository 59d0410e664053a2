"""What of a campaign is handed on, and what stands there in place of the rest."""
