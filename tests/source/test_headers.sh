#!/bin/sh
# Every header compiles alone as C; those that nvcc sees too (they use hd.h or are marked for C++)
# compile as C++ as well.
cd "${top_builddir:-.}" || exit 99
top=${top_srcdir:-.}
failed=0
warnings='-Wall -Wextra -Wpedantic -Wdouble-promotion -Werror'
include="-I$top/src -I$top"
cxx=$(command -v "${CXX:-g++}")
test -n "$cxx" || echo "no C++ compiler: headers are tried as C only"

try() { # try NAME COMMAND...
  name=$1
  shift
  if ! printf '#include "%s"\nextern int nothing;\n' "$name" | "$@" -; then echo "failed: $name by $*"; failed=1; fi
}
for header in "$top"/src/*/*.h "$top"/mpi/*/*.h "$top"/io/*.h; do
  name=${header#"$top"/}
  name=${name#src/}
  try "$name" ${CC:-mpicc} -x c -fsyntax-only -fopenmp-simd -std=c11 -D_DEFAULT_SOURCE $warnings $include \
    $DEPENDENCY_CFLAGS
  test -n "$cxx" && grep -qE '"base/(hd|real|vec)\.h"|__cplusplus' "$header" || continue
  try "$name" "$cxx" -x c++ -fsyntax-only -fopenmp-simd -std=c++17 $warnings $include $DEPENDENCY_CFLAGS
done
# Those of cuda/ where the toolkit is: as C++, and as C those that C files of the backend include.
if echo "#include <cuda_runtime_api.h>" | ${CC:-mpicc} -x c -fsyntax-only $DEPENDENCY_CFLAGS - 2>/dev/null; then
  for header in "$top"/cuda/*/*.h; do
    name=${header#"$top"/}
    try "$name" ${CC:-mpicc} -x c -fsyntax-only -fopenmp-simd -std=c11 -D_DEFAULT_SOURCE $warnings $include \
      $DEPENDENCY_CFLAGS
    test -n "$cxx" || continue
    try "$name" "$cxx" -x c++ -fsyntax-only -fopenmp-simd -std=c++17 $warnings $include $DEPENDENCY_CFLAGS
  done
fi
exit $failed
