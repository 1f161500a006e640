#!/bin/sh
# Every header compiles alone as C; those that nvcc sees too (they use hd.h or are marked for C++)
# compile as C++ as well. One source file stands for each header, and a compiler is given many of them.
# Nothing is compiled while headers, flags and compilers are those that have passed: tests/stamps in the
# build folder has a hash of them.
cd "${top_builddir:-.}" || exit 99
top=${top_srcdir:-.}
jobs=$(nproc 2>/dev/null || echo 1)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
options="-fsyntax-only -fopenmp-simd -Wall -Wextra -Wpedantic -Wdouble-promotion -Werror -I$top/src -I$top -Isrc"
options="$options $DEPENDENCY_CFLAGS"
as_c="${CC:-mpicc} -std=c11 -D_DEFAULT_SOURCE $options -x c"
cxx=$(command -v "${CXX:-g++}")
test -n "$cxx" || echo "no C++ compiler: headers are tried as C only"
as_cxx="$cxx -std=c++17 $options -x c++"

compile() { # compile COMMAND: the headers that standard input names, one in a line
  awk -v folder="$work" '{
    file = $0
    gsub("/", "-", file)
    file = folder "/" file ".c"
    print "#include \"" $0 "\"\nextern int nothing;" >file
    close(file)
    print file
  }' | xargs -P "$jobs" -n 16 $1
}
names() { sed "s,^$top/,,; s,^src/,,"; }

headers=$(ls "$top"/src/*/*.h "$top"/mpi/*/*.h "$top"/io/*.h)
shared=$(echo "$headers" | xargs grep -lE '"base/(hd|real|vec)\.h"|__cplusplus')
# Those of cuda/ where the toolkit is: as C++, and as C those that C files of the backend include.
if echo "#include <cuda_runtime_api.h>" | ${CC:-mpicc} -x c -fsyntax-only $DEPENDENCY_CFLAGS - 2>/dev/null; then
  headers="$headers $(ls "$top"/cuda/*/*.h)"
  shared="$shared $(ls "$top"/cuda/*/*.h)"
fi
stamps=$PWD/tests/stamps/headers
key=$({ echo "$as_c $as_cxx" $headers; $as_c --version; $as_cxx --version; cat $headers "$0"; } 2>&1 | sha256sum)
stamp=$stamps/${key%% *}
if test -f "$stamp"; then exit 0; fi
printf '%s\n' $headers | names | compile "$as_c" || failed=1
if test -n "$cxx"; then printf '%s\n' $shared | names | compile "$as_cxx" || failed=1; fi

# A header that needs another one, and one that is no C++, must not pass.
echo 'int planted(FILE *file);' >"$work/planted.h"
echo 'int planted(int *restrict value);' >"$work/planted_cxx.h"
notice() { # notice NAME COMMAND
  if echo "$1" | compile "$2" 2>/dev/null; then echo "not noticed: $1"; failed=1; fi
}
notice planted.h "$as_c"
if test -n "$cxx"; then notice planted_cxx.h "$as_cxx"; fi
if test $failed = 0; then mkdir -p "$stamps" && : >"$stamp"; fi
exit $failed
