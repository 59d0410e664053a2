import signal

# What a shell starts in the background has SIGINT ignored, and so would all that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
