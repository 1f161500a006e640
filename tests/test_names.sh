#!/bin/sh
# No two tests have names that differ only in their endings: make would give both one log, and run
# one of them only.
cd "${top_srcdir:-.}/tests" || exit 99
same=$(ls test_*.c test_*.py test_*.sh | sed 's/\.[a-z]*$//' | sort | uniq -d)
if test -n "$same"; then echo "more than one test is called: $same"; exit 1; fi
