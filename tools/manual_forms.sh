#!/bin/sh
# The table of bonded forms in docs/reference/force-field.md, from what the program says about itself:
#   lamella forcefield --help | tools/manual_forms.sh
awk '
BEGIN {
  print "| section | form | beads | parameters | energy, kJ/mol |"
  print "|---|---|---|---|---|"
}
/^Forms of bonded terms/ { inside = 1; next }
!inside { next }
/^  [a-z]/ {
  row = "| `" $1 "` | `" $2 "` | " $3 " | "
  sub(/^  [^ ]+ +[^ ]+ +[0-9]+ beads +/, "")
  row = row $0
  next
}
/^      / {
  sub(/^ +/, "")
  print row " | " $0 " |"
}'
