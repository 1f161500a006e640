"""The covering of test_bitwise.py over 2000 steps a run, and all of that of test_bitwise_beads.py over 300."""
import test_bitwise
import test_bitwise_beads
from run_lamella import Checks

checks = Checks()
test_bitwise.check_all(checks, 2000)
test_bitwise_beads.check_all(checks, 300)
checks.end()
