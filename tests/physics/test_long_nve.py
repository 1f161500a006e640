"""Conservation of energy over 100 ps, in both precisions, at 5 and 10 fs."""
from test_nve import authors, check_all

RUNS = [(precision, dt, 2) for precision in ("mixed", "double") for dt in (0.010, 0.005)]
check_all(authors, 100, RUNS, True)
