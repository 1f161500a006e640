#!/bin/sh
# configure: an HDF5 that was built with another MPI is refused by name, also where it would link; one that CMake has
# installed is found; the mpiexec is that of the compiler; a compiler such as HPE Cray's, which wraps no other, is taken
# alone. On a node that submits jobs --with-isa=native warns. Needs Open MPI and MPICH of Debian.
for name in openmpi mpich; do
  if ! command -v mpicc.$name >/dev/null || ! test -d /usr/include/hdf5/$name; then
    echo "no $name beside another MPI (Debian: libhdf5-$name-dev)"
    exit 77
  fi
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
top=$(cd "$top_srcdir" && pwd)
cd "$work" || exit 99
# What the build folder found of the system is not looked for again.
sed -n '/^## Cache variables/,/^## Output variables/p' "$top_builddir/config.log" |
  grep -E "^[a-z]+_cv_(header|func|search|type)_[A-Za-z0-9_]*=([^']*|'[^']*')\$" >site
export CONFIG_SITE=$work/site
unset CC MPICC MPIEXEC MAKEFLAGS MFLAGS MAKELEVEL

says() { # says WHAT WORDS ARGUMENT...: configure ends so, or goes on to its end, and says these words
  what=$1 words=$2
  shift 2
  "$top/configure" --without-cuda --with-fftw=no --with-isa=v1 --disable-dependency-tracking "$@" >said 2>&1
  grep -q -e "$words" said || {
    tail -n 20 said
    echo "$what: does not say '$words'"
    failed=1
  }
}

for name in openmpi mpich; do
  mkdir $name
  ln -s /usr/include/hdf5/$name $name/include
  ln -s "$(dirname "$(find /usr/lib/*/hdf5/$name -name libhdf5.so)")" $name/lib
done
says "HDF5 of Open MPI" 'openmpi: it is of Open MPI' MPICC=mpicc.mpich --with-hdf5="$work/openmpi"
says "HDF5 of MPICH" 'mpich: it is not of Open MPI' MPICC=mpicc.openmpi --with-hdf5="$work/mpich"
# As CMake installs HDF5: in lib64, an hdf5.pc with expressions of CMake; or no pkg-config, and an h5pcc without -show.
mkdir -p cmake/bin pc
ln -s ../openmpi/include cmake/include
ln -s ../openmpi/lib cmake/lib64
printf '%s\n' 'Name: hdf5' 'Description: HDF5' 'Version: 1.14' "Cflags: -I$work/cmake/include" \
  "Libs: -L$work/cmake/lib64 -lhdf5 \$<LINK_ONLY:MPI::MPI_C>" >pc/hdf5.pc
PKG_CONFIG_LIBDIR=$work/pc says "hdf5.pc of CMake" 'by hdf5... yes' MPICC=mpicc.openmpi
printf '#!/bin/sh\nexit 1\n' >cmake/bin/h5pcc
chmod +x cmake/bin/h5pcc
ln -s "$(command -v mpicc.openmpi)" cmake/bin/mpicc
PATH=$work/cmake/bin:$PATH says "h5pcc without -show" "by $work/cmake... yes" PKG_CONFIG=false
says "mpiexec of Open MPI" 'MPIEXEC=mpiexec.openmpi is not that of mpicc.mpich' MPICC=mpicc.mpich \
  MPIEXEC=mpiexec.openmpi --with-hdf5="$work/openmpi"
printf '#!/bin/sh\ncase $1 in -show) exit 1 ;; esac\nexec mpicc.mpich "$@"\n' >cc
cp cc qsub
chmod +x cc qsub
says "a compiler of one's own" 'wraps no compiler of your choice' MPICC="$work/cc" CC=clang
unset SLURM_JOB_ID PBS_JOBID LSB_JOBID JOB_ID
PATH=$work:$PATH says "a compiler that wraps none" "MPI  *MPICH" MPICC="$work/cc" --with-hdf5="$work/mpich" --with-isa=native
grep -q "mpiexec of $work/cc... " said || failed=1
grep -q 'isa=native takes that of this node' said || { echo "no warning of the processor of a login node"; failed=1; }
exit $failed
