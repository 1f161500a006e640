#!/bin/sh
# Every test has a name of its own, without folder and ending: make gives tests of one folder that differ
# in their endings one log, and logs, times and faults name tests by their base names.
cd "${top_srcdir:-.}/tests" || exit 99
same=$(ls */test_*.c */test_*.py */test_*.sh | sed "s,.*/,,; s,\.[a-z]*\$,," | sort | uniq -d)
if test -n "$same"; then echo "more than one test is called: $same"; exit 1; fi
