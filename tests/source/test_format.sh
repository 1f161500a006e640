#!/bin/sh
# Every C and CUDA file is as clang-format leaves it. One version of the tool, because versions
# differ. src/base/version.h, which a build in the source tree leaves there, is generated.
wanted=14
version=$(clang-format --version 2>/dev/null | sed 's/.*version \([0-9]*\).*/\1/')
if test "$version" != $wanted; then
  echo "needs clang-format $wanted, found ${version:-none}"
  exit 77
fi
cd "${top_srcdir:-.}" || exit 99
files=$(find src mpi io cuda tests -name '*.[ch]' ! -path src/base/version.h -o -name '*.cu' -o -name '*.cuh')
echo "$files" | xargs clang-format --dry-run -Werror
