"""Throughput and response time over the number of clients: capacities, the knee, their intervals.

In a closed loop that saturates, the response time is a convex function of the clients: from its
light-load value it bends to the asymptote N / X_max - Z (Jain 1991, section 33.6; exactly so in a
network whose stations do not get slower with load). So between two loads it lies below the chord
and above the lines through the loads on either side. What is told here has an interval that holds
both, and the error of the repetitions beyond them: with few loads it is wide although
repetitions agree.
"""
