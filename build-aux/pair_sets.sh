#!/bin/sh
# pair_sets.sh FILE: the rows of PAIR_SETS (src/pair/pair_sets.h), a line each: terms joined by "-".
tr -d ' \\\n' <"$1" | sed 's/SET(/\n/g' | sed -n '/^[a-z0-9_]*,PAIR_BIT(/ {
  s/^[^,]*,PAIR_BIT(//
  s/)|PAIR_BIT(/-/g
  s/)).*//
  p
}'
