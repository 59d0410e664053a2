"""What a campaign has found: statements that its numbers can bear out or contradict."""
