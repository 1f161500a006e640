"""The states of eight systems after 2,000 steps in double precision (support/hashed.py): every machine, every processor and GPU,
and any number of ranks must give these bits. `python3 test_hashes.py print` prints the hashes of the program that is built."""
import sys
import tempfile

import hashed
import trial
from run_lamella import Checks

HASHES = {
    "elba-nve": "c22fa24377a74e1c40e2e3c5987cb0c7df82451124318f1043ec919b41db533a",
    "elba-langevin": "54fa6f58545a1db5c56e0fabf7e8c0335f0e42891a6b3f0af522c9346ff2e28d",
    "field-nvt": "6d700a729285eaefb6bdbb2ffdd52cd2b96b40983b55a533b3f8036aeedeba94",
    "field-npt": "ee8f1f41a1ebcc69ac4f07184330bbd3d97afe3b1997515d8ad555977bb65d32",
    "sterols-npt": "7c40cf07e482b60bf212872820620a3ea816b439b0228cd09cae95a7cafef02e",
    "ssd-nve": "2405ee5daa954719740fbc39522ac39b74ecaf462763819c225dde1a407db52a",
    "melt-npt": "e1a837c6f9ad9e59f25d8f65150e1690989620af22dd540068a24662b89488a3",
    "ellipsoids-nvt": "9433b972212a666d4dbcf4740f82e8d58bf933c2184fb65e25954f814494ea97",
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
