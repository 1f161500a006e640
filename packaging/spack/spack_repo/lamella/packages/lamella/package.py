# SPDX-License-Identifier: Apache-2.0

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Lamella(AutotoolsPackage, CudaPackage):
    """Molecular dynamics of large coarse-grained lipid bilayers on GPUs and CPUs: point masses,
    charges, dipoles, sticky dipoles and ellipsoids, Martini systems from GROMACS files, and the
    same trajectory bit for bit on any number of MPI ranks."""

    homepage = "https://example.org/lamella"
    url = "https://example.org/lamella/lamella-0.1.tar.gz"
    git = "https://example.org/lamella/lamella.git"

    license("Apache-2.0")

    version("main", branch="main")

    variant("nccl", default=False, when="+cuda", description="Transports by NCCL between nodes")
    variant("openmp", default=True, description="Threads of OpenMP in each rank")
    variant("fftw", default=True, description="Maps by the method full on CPUs")
    variant(
        "isa",
        default="all",
        values=("all", "native", "v1", "v3", "v4"),
        description="Instruction sets of the CPU kernels, of which all picks the best at start",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("autoconf", type="build", when="@main")
    depends_on("automake", type="build", when="@main")
    depends_on("libtool", type="build", when="@main")
    depends_on("m4", type="build", when="@main")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5+mpi")
    depends_on("libyaml")
    depends_on("fftw@3:", when="+fftw")
    depends_on("cuda@11.8:", when="+cuda")
    depends_on("nccl@2.17:+cuda", when="+nccl")

    conflicts("cuda_arch=none", when="+cuda", msg="give cuda_arch, such as cuda_arch=80,90")

    def configure_args(self):
        spec = self.spec
        # The module lamella is found by PYTHONPATH: no file in a Python outside of the prefix.
        args = [
            f"MPICC={spec['mpi'].mpicc}",
            f"--with-hdf5={spec['hdf5'].prefix}",
            f"--with-isa={spec.variants['isa'].value}",
            "--with-python-site=no",
            "--without-ccache",
        ]
        args += self.enable_or_disable("openmp")
        args += self.with_or_without("fftw", activation_value="prefix")
        if spec.satisfies("+cuda"):
            args.append(f"--with-cuda={spec['cuda'].prefix}")
            args.append(f"--with-cuda-arch={','.join(spec.variants['cuda_arch'].value)}")
        else:
            args.append("--without-cuda")
        if spec.satisfies("+nccl"):
            args.append(f"--with-nccl={spec['nccl'].prefix}")
        else:
            args.append("--without-nccl")
        return args

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.share.lamella.python)

    def check(self):
        """The tests of bits and of files, with --test=root; make check has all of them."""
        with working_dir(self.build_directory):
            tests = "tests/physics/test_golden.py tests/files/test_restart.py"
            make("check", "check_PROGRAMS=", f"TESTS={tests}")

    def test_system(self):
        """build a box of water, read it and compute its energy"""
        lamella = which(join_path(self.prefix.bin, "lamella"))
        with open("water.yaml", "w") as spec:
            spec.write("{forcefield: elba, water: {count: 500}}\n")
        lamella("build", "water.yaml", "-o", "water.h5")
        said = lamella("info", "water.h5", output=str.split, error=str.split)
        check_outputs(["whole", "beads +500"], said)
        lamella("energy", "water.h5")
