#!/bin/sh
# A build folder that was configured before cmocka was there: its tests count as skipped, and
# ./check looks for cmocka again (build-aux/prepare.sh).
test -n "$BASH_VERSION" || exec bash "$0"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
real=$(command -v pkg-config)
if ! "$real" --exists cmocka; then echo "no cmocka"; exit 77; fi
if test -f "$top_srcdir/config.status"; then echo "the source tree itself is configured"; exit 77; fi
unset MAKEFLAGS MFLAGS MAKELEVEL
BUILD=$work/build
cd "$top_srcdir" || exit 99
source build-aux/prepare.sh
fail() {
  cat "$work/log"
  echo "$*"
  exit 1
}

# What the build folder found, but for cmocka and pkg-config, is not looked for a third and a fourth time.
sed -n '/^## Cache variables/,/^## Output variables/p' "$top_builddir/config.log" |
  grep -E "^[a-z]+_cv_[A-Za-z0-9_]*=([^']*|'[^']*')\$" | grep -v '_cv_env_\|PKG_CONFIG\|CMOCKA' >"$work/site"
export CONFIG_SITE=$work/site

mkdir "$work/bin"
printf '#!/bin/sh\ncase "$*" in *cmocka*) exit 1 ;; esac\nexec %s "$@"\n' "$real" >"$work/bin/pkg-config"
chmod +x "$work/bin/pkg-config"
(PATH=$work/bin:$PATH configure_program all --without-cuda --disable-dependency-tracking) >"$work/log" 2>&1 || fail "configure failed"
lacks_tools || fail "configure found cmocka all the same"
make -C "$BUILD" tests/unit/test_pair-unbuilt.log >"$work/log" 2>&1 # its status follows the tests
grep -q '^:test-result: SKIP' "$BUILD/tests/unit/test_pair-unbuilt.trs" || fail "a test without cmocka is not skipped"

configure_program all >"$work/log" 2>&1 || fail "configuring again failed"
if lacks_tools; then fail "cmocka was not looked for again"; fi
make -n -C "$BUILD" tests/unit/test_pair.log >"$work/log" 2>&1
grep -q 'test_pair-test_pair\.' "$work/log" || fail "test_pair would not be built"
