#!/bin/bash
# Builds and installs into $PREFIX (conda-forge: build.sh of the recipe).
set -euo pipefail

# configure sets the instruction sets of each kernel: no -march and -mtune of conda's compilers behind them.
CFLAGS=$(echo "${CFLAGS:-}" | sed -E 's/-m(arch|tune)=[^ ]+//g')
export CFLAGS
export OMPI_MCA_plm_ssh_agent=false OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

options=(--prefix="$PREFIX" --with-hdf5="$PREFIX" --with-fftw="$PREFIX" --with-isa=all
  --with-python-site=no --without-ccache PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig")
if test "${cuda_compiler_version:-None}" = None; then
  options+=(--without-cuda)
else
  options+=(--with-cuda=yes --with-cuda-arch=all --with-nccl="$PREFIX")
fi

mkdir -p build-conda && cd build-conda
../configure "${options[@]}"
make -j"${CPU_COUNT:-1}"
make install

# import lamella in every Python of the environment: a package without compiled code.
if test -n "${SP_DIR:-}"; then
  mkdir -p "$SP_DIR"
  cp -R "$PREFIX/share/lamella/python/." "$SP_DIR/"
fi
