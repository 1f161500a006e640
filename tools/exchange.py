#!/usr/bin/env python3
"""lamella-exchange PREFIX: what became of the exchanges of replicas, and their files by rung. The work is in
lamella/exchange.py, in the folder python beside this file, or installed in ../share/lamella/python."""
import os
import sys

here = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(here, "python"), os.path.join(here, "../share/lamella/python")]
sys.dont_write_bytecode = True
try:
    from lamella.exchange import main
    from lamella.command import run
except ImportError as missing:
    print(f"{missing}" + f"; it is looked for in {sys.path[:2]}" * (missing.name == "lamella"), file=sys.stderr)
    sys.exit(2)

if __name__ == "__main__":
    run(main)
