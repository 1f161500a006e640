#!/bin/bash
# stage.sh build [CONFIGURE OPTION...]: in a Debian or Ubuntu with the source in the current folder, installs what
# build-aux/prepare.sh lists, builds, and installs into /opt/lamella; with CUDA where nvcc is.
# stage.sh run: in a bare one that got /opt/lamella, installs what the program and its tools need.
# Called by Dockerfile and lamella.def.
set -euo pipefail
to=/opt/lamella
export DEBIAN_FRONTEND=noninteractive

install() {
  apt-get update -q
  apt-get install -y -q --no-install-recommends "$@"
  rm -rf /var/lib/apt/lists/*
}

build() {
  source build-aux/prepare.sh
  install $packages_build libfftw3-dev
  git config --global --add safe.directory "$PWD" # of another user; the version is found in .git
  if test ! -x configure; then autoreconf -fi; fi
  mkdir -p build-container && cd build-container
  # The folder of NCCL in the final image; --with-cuda-arch=all: GPUs are those of another machine.
  ../configure --prefix=$to --with-isa=all --with-cuda-arch=all --with-python-site=no LDFLAGS="-Wl,-rpath,$to/lib" "$@"
  make -j"$(nproc)"
  make install
  # NCCL, where it is used, and the names of the packages of all other libraries of the program.
  mkdir -p $to/lib
  ldd $to/bin/lamella | sed -n 's/.*=> \(\/[^ ]*libnccl[^ ]*\).*/\1/p' | xargs -r cp -Lt $to/lib
  ldd $to/bin/lamella | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | xargs -n 1 realpath |
    xargs -n 1 dpkg-query -S 2>/dev/null | sed '/nccl/d; s/:.*//' | sort -u >$to/lib/packages
  echo $packages_picture | tr ' ' '\n' >>$to/lib/packages
}

run() {
  install openmpi-bin $(cat $to/lib/packages)
  $to/bin/lamella --version
}

"$@"
