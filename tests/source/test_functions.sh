#!/bin/sh
# No function over 80 lines, no file over 500.
if ! ctags --version 2>/dev/null | grep -q Universal; then echo "no universal-ctags"; exit 77; fi
cd "${top_srcdir:-.}" || exit 99
files=$(find src mpi io cuda tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh')
test -n "$files" || exit 99
{
  echo "$files" | xargs ctags -f - --language-force=C++ --kinds-C++=f --fields=neK --excmd=number |
    awk -F'\t' '{
      for (k = 4; k <= NF; k++) {
        if ($k ~ /^line:/) from = substr($k, 6)
        if ($k ~ /^end:/) to = substr($k, 5)
      }
      if (to - from >= 80) print $2 ":" from ": " $1 " has " to - from + 1 " lines"
    }'
  echo "$files" | xargs wc -l | awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines" }'
} | {
  failed=0
  while read -r line; do echo "$line"; failed=1; done
  exit $failed
}
