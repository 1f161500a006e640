#!/bin/sh
# kernels.sh OBJECT.kernels...: the table that `make kernels` prints, from what nvcc_unit.sh left of the
# units of sets of pair terms. sums: virial or energy, beside forces; lanes 0: any number. seconds:
# processor time of the whole unit, next to nothing where ccache had it; ptxas: of its last stage for
# this kernel.
awk '
  BEGIN {
    format = "%-28s %-7s %-7s %6s %-6s %-7s %-7s %-6s %8s %8s %9s %6s\n"
    printf format, "set", "kernel", "real", "lanes", "sums", "chained", "oblique", "arch", "seconds", "ptxas", "registers", "spill"
  }
  FNR == 1 {
    unit = FILENAME
    gsub(".*/force_|[.]o[.]kernels", "", unit)
    set = precision = unit
    sub("_[a-z]*$", "", set)
    sub(".*_", "", precision)
    seconds = $2
    units += seconds
  }
  /Compiling entry function/ {
    name = $7
    arch = $9
    gsub("\047", "", arch)
    lanes = sums = chained = oblique = "-"
    kernel = name ~ /stress_rows/ ? "stress" : "force"
    if (match(name, "ILj[0-9]*ELi[0-9]*ELi[013]ELi[01]ELi[01]E")) {
      split(substr(name, RSTART, RLENGTH), part, "E?L[ij]|E")
      lanes = part[3]
      sums = part[4] == 3 ? "energy" : part[4] ? "virial" : "no"
      chained = part[5] ? "yes" : "no"
      oblique = part[6] ? "yes" : "no"
    }
  }
  /bytes stack frame/ && name { spill = $5 }
  /Used [0-9]* registers/ && name { registers = $5 }
  /Compile time/ && name {
    printf format, set, kernel, precision, lanes, sums, chained, oblique, arch, seconds, sprintf("%.1f", $7 / 1000), registers, spill
    name = ""
    kernels++
  }
  END { printf "%d kernels in %d units, %.0f s\n", kernels, ARGC - 1, units }' "$@"
