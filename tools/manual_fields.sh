#!/bin/sh
# The table of external fields in docs/reference/run-file.md, from what the program says about itself:
#   lamella run --help | tools/manual_fields.sh
awk '
BEGIN {
  print "| form | parameters and defaults | energy, kJ/mol |"
  print "|---|---|---|"
}
/^Forms of external fields/ { inside = 1; next }
!inside || /^$/ { next }
/^  [a-z]/ {
  row = "| `" $1 "` | "
  sub(/^  [^ ]+ +/, "")
  row = row $0
  next
}
/^      / {
  sub(/^ +/, "")
  print row " | " $0 " |"
  next
}
{ exit }'
