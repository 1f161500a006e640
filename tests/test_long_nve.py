"""Conservation of energy over 100 ps, in both precisions, at 5 and 10 fs."""
from test_nve import check_all

check_all(100, [(precision, dt, 2) for precision in ("mixed", "double") for dt in (0.010, 0.005)],
          True)
