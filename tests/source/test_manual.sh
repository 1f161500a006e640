#!/bin/sh
# The reference holds the tables of run-file keys, bonded forms and external fields as the program has
# them, every column of the energies file, every dataset of a state file, and every command.
reference=$top_srcdir/docs/reference
run_file=$reference/run-file.md
force_field=$reference/force-field.md
failed=0
complain() {
  echo "docs/reference: $*"
  failed=1
}

expected=$("$LAMELLA" run --help | sh "$top_srcdir/tools/manual_keys.sh")
found=$(sed -n '/<!-- keys -->/,/<!-- end -->/p' "$run_file" | sed '1d;$d')
test "$(echo "$expected" | wc -l)" -gt 20 || complain "the program names no keys"
if test "$found" != "$expected"; then
  complain "its table of keys is not that of the program; it should be:"
  echo "$expected"
fi

expected=$("$LAMELLA" forcefield --help | sh "$top_srcdir/tools/manual_forms.sh")
found=$(sed -n '/<!-- forms -->/,/<!-- end -->/p' "$force_field" | sed '1d;$d')
test "$(echo "$expected" | wc -l)" -gt 4 || complain "the program names no bonded forms"
if test "$found" != "$expected"; then
  complain "its table of bonded forms is not that of the program; it should be:"
  echo "$expected"
fi

expected=$("$LAMELLA" run --help | sh "$top_srcdir/tools/manual_fields.sh")
found=$(sed -n '/<!-- fields -->/,/<!-- end -->/p' "$run_file" | sed '1d;$d')
test "$(echo "$expected" | wc -l)" -gt 3 || complain "the program names no external fields"
if test "$found" != "$expected"; then
  complain "its table of external fields is not that of the program; it should be:"
  echo "$expected"
fi

has() { grep -qF -- "\`$1\`" "$2"; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
echo '{forcefield: elba, water: {count: 1500}, minimise: no}' >build.yaml
echo 'input: start.h5' >run.yaml
"$LAMELLA" build build.yaml -o start.h5 >/dev/null || exit 99
"$LAMELLA" run run.yaml -s run.steps=2 -s run.dt=0.001 2>/dev/null || exit 99
for name in $(head -n 1 run.csv | tr , ' '); do
  has "$name" "$reference/files.md" || complain "column $name of the energies file is missing"
done
for name in $(sed 's/"memory": .*/"memory"/' run.performance.json | tr -d '{}":,'); do
  case $name in *[!a-z_]* | [!a-z]* | ?) continue ;; esac
  case $name in cpu | cuda | mixed | double | self | min | mean | max) continue ;; esac
  grep -qF "$name" "$reference/files.md" || complain "entry $name of the performance report is missing"
done
if command -v h5dump >/dev/null; then
  for name in $(h5dump -n run.checkpoint.h5 | sed -n 's|^ *dataset */||p'); do
    has "$name" "$reference/file-formats.md" || complain "dataset $name of the state file is missing"
  done
fi
for name in $("$LAMELLA" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
  grep -q "^## lamella $name\$" "$reference/commands.md" "$reference/electrostatics.md" || complain "command $name is missing"
done
exit $failed
