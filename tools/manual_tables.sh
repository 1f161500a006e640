#!/bin/sh
# manual_tables.sh LAMELLA FOLDER: rewrites the tables of docs/reference that the program prints, in its pages in
# FOLDER: what stands between <!-- TABLE --> and <!-- end -->, TABLE being keys, fields, coordinates or biases of lamella run --help,
# forms or sites of lamella forcefield --help, mdp of lamella import --help. A page whose tables are right is left as it
# is.
tables=$(mktemp -d) || exit 99
trap 'rm -rf "$tables"' EXIT
{ "$1" run --help && "$1" forcefield --help && "$1" import --help; } >"$tables/help" || exit 1
awk -v folder="$tables" '
function table_begin(name, columns) {
  file = folder "/" name
  print columns >file
  gsub(/[^|]+/, "---", columns)
  print columns >file
}
/^Keys of the run file/ { table_begin("keys", "| key | unit or choices | default and range | meaning |") }
/^Kinds of coordinates/ { table_begin("coordinates", "| kind | unit of the value, keys | value |") }
/^Kinds of biases/ { table_begin("biases", "| kind | parameters | energy, kJ/mol |") }
/^Forms of external fields/ { table_begin("fields", "| form | parameters and defaults | energy, kJ/mol |") }
/^Forms of bonded terms/ { table_begin("forms", "| section | form | beads | parameters | energy, kJ/mol |") }
/^Forms of virtual sites/ { table_begin("sites", "| form | beads | parameters | place |") }
/^Keys of run parameters/ { table_begin("mdp", "| key | values | here |") }
/^[^ ]/ && !/^Keys of|^Forms of|^Kinds of/ { file = "" }
!file { next }
# The first line of an entry: name; then of a key "unit [default and range]", of a form beads and parameters.
/^  [a-z*]/ {
  key = file ~ /keys$/
  name = $1
  gsub(/,/, "`, `", name)
  row = "| `" name "` | "
  if (file ~ /forms$/) row = row "`" $2 "` | "
  rest = $0
  if (match(rest, /(any|[0-9]+) beads +/)) {
    beads = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    sub(/ .*/, "", beads)
    row = row beads " | "
  } else
    sub(/^  [^ ]+ +/, "", rest)
  if (key) {
    gsub(/\|/, ", ", rest)
    sub(/ *\[/, " | ", rest)
    sub(/\]$/, "", rest)
  }
  row = row rest
}
/^      / {
  sub(/^ +/, "")
  gsub(/\|/, "\\|")
  print row " | " $0 " |" >file
}' "$tables/help"

for page in $(grep -l '^<!-- end -->' "$2"/*.md); do
  awk -v folder="$tables" '
    /^<!-- end -->/ { inside = 0 }
    !inside
    /^<!-- [a-z]+ -->/ && !/^<!-- end -->/ {
      inside = 1
      while ((getline line <(folder "/" $2)) > 0) print line
    }' "$page" >"$tables/page" || exit 1
  cmp -s "$tables/page" "$page" || cat "$tables/page" >"$page"
done
