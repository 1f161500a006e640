#!/bin/sh
# make install below a prefix that is then moved: everything runs from the new place. Staging with
# DESTDIR and uninstall. make dist runs no tests.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
  echo "$*"
  failed=1
}
make_quiet() { # as a user would, not as part of this make
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ${MAKE:-make} -s -C "$top_builddir" "$@" >"$work/log" 2>&1 || {
    cat "$work/log"
    complain "make $* failed"
  }
}
unset LAMELLA_FORCEFIELDS LAMELLA

# A folder of packages that is not below the prefix is left alone.
site=$(sed -n 's/^pythonsitedir = //p' "$top_builddir/Makefile")
outside=
case $site in
'${prefix}/'*) ;;
*) outside=pythonsitedir=$work/outside ;;
esac
make_quiet install prefix="$work/old" $outside
mv "$work/old" "$work/new"
new=$work/new
cd "$work" || exit 99
for name in share/doc/lamella/LICENSE share/doc/lamella/README.md share/doc/lamella/docs/README.md \
  share/doc/lamella/docs/tutorial/membrane.md share/doc/lamella/docs/how-to/install.md \
  share/doc/lamella/docs/reference/run-file.md share/doc/lamella/docs/theory/exactness.md \
  share/doc/lamella/docs/develop/recipes.md \
  share/lamella/jobscripts/scaling.sh share/lamella/examples/dopc.yaml \
  share/lamella/python/lamella/report.html.j2 share/man/man1/lamella.1; do
  test -s "$new/$name" || complain "$name is not installed"
done
test -x "$new/share/lamella/jobscripts/scaling.sh" || complain "the job scripts cannot be executed"

PATH=$new/bin:$PATH
test "$(command -v lamella)" = "$new/bin/lamella" || complain "lamella is not below bin"
lamella forcefield | grep -qx elba || complain "the moved program does not list elba"
lamella forcefield elba | grep -q DOPC || complain "the moved program does not find elba"
ln -s "$new/bin/lamella" linked
./linked forcefield elba >/dev/null || complain "nor does it through a link"
echo '{forcefield: elba, water: {count: 1500}, minimise: no}' >water.yaml
echo '{input: water.h5, run: {steps: 20, dt: 0.001}, output: {prefix: w, frames_every: 10}}' >w.yaml
lamella build water.yaml -o water.h5 >/dev/null && lamella run w.yaml 2>/dev/null &&
  lamella info w.h5md >/dev/null || complain "the moved program does not build, run, and inform"
if test -n "$PYTHON"; then
  "$PYTHON" "$new/bin/lamella-to-lammps" --help | grep -q 'usage: lamella-to-lammps' ||
    complain "lamella-to-lammps --help"
  "$PYTHON" "$new/bin/lamella-pmf" --help | grep -q 'usage: lamella-pmf' || complain "lamella-pmf --help"
  mkdir only && ln -s "$PYTHON" only/python3
  if "$PYTHON" -c 'import yaml' 2>/dev/null; then
    PATH=$work/only:$PATH lamella-to-lammps water.h5 w.data w.in && test -s w.data ||
      complain "lamella-to-lammps fails"
  fi
  if "$PYTHON" -c 'import matplotlib' 2>/dev/null; then
    PATH=$work/only:$PATH lamella-picture w -o w.png && test -s w.png || complain "lamella-picture fails"
  fi
  if "$PYTHON" -c 'import matplotlib, jinja2' 2>/dev/null; then
    PATH=$work/only:$PATH lamella-report w -o w.html && test -s w.html || complain "lamella-report fails"
  fi
  PYTHONPATH=$new/share/lamella/python "$PYTHON" -B -c 'import lamella; lamella.State("water.h5")' ||
    complain "the module lamella fails"
  find "$new" -name __pycache__ | grep . && complain "tools leave compiled files behind"
  test -n "$outside" || "$PYTHON" -B - "$new" "${site#*/}" <<'EOF' || complain "Python does not find the module"
import os, site, subprocess, sys
new, folder = os.path.realpath(sys.argv[1]), sys.argv[2]
site.addsitedir(os.path.join(new, folder))
import lamella
assert os.path.realpath(lamella.__file__).startswith(new), lamella.__file__
assert os.path.realpath(lamella.find_program()) == os.path.join(new, "bin/lamella"), lamella.find_program()
said = subprocess.run([lamella.find_program(), "--version"], stdout=subprocess.PIPE, text=True).stdout
assert lamella.__version__.partition("+")[0] in said, (lamella.__version__, said)
assert len(lamella.run("w.yaml", restart="never", progress=False).trajectory) == 3
EOF
fi

# The manual page names every option that the program takes, and every key of the run file; each command has
# a page of its own, with its options alone.
page=$new/share/man/man1/lamella.1
commands=$(lamella --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
unnamed() { # unnamed PAGE: the words of standard input that are not in the page, as troff writes them
  sed 's/-/\\-/g' | awk -v page="$1" '
    BEGIN { while ((getline line <page) > 0) text = text line "\n" }
    !index(text, $0)'
}
for command in $commands; do
  grep -q "^.SS lamella $command\$" "$page" || complain "lamella.1: no $command"
  options=$(lamella "$command" --help | sed -n '/ --help/d; s/^  [- ].[, ] \(--[a-z-]*\).*/\1/p')
  case $command in
  info | forcefield) ;; # --help alone
  *) test -n "$options" || complain "$command: no options" ;;
  esac
  own=$new/share/man/man1/lamella-$command.1
  test -s "$own" || complain "lamella-$command.1 is not installed"
  for one in "$page" "$own"; do
    missing=$(echo "$options" | unnamed "$one")
    test -z "$missing" || complain "$(basename "$one"): no" $missing "of $command"
  done
done
for key in run.steps barostat.coupling output.prefix; do
  grep -q "^  $key " "$page" || complain "lamella.1: no key $key"
done
if command -v man >/dev/null; then
  said=$(MANWIDTH=120 LC_ALL=C man --warnings -l "$page" 2>&1 >/dev/null)
  test -z "$said" || complain "lamella.1: $said"
fi

# Nor are there warnings of man on the pages of the commands.
for command in $commands; do
  if command -v man >/dev/null; then
    said=$(MANWIDTH=120 LC_ALL=C man --warnings -l "$new/share/man/man1/lamella-$command.1" 2>&1 >/dev/null)
    test -z "$said" || complain "lamella-$command.1: $said"
  fi
done
grep -q '^  run.steps ' "$new/share/man/man1/lamella-run.1" || complain "lamella-run.1: no key run.steps"
if grep -q -- 'max..-hours' "$new/share/man/man1/lamella-build.1"; then
  complain "lamella-build.1 has options of run"
fi

# The completion of bash knows commands, options and words.
complete() { # complete WORD...: what is offered for the last word
  bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _lamella
    echo "${COMPREPLY[@]}"' "$new/share/bash-completion/completions/lamella" "$@"
}
test "$(complete lamella bu)" = build || complain "completion: bu"
test "$(complete lamella run --ma)" = --max-hours= || complain "completion: run --ma"
test "$(complete lamella energy --format = js)" = json || complain "completion: --format=js"

make_quiet install DESTDIR="$work/stage" prefix=/opt/lamella $outside
PYTHONPATH=$work/stage/opt/lamella/share/lamella/python ${PYTHON:-true} -c 'import lamella' || complain "not staged"
test -x "$work/stage/opt/lamella/bin/lamella" || complain "DESTDIR is not heeded"
make_quiet uninstall DESTDIR="$work/stage" prefix=/opt/lamella $outside
left=$(find "$work/stage" ! -type d)
test -z "$left" || complain "uninstall leaves $left"

# A file named as a target of make (check) would make dist do what that target does.
make_quiet -n dist
if grep -q 'check-TESTS' "$work/log"; then complain "make dist runs the tests"; fi
exit $failed
