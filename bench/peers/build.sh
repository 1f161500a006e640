#!/bin/bash
# Builds LAMMPS (GPU package in mixed precision, KOKKOS in double, one core with -O3 -march=native) and GROMACS for one
# kind of NVIDIA GPU from source folders. All builds run at once; one that fails does not stop the others. PREFIX gets
# lmp_opt, lmp_gpu, lmp_kokkos and gmx, each with a file .build that says how it was built, and build-NAME.log.
#
#   --lammps=SOURCES         LAMMPS: a folder, or an archive of one, with src, lib/gpu, lib/kokkos, cmake, LICENSE, README
#   --lammps-kokkos=SOURCES  others for KOKKOS [those]
#   --gromacs=SOURCES        GROMACS
#   --only=NAME,...          some of gpu (with opt), kokkos, gromacs [all whose sources are given]
#   --arch=90                compute capability without its dot [90]
#   --prefix=FOLDER          [peers-build]
#   --limit=SECONDS          a build is ended after so long [420]
#   --all-styles             KOKKOS: compile all styles, not only those of the inputs
# Needs nvcc, cmake and MPI; nothing is fetched.
set -u
lammps='' kokkos='' gromacs='' only=gpu,kokkos,gromacs arch=90 prefix=peers-build limit=420 all_styles=''
for option; do
  case $option in
  --lammps=*) lammps=$(realpath "${option#*=}") ;;
  --lammps-kokkos=*) kokkos=$(realpath "${option#*=}") ;;
  --gromacs=*) gromacs=$(realpath "${option#*=}") ;;
  --only=*) only=${option#*=} ;;
  --arch=*) arch=${option#*=} ;;
  --prefix=*) prefix=${option#*=} ;;
  --limit=*) limit=${option#*=} ;;
  --all-styles) all_styles=yes ;;
  --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;;
  *) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
done
mkdir -p "$prefix" && prefix=$(realpath "$prefix") || exit 4

# unpacked NAME SOURCES: the folder of sources; that of an archive is unpacked into PREFIX/sources-NAME.
unpacked() {
  test -f "$2" || { echo "$2" && return; }
  local to=$prefix/sources-$1
  test -d "$to" || { mkdir "$to" && tar xf "$2" -C "$to" --strip-components=1; }
  echo "$to"
}
lammps=$(unpacked lammps "$lammps")
kokkos=$(unpacked kokkos "${kokkos:-$lammps}")
gromacs=$(unpacked gromacs "$gromacs")
jobs=$(nproc)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
cuda=$(dirname "$(dirname "$(realpath "$nvcc")")")
export PATH=$cuda/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
release=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\).*/\1/p')

# copy FOLDER NAME PART...: parts of a source folder as PREFIX/NAME, since builds write into the sources.
copy() {
  local from=$1 to=$prefix/$2
  shift 2
  test -d "$to" && return
  mkdir -p "$to" && (cd "$from" && cp -r --parents "$@" "$to") && chmod -R u+w "$to"
}

# lammps_make NAME PACKAGE...: PREFIX/lmp_NAME by the makefiles of LAMMPS, in its folder src.
lammps_make() {
  local name=$1 package
  shift
  for package; do make "yes-$package" || echo "no package $package"; done
  make -j"$jobs" mpi CCFLAGS="-O3 -march=native -std=c++17" && cp lmp_mpi "$prefix/lmp_$name"
}

# lib/gpu, without CUDPP, whose textures CUDA 12 does not have.
build_libgpu() {
  cd "$prefix/gpu/lib/gpu" || return
  if test "${release:-0}" -ge 13; then # cuCtxCreate has one argument more since CUDA 13
    sed -i -E 's/cuCtxCreate\(&([A-Za-z_]+), *0/cuCtxCreate(\&\1, NULL, 0/' geryon/nvd_device.h
  fi
  make -k -j"$jobs" -f Makefile.linux "CUDA_HOME=$cuda" "CUDA_ARCH=-arch=sm_$arch" CUDA_PRECISION=-D_SINGLE_DOUBLE CUDPP_OPT=
  printf '%s\n' "gpu_SYSINC =" "gpu_SYSLIB = -lcudart -lcuda" "gpu_SYSPATH = -L$cuda/lib64 -L$cuda/lib64/stubs" >Makefile.lammps
  test -f libgpu.a
}

build_gpu() {
  copy "$lammps" gpu src lib/gpu && cd "$prefix/gpu/src" || return
  (build_libgpu) &
  local library=$!
  lammps_make opt molecule extra-molecule dipole opt || return
  echo "OPT, g++ $(g++ -dumpversion) -O3 -march=native" >"$prefix/lmp_opt.build"
  wait "$library" && lammps_make gpu gpu || return
  echo "GPU package, sm_$arch, _SINGLE_DOUBLE, no CUDPP, CUDA $release; host: -O3 -march=native" >"$prefix/lmp_gpu.build"
}

# Leaves out styles of KOKKOS that no input needs; files that kept ones include stay.
prune_kokkos() {
  cd "$prefix/kokkos/src/KOKKOS" || return
  local kept=" pair_kokkos pair_lj_cut_kokkos pair_lj_cut_dipole_cut_kokkos fix_nve_kokkos fix_nve_sphere_kokkos fix_nh_kokkos
    compute_temp_kokkos " file name again=yes
  for file in *.h *.cpp; do
    case $file in
    pair_* | fix_* | compute_* | bond_* | angle_* | dihedral_* | improper_*) ;;
    *) kept+="${file%.*} " ;;
    esac
  done
  while test $again; do
    again=
    for name in $(for k in $kept; do cat "$k.h" "$k.cpp" 2>/dev/null; done | sed -n 's/^ *#include "\(.*\)\.h".*/\1/p' | sort -u); do
      case "$kept" in *[[:space:]]"$name"[[:space:]]*) continue ;; esac
      if test -f "$name.h"; then kept+="$name " again=yes; fi
    done
  done
  for file in *.h *.cpp; do
    case "$kept" in *[[:space:]]"${file%.*}"[[:space:]]*) ;; *) rm "$file" ;; esac
  done
  echo "KOKKOS: $(find . -name '*.cpp' | wc -l) sources kept"
}

build_kokkos() {
  copy "$kokkos" kokkos src lib/kokkos cmake && cd "$prefix/kokkos" || return
  (cd "$kokkos" && cp --parents lib/*/*.cmake LICENSE README doc/*.1 "$prefix/kokkos" 2>/dev/null)
  test "$all_styles" || (prune_kokkos) || return
  chmod +x lib/kokkos/bin/nvcc_wrapper
  # CMake tries the compiler without flags; the wrapper's own choice may be older than this nvcc compiles for.
  sed -i "s/^default_arch=.*/default_arch=sm_$arch/" lib/kokkos/bin/nvcc_wrapper
  # Since CUDA 13 two functions of the runtime take a struct in place of a device number, and one takes data of edges.
  cat >cuda13.h <<'HEADER'
#if defined(__CUDACC__) && defined(__cplusplus)
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000
static inline cudaMemLocation peers_location(int device) {
  cudaMemLocation place;
  place.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device < 0 ? 0 : device;
  return place;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int device, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(p, n, peers_location(device), 0, stream);
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t n, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(p, n, advice, peers_location(device));
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                                   size_t n) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, n);
}
#endif
#endif
HEADER
  # The tuning flags of LAMMPS have -Xcudafe twice, of which CMake keeps one: CMAKE_TUNE_FLAGS replaces them.
  local flags=
  test "${release:-0}" -ge 13 && flags="-include $PWD/cuda13.h"
  cmake -S cmake -B build -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER="$PWD/lib/kokkos/bin/nvcc_wrapper" \
    -D CMAKE_CXX_STANDARD=17 -D CMAKE_CXX_FLAGS="$flags" -D BUILD_MPI=on -D BUILD_OMP=off -D PKG_KOKKOS=on -D PKG_MOLECULE=on \
    -D PKG_DIPOLE=on -D Kokkos_ENABLE_CUDA=on -D Kokkos_ENABLE_SERIAL=on -D Kokkos_ENABLE_OPENMP=off \
    -D "Kokkos_ARCH_$(test "$arch" = 90 && echo HOPPER90 || echo AMPERE80)=on" -D WITH_JPEG=off -D WITH_PNG=off -D WITH_GZIP=off \
    -D WITH_FFMPEG=off -D WITH_CURL=off -D CMAKE_TUNE_FLAGS=-w && cmake --build build -j "$jobs" --target lmp || return
  cp build/lmp "$prefix/lmp_kokkos"
  echo "KOKKOS, sm_$arch, CUDA $release, nvcc_wrapper, Release" >"$prefix/lmp_kokkos.build"
}

build_gromacs() {
  # An archive without documents serves too.
  if ! test -d "$gromacs/docs"; then mkdir "$gromacs/docs" && touch "$gromacs/docs/CMakeLists.txt"; fi || return
  cmake -S "$gromacs" -B "$prefix/gromacs" -D CMAKE_BUILD_TYPE=Release -D GMX_GPU=CUDA -D "CMAKE_CUDA_ARCHITECTURES=$arch" \
    -D "GMX_CUDA_TARGET_SM=$arch" -D "CMAKE_CUDA_COMPILER=$nvcc" -D GMX_FFT_LIBRARY=fftpack -D GMX_MPI=off -D GMX_HWLOC=off \
    -D GMX_INSTALL_NBLIB_API=off -D GMXAPI=off -D BUILD_TESTING=off -D GMX_BUILD_HELP=off &&
    cmake --build "$prefix/gromacs" -j "$jobs" --target gmx || return
  ln -sf "$prefix/gromacs/bin/gmx" "$prefix/gmx"
}

begin=$SECONDS
export -f copy lammps_make prune_kokkos build_libgpu build_gpu build_kokkos build_gromacs
export lammps kokkos gromacs arch prefix jobs nvcc cuda release all_styles
for name in ${only//,/ }; do
  case $name in
  gpu) source=$lammps ;;
  kokkos) source=$kokkos ;;
  gromacs) source=$gromacs ;;
  *) echo "--only: $name" >&2 && exit 2 ;;
  esac
  test -n "$source" || continue
  (
    timeout "$limit" bash -c "build_$name" >"$prefix/build-$name.log" 2>&1
    status=$?
    echo "$name: $(test $status = 0 && echo built || echo "failed, status $status, see $prefix/build-$name.log") after $((SECONDS - begin)) s"
    test $status = 0 || grep -m 5 -i -E 'error|fatal' "$prefix/build-$name.log" | cut -c1-300
  ) &
done
wait
