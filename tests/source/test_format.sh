#!/bin/sh
# Every C and CUDA file is as clang-format leaves it. One version of the tool, because versions
# differ. src/base/version.h, which a build in the source tree leaves there, is generated.
# LAMELLA_CHANGED=1: only files that differ from the last commit but one.
wanted=14
version=$(clang-format --version 2>/dev/null | sed 's/.*version \([0-9]*\).*/\1/')
if test "$version" != $wanted; then
  echo "needs clang-format $wanted, found ${version:-none}"
  exit 77
fi
cd "${top_srcdir:-.}" || exit 99
files=$(find src mpi io cuda tests -name '*.[ch]' ! -path src/base/version.h -o -name '*.cu' -o -name '*.cuh')
if test "${LAMELLA_CHANGED:-0}" = 1 &&
  changed=$(git diff --relative --name-only HEAD~1 2>/dev/null && git ls-files -o --exclude-standard); then
  files=$(echo "$files" | grep -xF "$changed")
fi
if printf 'int  a;\n' | clang-format --dry-run -Werror 2>/dev/null; then echo "two blanks are not noticed"; exit 1; fi
echo "$files" | xargs -r -P "$(nproc 2>/dev/null || echo 1)" -n 32 clang-format --dry-run -Werror
