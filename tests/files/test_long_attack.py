"""Every attack with as many cases as the counts that are asked for; names as arguments: only those.
LAMELLA may be a build with --enable-sanitize, LAMELLA_SEED another seed than the usual."""
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
names = sys.argv[1:] or ["kills", "calls", "flips", "cuts", "restart", "full", "inputs", "writes"]
failed = []
for name in names:
    script = os.path.join(here, f"test_attack_{name}.py")
    if subprocess.run([sys.executable, script, "long"]).returncode not in (0, 77):
        failed.append(name)
print("failed:", " ".join(failed) or "none")
sys.exit(1 if failed else 0)
