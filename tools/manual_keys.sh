#!/bin/sh
# The table of run-file keys in docs/reference/run-file.md, from what the program says about itself:
#   lamella run --help | tools/manual_keys.sh
awk '
BEGIN {
  print "| key | unit or choices | default and range | meaning |"
  print "|---|---|---|---|"
}
/^Keys of the run file/ { inside = 1; next }
/^Forms of external fields/ { exit }
!inside { next }
/^  [a-z]/ {
  key = $1
  line = $0
  sub(/^  [^ ]+ +/, "", line)
  at = index(line, "[")
  unit = substr(line, 1, at - 1)
  sub(/ +$/, "", unit)
  gsub(/\|/, ", ", unit)
  range = substr(line, at + 1)
  sub(/\]$/, "", range)
  next
}
/^      / {
  sub(/^ +/, "")
  printf "| `%s` | %s | %s | %s |\n", key, unit, range, $0
}'
