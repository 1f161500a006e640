# LAMELLA_FLAGS: what every C file is compiled with, and --enable-sanitize. The language, the
# floating-point rules and the warnings are the program's; a compiler that lacks a flag is refused
# only where results would change. Sets OPTIMISE_CFLAGS, LANGUAGE_CFLAGS, WARN_CFLAGS,
# SANITIZE_CFLAGS.
AC_DEFUN([LAMELLA_FLAGS], [
AS_CASE([" $CFLAGS "],
  [*-ffast-math*|*-Ofast*|*-funsafe-math*|*-fassociative-math*|*-freciprocal-math*],
  [AC_MSG_ERROR([CFLAGS='$CFLAGS': flags that let the compiler reorder floating-point sums are
  refused. The same trajectory on any number of ranks depends on their order.])])
AC_ARG_ENABLE([sanitize],
  [AS_HELP_STRING([--enable-sanitize], [build with AddressSanitizer and UBSan @<:@no@:>@])],
  [], [enable_sanitize=no])
LANGUAGE_CFLAGS=
LAMELLA_CFLAG([LANGUAGE_CFLAGS], [-std=c11], [required])
LANGUAGE_CFLAGS="$LANGUAGE_CFLAGS -D_DEFAULT_SOURCE"
LAMELLA_CFLAG([LANGUAGE_CFLAGS], [-ffp-contract=off], [required])
LAMELLA_CFLAG([LANGUAGE_CFLAGS], [-fopenmp-simd])
LAMELLA_CFLAG([LANGUAGE_CFLAGS], [-fno-math-errno])
LAMELLA_CFLAG([LANGUAGE_CFLAGS], [-fno-trapping-math])
WARN_CFLAGS=
m4_foreach_w([flag], [-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion
  -Wstrict-prototypes -Wmissing-prototypes], [LAMELLA_CFLAG([WARN_CFLAGS], flag)
])
# Constants are enums, with which clang 20 and later let nothing else be computed.
lamella_enum_flags=
LAMELLA_CFLAG([lamella_enum_flags], [-Wenum-enum-conversion])
LAMELLA_CFLAG([lamella_enum_flags], [-Wenum-float-conversion])
WARN_CFLAGS="$WARN_CFLAGS `echo "$lamella_enum_flags" | $SED 's/-W/-Wno-/g'`"
OPTIMISE_CFLAGS=-O2
KERNEL_CFLAGS=-O3
SANITIZE_CFLAGS=
AS_IF([test "x$enable_sanitize" != xno], [
  OPTIMISE_CFLAGS=-O1
  KERNEL_CFLAGS=-O1
  SANITIZE_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
])
AC_SUBST([LANGUAGE_CFLAGS])
AC_SUBST([WARN_CFLAGS])
AC_SUBST([OPTIMISE_CFLAGS])
AC_SUBST([KERNEL_CFLAGS])
AC_SUBST([SANITIZE_CFLAGS])
])

# LAMELLA_CFLAG(VARIABLE, FLAG, [required]): appends FLAG to VARIABLE if the compiler takes it.
AC_DEFUN([LAMELLA_CFLAG], [
AC_MSG_CHECKING([whether the compiler takes $2])
lamella_saved_cflags=$CFLAGS
CFLAGS="-Werror $2"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [lamella_takes=yes], [lamella_takes=no])
CFLAGS=$lamella_saved_cflags
AC_MSG_RESULT([$lamella_takes])
AS_IF([test $lamella_takes = yes], [$1="$$1 $2"],
  [m4_ifval([$3], [AC_MSG_ERROR([the compiler does not take $2, without which results differ])],
    [:])])
])
