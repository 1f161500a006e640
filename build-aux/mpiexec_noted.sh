#!/bin/sh
# mpiexec_noted.sh MPIEXEC ARGUMENT...: adds the number of ranks to the file $RANKS_NOTED
# (build-aux/run_test.sh), then becomes MPIEXEC.
previous=
for word; do
  case $previous in -n | -np) echo "$word" >>"${RANKS_NOTED:-/dev/null}"; break ;; esac
  previous=$word
done
exec "$@"
