"""The states of eight systems after 2,000 steps in double precision (support/hashed.py): every machine, every processor and GPU,
and any number of ranks must give these bits. `python3 test_hashes.py print` prints the hashes of the program that is built."""
import sys
import tempfile

import hashed
import trial
from run_lamella import Checks

HASHES = {
    "elba-nve": "f86b03916761434e30436c40aead3a77769888c25c4771a9c832fdc4a1ecb654",
    "elba-langevin": "ace392c15c8e68b6bd952bbc9ed579b9044251ab1b3b57889faa9298869e42c6",
    "field-nvt": "43f02a2c6ac554a7fe4abcbbb44d7dac9151d9df73c85373416362da3ec59f0b",
    "field-npt": "9c2255f91235a83fd9b3c93a93cdbdf99b5e4d77809edc957f2076b7ec39f9c2",
    "sterols-npt": "d93f5b1eef69e797a6202f913c318b579b0533c2aa42d7398f0fed04e16f3138",
    "ssd-nve": "080c7106fba2b0912a040b8427009148683214abfa04611df74f73327e4f75d7",
    "melt-npt": "ebe9993ac726d5dc1c4e74f823d91cb50e9aaf851f778175630c78729f2ea14b",
    "ellipsoids-nvt": "e8f78596a031be0a90f3969c07cce4195aee5071caa37a9fb1a4e8e4d7d98cae",
}


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for name in hashed.RUNS:
            trial.simulate(folder, name, hashed.settings(folder, name, "cpu"), ranks=2 if name == "sterols-npt" else 1)
            found = hashed.digest(trial.checkpoint(folder, name))
            if sys.argv[1:] == ["print"]:
                print(f'    "{name}": "{found}",')
            else:
                checks.true(f"{name}: the hash of its state", found == HASHES[name], found, HASHES[name])
    checks.end()


if __name__ == "__main__":
    main()
