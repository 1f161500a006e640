#!/bin/sh
# The files of the program can be put in an order in which each calls only earlier ones: the graph of
# "a file uses a function or variable that another defines", read from the object files of the build by
# nm, has no circle. tsort names the files of a circle. And none calls a function of the mathematical
# library that is not exactly rounded: src/base/portable.h has those with the same bits everywhere. Then
# the check itself is checked.
build=$(dirname "$LAMELLA")
command -v tsort >/dev/null && command -v nm >/dev/null || { echo "tsort or nm is missing" && exit 77; }

pairs() { # pairs FILE.o...: "user definer" for each use
  nm -A -P "$@" 2>/dev/null | awk '
    { sub(/:$/, "", $1) }
    $3 ~ /^[TDBRC]$/ { file[$2] = $1 }
    $3 == "U" { user[++n] = $1; symbol[n] = $2 }
    END {
      for (k = 1; k <= n; k++)
        if (symbol[k] in file && file[symbol[k]] != user[k] && !seen[user[k], file[symbol[k]]]++)
          print user[k], file[symbol[k]]
    }'
}
failed=0
# Not those of sources that are no longer there. Some sources are compiled for several precisions or
# instruction sets, under other names.
objects=$(cd "$build" && find src io mpi cuda -name '*.o' 2>/dev/null | while read -r object; do
  source=$top_srcdir/${object%.o}
  case $object in src/cpu/* | cuda/step/* | src/maps/*) echo "$object" ;; *)
    if test -f "$source.c" || test -f "$source.cu"; then echo "$object"; fi ;;
  esac
done)
uses=$(cd "$build" && pairs $objects)
test "$(echo "$uses" | wc -l)" -gt 300 || { echo "too few calls between files were found" && failed=1; }
circle=$(echo "$uses" | tsort 2>&1 >/dev/null)
if test -n "$circle"; then
  echo "$circle"
  echo "these files call each other in a circle: move what they share into a file of its own"
  failed=1
fi
# Each file of src/md uses only those before it in the list of src/md/sim.h.
order=$(sed -n '/ Order: /,/\*\//p' "$top_srcdir/src/md/sim.h" | tr '\n' ' ' | sed 's/.*Order: //; s/\*\/.*//')
backwards() { # backwards: the uses on standard input that the list does not allow
  awk -v order="$1" '
    BEGIN { n = split(order, name, " "); for (k = 1; k <= n; k++) place["src/md/" name[k] ".o"] = k }
    $1 ~ /^src\/md\// && $2 ~ /^src\/md\// {
      if (!place[$1] || !place[$2]) print $1, "or", $2, "is not in the list of src/md/sim.h"
      else if (place[$1] < place[$2]) print $1, "uses", $2 ", which is later in the list of src/md/sim.h"
    }'
}
wrong=$(echo "$uses" | backwards "$order")
if test -n "$wrong"; then
  echo "$wrong"
  failed=1
fi
test -n "$(echo 'src/md/timer.o src/md/run.o' | backwards "$order")" || { echo "not noticed: a use of a later file" && failed=1; }
planted=$(printf '%s\nio/b.o io/a.o\nio/a.o io/b.o\n' "$uses" | tsort 2>&1 >/dev/null)
test -n "$planted" || { echo "not noticed: a planted circle" && failed=1; }

# Of the program by its symbols, which macros and compilers cannot hide; of sources for GPUs by their words.
inexact='(a?(sin|cos|tan)h?|atan2|sincos|exp2?|exp10|expm1|log(2|10|1p|b)?|pow|cbrt|hypot|erfc?|[lt]gamma)[fl]?'
calls=$(cd "$build" && nm -A -u liblamella.a 2>/dev/null | grep -E " (__)?$inexact(_finite)?(@.*)?\$")
words() { grep -nE "(^|[^A-Za-z0-9_.>])(__)?$inexact\(" "$@" | grep -vE ':[0-9]+: *(/\*|//)|/\*.*(^|[^A-Za-z0-9_])'"$inexact"'\('; }
calls=$calls$(find "$top_srcdir/cuda" -name '*.cu*' | xargs grep -lE "$inexact" | while read -r f; do words "$f" /dev/null; done)
if test -n "$calls"; then
  echo "$calls"
  echo "functions of the mathematical library have other bits on other machines: take those of src/base/portable.h"
  failed=1
fi
for planted in 'x = pow(a, 2);' '  y = 2 * __expf(b);' 'return atan2f(y, x);'; do
  test -n "$(echo "$planted" | words)" || { echo "not noticed: $planted" && failed=1; }
done
exit $failed
