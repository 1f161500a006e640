#!/bin/sh
# No folder may include what it must not know: the architecture, checked over everything that a
# file includes, directly or not. Then the check itself is checked against planted violations.

# Rows: folder, the project folders it may include, what no file in it may reach.
rules='
src   src,mpi,io   mpi.h,hdf5.h,cuda_runtime.h,nccl.h,yaml.h
cuda  src,cuda     mpi.h,hdf5.h,nccl.h
mpi   src,mpi      hdf5.h,cuda_runtime.h,nccl.h
io    src,io,ranks cuda_runtime.h,nccl.h
'
# What single files may do against their row: FILE:HEADER.
exceptions=' src/yaml_tree.c:yaml.h mpi/transport_ipc.c:cuda_runtime.h mpi/transport_nccl.c:cuda_runtime.h 
 mpi/transport_nccl.c:nccl.h mpi/device_memory.c:cuda_runtime.h 
 mpi/transport_cuda_aware.c:cuda_runtime.h '

check() { # check DIR: prints what is forbidden in a tree
  (cd "$1" && grep -HnoE '^ *# *include *[<"][^>"]+' -r src cuda mpi io --include='*.[ch]' \
    --include='*.cu') 2>/dev/null |
    RULES=$rules EXCEPTIONS=$exceptions awk -F: '
    BEGIN {
      n = split(ENVIRON["RULES"], row, "\n")
      for (k = 1; k <= n; k++) {
        if (split(row[k], part, " ") == 3) { may[part[1]] = part[2]; never[part[1]] = part[3] }
      }
    }
    {
      header = $3
      sub(/^.*[<"]/, "", header)
      sub(/^.*\//, "", header)
      name = $1
      sub(/^.*\//, "", name)
      home[name] = substr($1, 1, index($1, "/") - 1)
      include[$1] = include[$1] " " header
      path[name] = $1
      place[$1, header] = $1 ":" $2
    }
    function reaches(file, wanted, seen,   part, n, k, found) {
      if (index(seen, " " file " ")) return 0
      n = split(include[file], part, " ")
      for (k = 1; k <= n; k++) if (part[k] == wanted) return 1
      for (k = 1; k <= n; k++) {
        if ((part[k] in path) && reaches(path[part[k]], wanted, seen file " ")) return 1
      }
      return 0
    }
    END {
      for (file in include) {
        folder = substr(file, 1, index(file, "/") - 1)
        n = split(include[file], part, " ")
        for (k = 1; k <= n; k++) {
          other = home[part[k]]
          if (other == "" || other == folder || index("," may[folder] ",", "," other ",")) continue
          if (other == "mpi" && part[k] ~ /^ranks/ && may[folder] ~ /ranks/) continue
          print place[file, part[k]] ": " folder "/ may not include " other "/" part[k]
        }
        n = split(never[folder], part, ",")
        for (k = 1; k <= n; k++) {
          if (index(ENVIRON["EXCEPTIONS"], " " file ":" part[k] " ")) continue
          if (reaches(file, part[k], " ")) print file ": " folder "/ may not reach " part[k]
        }
      }
    }'
}

planted=$(mktemp -d) || exit 99
trap 'rm -rf "$planted"' EXIT
plant() { # plant FILE HEADER: a tree with one violation must not pass
  mkdir -p "$planted/src" "$planted/cuda" "$planted/mpi" "$planted/io"
  echo '#include <mpi.h>' >"$planted/mpi/ranks_mpi.h"
  echo '#include "ranks_mpi.h"' >"$planted/io/h5.h"
  echo '#include <stdio.h>' >"$planted/cuda/cells.h"
  echo "#include $2" >"$planted/$1"
  if test -z "$(check "$planted")"; then echo "not noticed: $1 includes $2"; failed=1; fi
  rm -rf "$planted/src" "$planted/cuda" "$planted/mpi" "$planted/io"
}
failed=0
plant src/a.c '<mpi.h>'
plant src/a.c '"ranks_mpi.h"'
plant src/a.c '"h5.h"'
plant src/a.c '"cells.h"'
plant cuda/a.cu '"h5.h"'
plant mpi/a.c '<hdf5.h>'
plant mpi/a.c '<cuda_runtime.h>'
plant io/a.c '"cells.h"'

found=$(check "${top_srcdir:-.}")
if test -n "$found"; then echo "$found"; failed=1; fi
exit $failed
