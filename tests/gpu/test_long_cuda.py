"""The covering of test_cuda.py over 10 000 steps of a longer membrane."""
from test_cuda import LONG_STEPS, check_all

check_all(LONG_STEPS)
