"""test_trajectory_flips.py with 1,000 flips."""
import os

os.environ["FLIPS"] = "1000"
import test_trajectory_flips  # noqa: E402, F401
