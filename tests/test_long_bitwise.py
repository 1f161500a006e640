"""The covering of test_bitwise.py over 2000 steps a run."""
from test_bitwise import check_all

check_all(steps=2000)
