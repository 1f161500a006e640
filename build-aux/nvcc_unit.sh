#!/bin/sh
# nvcc_unit.sh OBJECT COMMAND...: runs nvcc, and leaves OBJECT.kernels for `make kernels`: the seconds
# of processor time that it took, and what ptxas (-Xptxas -v) says of each kernel.
object=$1
shift
"$@" 2>"$object.log"
status=$?
times >"$object.times"
grep -v -e '^ptxas info' -e '^    [0-9]* bytes stack frame' "$object.log" >&2
test $status -eq 0 && awk '
  FILENAME != name { name = FILENAME; files++ }
  files == 1 && FNR == 2 { split($1 "m" $2, t, "[ms]+"); print "seconds", 60 * (t[1] + t[3]) + t[2] + t[4] }
  files == 2 && /^ptxas info|bytes stack frame/' "$object.times" "$object.log" >"$object.kernels"
rm -f "$object.log" "$object.times"
exit $status
