# Sourced by quickstart, check and .ci/run (bash): installs what is missing on Debian and its kin,
# and builds in build/ (or $BUILD). LAMELLA_NO_INSTALL=1 installs nothing; LAMELLA_MAKE holds
# variables for make.

# The packages of an MPI and of its HDF5. The MPI is that of MPICC, or of mpicc; Open MPI where there is none.
packages_openmpi='libopenmpi-dev openmpi-bin libhdf5-openmpi-dev'
packages_mpich='libmpich-dev mpich libhdf5-mpich-dev'
MPI=openmpi
if echo '#include <mpi.h>' | ${MPICC:-mpicc} -E -dM - 2>/dev/null | grep -q MPICH_VERSION; then MPI=mpich; fi
packages_mpi=packages_$MPI
packages_build="git autoconf automake make gcc libc6-dev pkg-config libyaml-dev ${!packages_mpi}"
packages_picture='python3 python3-numpy python3-h5py python3-matplotlib python3-yaml python3-jinja2'
packages_check='libfftw3-dev python3 libcmocka-dev g++ ccache time python3-numpy python3-h5py python3-yaml python3-matplotlib
  python3-jinja2 python3-mdanalysis python3-pip python3-setuptools python3-wheel hdf5-tools lammps universal-ctags clang-format-14 clang-format clang-tidy cppcheck
  slurm-wlm munge'
# Debian's lammps brings Open MPI, whose mpicc would become the default in place of MPICH's: its tests are skipped.
if test $MPI = mpich; then packages_check=${packages_check/lammps /}; fi

TOP=$PWD
BUILD=${BUILD:-$PWD/build}
read -ra MAKE_OPTIONS <<<"${LAMELLA_MAKE:-}" # such as WERROR=-Werror
# More ranks than cores, in a container, perhaps as root: none of it is a mistake here. PRTE: the launcher of Open MPI 5.
# MPICH asks for nothing.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=slot:oversubscribe
export OMPI_MCA_btl_vader_single_copy_mechanism=none
if test "$(id -u)" = 0; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

say() { printf '\n== %s\n' "$*"; }

is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

# install_missing PACKAGE...: nothing where all are there. Fails when it cannot.
install_missing() {
  local missing=() package as_root=()
  if test "${LAMELLA_NO_INSTALL:-0}" = 1; then return 0; fi
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This is no Debian or Ubuntu (no apt-get), so nothing is installed here. Needed, by the" \
      "names that Debian gives them: $*"
    return 0
  fi
  for package; do is_installed "$package" || missing+=("$package"); done
  test ${#missing[@]} -gt 0 || return 0
  say "installing ${missing[*]}"
  if test "$(id -u)" != 0; then
    if ! command -v sudo >/dev/null; then
      echo "neither root nor sudo: ask for  apt-get install ${missing[*]}  and start again" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  watched "apt-get update" "$BUILD/packages.log" "${as_root[@]}" apt-get update -q &&
    watched "apt-get install" "$BUILD/packages.log" "${as_root[@]}" env \
      DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# missing_tools: the packages of the tests whose tools are not there, whoever installed them.
missing_tools() {
  local package python=python3
  if test -x /usr/bin/python3; then python=/usr/bin/python3; fi
  for package in $packages_check; do
    case $package in
    libcmocka-dev) pkg-config --exists cmocka ;;
    python3-mdanalysis) "$python" -c 'import MDAnalysis' ;;
    python3-*) "$python" -c "import ${package#python3-}" ;;
    hdf5-tools) command -v h5dump ;;
    lammps) command -v lmp ;;
    universal-ctags) ctags --version | grep Universal ;;
    time) test -x /usr/bin/time ;;
    *) is_installed "$package" || command -v "$package" ;;
    esac >/dev/null 2>&1 || echo "$package"
  done
}

# watched WHAT LOG COMMAND...: runs a command with its output in a file, says every 10 s how far it is, and
# where it fails shows the errors in the file and its end.
watched() {
  local what=$1 log=$2 began=$SECONDS fifths=0 job
  shift 2
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null &
  job=$!
  while kill -0 "$job" 2>/dev/null; do
    sleep 0.2
    fifths=$((fifths + 1))
    if test $((fifths % 50)) = 0; then
      echo "$what: $((SECONDS - began)) s, $(grep -c '^  [A-Z]* *[^ ]*\.' "$log") files"
    fi
  done
  if wait "$job"; then return 0; fi
  grep -m 20 -i 'error[: ]' "$log"
  tail -n 60 "$log"
  echo "$what failed; all that it said is in $log"
  return 1
}

# A GPU that a program here could use.
has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# What configure_program leaves for the machine at hand, in a file of the build folder.
NATIVE=built-for-this-machine

# built_with NAME: a variable that configure has set, such as MPIEXEC.
built_with() { sed -n "s/^S\[\"$1\"\]=\"\(.*\)\"\$/\1/p" "$BUILD/config.status"; }

# configure_program native|all [CONFIGURE OPTION...]: configures where that has not been done. native: for
# this processor and its GPUs only; all: for every processor and with CUDA where nvcc is found, also
# after native. Tools of the tests that were missing before are looked for again.
configure_program() {
  local extent=$1 options=("${@:2}")
  if test ! -x configure || test configure.ac -nt configure; then
    say "autoreconf"
    autoreconf -fi 2>&1 | grep -v 'installing' || test ${PIPESTATUS[0]} = 0 || return 1
  fi
  mkdir -p "$BUILD" || return 1
  if test ! -f "$BUILD/config.status"; then
    if test "$extent" = native; then
      options+=(--with-isa=native)
      if has_gpu; then options+=(--with-cuda-arch=native); else options+=(--without-cuda); fi
      touch "$BUILD/$NATIVE"
    fi
  elif test "$extent" = all && test -f "$BUILD/$NATIVE"; then
    rm -f "$BUILD/$NATIVE"
  elif test "$extent" = all && lacks_tools; then
    watched "configure again, for tools of the tests" "$BUILD/configure.log" \
      eval 'cd "$BUILD" && ./config.status --recheck && ./config.status'
    return
  else
    return 0
  fi
  say "configure ${options[*]}"
  (cd "$BUILD" && watched configure "$BUILD/configure.log" "$TOP/configure" "${options[@]}") || return 1
  sed -n '/^  lamella /,/^    prefix/p' "$BUILD/configure.log"
}

# Whether configure ran before the tools of the tests were there.
lacks_tools() {
  grep -q -e '^S\["HAVE_CMOCKA_TRUE"\]="#"' -e '^S\["PYTHON"\]=""' "$BUILD/config.status"
}

# build_program native|all [CONFIGURE OPTION...]: configures where needed, then makes; make redoes what
# changed.
build_program() {
  configure_program "$@" || return 1
  say "make"
  watched make "$BUILD/make.log" make -C "$BUILD" -j "$(nproc)" "${MAKE_OPTIONS[@]}"
}
