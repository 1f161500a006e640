#!/bin/sh
# The reference holds the tables of run-file keys, keys of GROMACS, bonded forms, virtual sites and external fields as the program
# has them, every column of the energies file, every dataset of a state file, every command and every force field.
reference=$top_srcdir/docs/reference
failed=0
complain() {
  echo "docs/reference: $*"
  failed=1
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
tables() { sh "$top_srcdir/tools/manual_tables.sh" "$LAMELLA" "$1"; }

# What make manual writes into a copy is what is there.
mkdir "$work/right" "$work/wrong" || exit 99
cp "$reference"/*.md "$work/right" && chmod u+w "$work/right"/*.md && tables "$work/right" || exit 99
for page in "$work/right"/*.md; do
  diff "$reference/${page##*/}" "$page" || complain "a table of ${page##*/} is not that of the program: make manual"
done
# Each table has rows, and is made again where one is lost.
for name in run-file:keys run-file:fields force-field:forms force-field:sites mdp:mdp; do
  page=${name%:*}.md
  sed "/<!-- ${name#*:} -->/,/<!-- end -->/{/^| \`/d}" "$reference/$page" >"$work/wrong/$page" && chmod u+w "$work/wrong/$page"
  if cmp -s "$work/wrong/$page" "$reference/$page"; then complain "$page has no table of ${name#*:}"; fi
  tables "$work/wrong" && cmp -s "$work/wrong/$page" "$work/right/$page" || complain "$page: lost ${name#*:} do not return"
done

has() { grep -qF -- "\`$1\`" "$2"; }
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
# Each force field that comes with the program is in its table, and on the page of what they were tested with.
for file in "$top_srcdir"/forcefields/*.yaml; do
  name=$(basename "$file" .yaml)
  has "$name" "$reference/force-field.md" || complain "force field $name is missing"
  grep -qw -- "$name" "$top_srcdir/docs/force-fields.md" ||
    complain "force field $name is missing in docs/force-fields.md"
done
for name in $("$LAMELLA" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
  grep -q "^## lamella $name\$" "$reference/commands.md" "$reference/electrostatics.md" || complain "command $name is missing"
done
exit $failed
