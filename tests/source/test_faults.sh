#!/bin/sh
# Each fault of tests/faults/faults.yaml can be planted: its text stands once in its file, and its tests are
# there. A change of the sources that takes the text away changes the list too. Then the check itself is checked.
if test -z "$PYTHON" || ! "$PYTHON" -c 'import yaml' 2>/dev/null; then echo "no Python with yaml"; exit 77; fi
faults=$top_srcdir/tests/faults
test -f "$faults/faults.yaml" || { echo "tests/faults is not there"; exit 77; }
"$PYTHON" "$faults/faults.py" --check || exit 1
planted=$(mktemp) || exit 99
trap 'rm -f "$planted"' EXIT
echo '- {name: planted, file: src/md/run.c, from: no such text, to: "", what: "", tests: [test_no_such.py]}' >"$planted"
said=$("$PYTHON" "$faults/faults.py" --check --list "$planted")
if test "$(echo "$said" | grep -c '^planted: ')" != 2; then
  echo "not noticed: a fault whose text and test are nowhere: $said"
  exit 1
fi
