#!/bin/sh
# No folder may include what it must not know: the architecture, checked over everything that a
# file includes, directly or not. Then the check itself is checked against planted violations.

# Rows: folder, the folders it may include, what no file in it may reach. In the order of the rows a
# folder includes none that comes after it, so there are no cycles.
rules='
src/base       -                                                     mpi.h,hdf5.h,cuda_runtime.h,nccl.h,yaml.h
mpi/comm       src/base                                              hdf5.h,cuda_runtime.h,nccl.h
src/model      src/base                                              mpi.h,hdf5.h,cuda_runtime.h,nccl.h,yaml.h
src/molecules  src/base,src/model,mpi/comm                           mpi.h,hdf5.h,cuda_runtime.h,nccl.h,yaml.h
src/input      src/base,src/model                                    mpi.h,hdf5.h,cuda_runtime.h,nccl.h
src/dynamics   src/base,src/model,src/input                          mpi.h,hdf5.h,cuda_runtime.h,nccl.h,yaml.h
src/pair       src/base,src/model                                    mpi.h,hdf5.h,cuda_runtime.h,nccl.h,yaml.h
io/foreign     src/base,src/model,src/molecules,src/input,mpi/comm     hdf5.h,cuda_runtime.h,nccl.h,yaml.h
src/setup      src/base,src/model,src/molecules,src/input,mpi/comm                 mpi.h,hdf5.h,cuda_runtime.h,nccl.h,yaml.h
io             src/base,src/model,src/molecules,src/input,mpi/comm,io/foreign                 cuda_runtime.h,nccl.h
src/backend    src/base,src/model,src/input,src/dynamics,src/pair,mpi/comm            mpi.h,hdf5.h,cuda_runtime.h,nccl.h,yaml.h
src/cpu        src/base,src/model,src/input,src/dynamics,src/pair,src/backend         mpi.h,hdf5.h,cuda_runtime.h,nccl.h,yaml.h
cuda/runtime   src/base,src/model,src/input,src/dynamics,src/pair,src/backend         mpi.h,hdf5.h,nccl.h,yaml.h
cuda/lists     src/base,src/model,src/input,src/dynamics,src/pair,src/backend,cuda/runtime            mpi.h,hdf5.h,nccl.h,yaml.h
cuda/step      src/base,src/model,src/input,src/dynamics,src/pair,src/backend,cuda/runtime,cuda/lists  mpi.h,hdf5.h,nccl.h,yaml.h
cuda/comm      src/base,src/model,src/input,src/dynamics,src/pair,src/backend,cuda/runtime,cuda/lists,cuda/step  mpi.h,hdf5.h,nccl.h,yaml.h
src/observe    src/base,src/model,src/molecules,src/input,src/pair,src/backend,io,mpi/comm                   mpi.h,cuda_runtime.h,nccl.h,yaml.h
mpi/transport  src/base,src/backend,mpi/comm                         hdf5.h,cuda_runtime.h,nccl.h
mpi/domain     src/base,src/backend,mpi/comm,mpi/transport           hdf5.h,cuda_runtime.h,nccl.h
src/md         src/base,src/model,src/molecules,src/input,src/dynamics,src/pair,src/backend,src/observe,io,mpi/comm,mpi/transport,mpi/domain     mpi.h,cuda_runtime.h,nccl.h,yaml.h
src/import     src/base,src/model,src/molecules,src/input,src/setup,src/md,io,io/foreign,mpi/comm     mpi.h,cuda_runtime.h,nccl.h,yaml.h
src/maps       src/base,src/model,src/molecules,src/input,src/pair,src/cpu,src/setup,src/md,io,io/foreign,mpi/comm         mpi.h,cuda_runtime.h,nccl.h,yaml.h
cuda/maps      src/base,src/model,src/dynamics,src/pair,src/maps,cuda/runtime                         mpi.h,hdf5.h,nccl.h,yaml.h
cuda           src/base,src/model,src/input,src/dynamics,src/pair,src/backend,cuda/runtime,cuda/lists,cuda/step,cuda/comm  mpi.h,hdf5.h,nccl.h
src/cli        src/base,src/model,src/molecules,src/input,src/pair,src/import,src/setup,src/backend,src/cpu,src/maps,src/observe,src/md,io,io/foreign,mpi/comm,mpi/transport mpi.h,cuda_runtime.h,nccl.h,yaml.h
'
# What single files may do against their row: FILE:HEADER.
exceptions=' src/input/yaml_tree.c:yaml.h mpi/transport/ipc_memory.c:cuda_runtime.h
 mpi/transport/transport_nccl.c:cuda_runtime.h mpi/transport/transport_nccl.c:nccl.h
 mpi/transport/device_memory.c:cuda_runtime.h
 src/cli/main.c:mpi.h '

check() { # check DIR: prints what is forbidden in a tree
  (cd "$1" && grep -HnoE '^ *# *include *[<"][^>"]+' -r src cuda mpi io --include='*.[ch]' \
    --include='*.cu' --include='*.cuh') 2>/dev/null |
    RULES=$rules EXCEPTIONS=$exceptions awk -F: '
    # The folder of a row that a file lies in.
    function row_of(file,   k) {
      for (k = 1; k <= rows; k++) if (index(file, name[k] "/") == 1) return name[k] # the row of a folder comes after those of its subfolders
      return ""
    }
    BEGIN {
      n = split(ENVIRON["RULES"], line, "\n")
      for (k = 1; k <= n; k++) {
        if (split(line[k], part, " ") != 3) continue
        m = split(part[2], known, ",")
        for (j = 1; j <= m; j++)
          if (known[j] != "-" && !(known[j] in may)) print "a row comes before " known[j] ", which it includes"
        name[++rows] = part[1]
        may[part[1]] = part[2]
        never[part[1]] = part[3]
      }
      gsub("\n", " ", ENVIRON["EXCEPTIONS"])
      exceptions = ENVIRON["EXCEPTIONS"]
    }
    {
      header = $3
      quoted = header ~ /"/
      sub(/^.*[<"]/, "", header)
      if (quoted && header ~ /\.\./) print $1 ":" $2 ": the include path has .."
      # An include path names the folder: src is left out.
      target = header ~ /^(mpi|io|cuda)\// ? header : "src/" header
      if (!quoted) target = header ~ /\// ? "<" header : header
      include[$1] = include[$1] " " target
      place[$1, target] = $1 ":" $2
      exists[$1] = 1
    }
    function reaches(file, wanted, seen,   part, n, k) {
      if (index(seen, " " file " ")) return 0
      n = split(include[file], part, " ")
      for (k = 1; k <= n; k++) if (part[k] == wanted) return 1
      for (k = 1; k <= n; k++)
        if ((part[k] in exists) && reaches(part[k], wanted, seen file " ")) return 1
      return 0
    }
    END {
      for (file in include) {
        folder = row_of(file)
        if (folder == "") print file ": no row for its folder"
        n = split(include[file], part, " ")
        for (k = 1; k <= n; k++) {
          other = row_of(part[k])
          if (other == "" || other == folder || index("," may[folder] ",", "," other ",")) continue
          print place[file, part[k]] ": " folder "/ may not include " part[k]
        }
        n = split(never[folder], part, ",")
        for (k = 1; k <= n; k++) {
          if (index(exceptions, " " file ":" part[k] " ")) continue
          if (reaches(file, part[k], " ")) print file ": " folder "/ may not reach " part[k]
        }
      }
    }'
}

planted=$(mktemp -d) || exit 99
trap 'rm -rf "$planted"' EXIT
plant() { # plant FILE HEADER: a tree with one violation must not pass
  mkdir -p "$planted/src/model" "$planted/src/base" "$planted/src/cpu" "$planted/cuda/lists" \
    "$planted/mpi/comm" "$planted/io"
  echo '#include <mpi.h>' >"$planted/mpi/comm/ranks_mpi.h"
  echo '#include "mpi/comm/ranks_mpi.h"' >"$planted/io/h5.h"
  echo '#include <stdio.h>' >"$planted/src/cpu/cells.h"
  mkdir -p "$(dirname "$planted/$1")"
  echo "#include $2" >"$planted/$1"
  if test -z "$(check "$planted")"; then echo "not noticed: $1 includes $2"; failed=1; fi
  rm -rf "$planted/src" "$planted/cuda" "$planted/mpi" "$planted/io"
}
failed=0
plant src/base/a.c '<mpi.h>'
plant src/model/a.c '"mpi/comm/ranks_mpi.h"'
plant src/md/a.c '"mpi/comm/ranks_mpi.h"'
plant src/model/a.c '"io/h5.h"'
plant src/model/a.c '"cpu/cells.h"'
plant cuda/lists/a.cu '"io/h5.h"'
plant cuda/lists/a.cuh '"cpu/cells.h"'
plant cuda/lists/a.cu '"cuda/step/step.h"'
plant cuda/runtime/a.c '"cuda/step/step.h"'
plant mpi/comm/a.c '<hdf5.h>'
plant mpi/comm/a.c '<cuda_runtime.h>'
plant io/a.c '"cpu/cells.h"'
plant src/new/a.c '<stdio.h>'
plant src/model/a.c '"../cpu/cells.h"'

found=$(check "${top_srcdir:-.}")
if test -n "$found"; then echo "$found"; failed=1; fi
exit $failed
