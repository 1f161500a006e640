#!/bin/bash
# aarch64.sh FOLDER [CONFIGURE OPTION...]: on Debian for x86-64, builds the program for aarch64 (Arm, such as Grace) below
# FOLDER, with the cross compiler and Debian's arm64 packages, which are unpacked in FOLDER/root and not installed: nobody
# needs to be root. FOLDER/lamella ARGUMENTS... then runs the program under qemu, also from mpiexec. Minutes at the first
# time, then what make has to do. Exit status 77: a tool is missing.
set -e -o pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
for tool in aarch64-linux-gnu-gcc qemu-aarch64-static apt-get dpkg pkg-config; do
  command -v $tool >/dev/null || {
    echo "no $tool. Debian: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
    exit 77
  }
done
test -n "$1" || { sed -n '2,5s/^# //p' "$0"; exit 2; }
mkdir -p "$1/build" "$1/apt/lists/partial" "$1/apt/cache/archives/partial"
folder=$(cd "$1" && pwd)
shift
root=$folder/root lib=usr/lib/aarch64-linux-gnu
packages='libopenmpi-dev libhdf5-openmpi-dev libyaml-dev libfftw3-dev libcmocka-dev libc6-dev libgcc-s1 libgomp1'

# The packages and all that they need, by an apt of its own, to which nothing is installed.
if test ! -e "$folder/unpacked"; then
  : >"$folder/apt/status"
  apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=0
    -o "Dir::State::lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache"
    -o "Dir::State::status=$folder/apt/status" -o Debug::NoLocking=1)
  "${apt[@]}" update
  "${apt[@]}" install -y --download-only $packages
  for package in "$folder"/apt/cache/archives/*.deb; do dpkg -x "$package" "$root"; done
  find "$root" -type l -lname '/*' | while read -r link; do
    ln -sfn "$root$(readlink "$link")" "$link"
  done
  rm -rf "$folder/apt"
  touch "$folder/unpacked"
fi

cat >"$folder/mpicc" <<END
#!/bin/sh
mpi=$root/$lib/openmpi
exec \${OMPI_CC:-aarch64-linux-gnu-gcc} --sysroot=$root -I\$mpi/include -I\$mpi/include/openmpi "\$@" \\
  -L\$mpi/lib -Wl,-rpath-link,$root/$lib -lmpi
END
cat >"$folder/lamella" <<END
#!/bin/sh
OMPI_MCA_ess_singleton_isolated=1 exec qemu-aarch64-static -L $root $folder/build/lamella "\$@"
END
chmod +x "$folder/mpicc" "$folder/lamella"

export PKG_CONFIG_LIBDIR=$root/$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
cd "$folder/build"
if test ! -f config.status; then
  "$top/configure" --host=aarch64-linux-gnu --without-cuda "MPICC=$folder/mpicc" "$@"
fi
if command -v ccache >/dev/null; then export OMPI_CC='ccache aarch64-linux-gnu-gcc'; fi
make -j "$(nproc)" lamella
