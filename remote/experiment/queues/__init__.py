"""What a run over queues of messages needs besides: its databases, and messages to be taken."""
