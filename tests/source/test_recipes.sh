#!/bin/sh
# Every file that docs/develop/*.md and CONTRIBUTING.md name exists: paths from the root, in backticks and in
# drawings, where <word> and * stand for anything, and the targets of links. Every commit that recipes name has
# the form of a hash. All links of all pages lead to files and to headings. Then the check itself is checked against planted mistakes. Needs no git.
# The tables of files in code.md name each file of their folders, and no other. The README, performance.md and the decisions stay as short as they are meant to be.
root=$(cd "${top_srcdir:-.}" && pwd) || exit 99

# headings PAGE: prints the anchors of a page
headings() { sed -n '/^```/,/^```/d; s/^#\{1,\} //p' "$1" | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9_-]//g'; }

# links PAGE FOLDER: prints links of a page that lead nowhere, to no file or to no heading
links() {
  grep -oE '\]\([^):]+\)' "$1" | sed 's/^](//; s/)$//' | sort -u | while read -r target; do
    name=${target%%#*} page=$1
    if test -n "$name"; then page=$root/$2/$name; fi
    if test ! -f "$page"; then
      echo "$1: a link leads to $target, which is not there"
    elif test "$name" != "$target" && ! headings "$page" | grep -qx -- "${target#*#}"; then
      echo "$1: a link leads to $target, where no heading has this name"
    fi
  done
}

# check PAGE FOLDER: prints what is wrong in a page that lies in a folder of the tree
check() {
  # Words with a slash and the ending of a file, in backticks or in lines of drawings.
  { grep -o '`[^` ]*`' "$1" | tr -d '`'; sed -n '/^    /p' "$1" | tr -s ' |,:()' '\n'; } |
    grep -E '^[A-Za-z0-9_.<>*-]+(/[A-Za-z0-9_.<>*-]+)+\.[a-z0-9]+$' | sort -u | while read -r name; do
    case $name in tests/times.csv) continue ;; esac # of the build folder
    pattern=$(echo "$name" | sed 's/<[^>]*>/*/g')
    found=no
    for file in "$root"/$pattern; do if test -f "$file"; then found=yes; fi; done
    test $found = yes || echo "$1: there is no file $name"
  done
  links "$1" "$2"
  tr '\n' ' ' <"$1" | grep -oE '[. |]Commit +[^ ]+' | sed 's/.* //' | while read -r hash; do
    echo "$hash" | grep -qE '^[0-9a-f]{7,40},$' || echo "$1: no hash of a commit: $hash"
  done
}

planted=$(mktemp) || exit 99
trap 'rm -f "$planted"' EXIT
failed=0
plant() { # plant TEXT: a page with one mistake must not pass
  printf '%s\n' "$1" >"$planted"
  if test -z "$(check "$planted" docs/develop)"; then echo "not noticed: $1"; failed=1; fi
}
plant 'Add a row to `src/pair/pair_lost.h`.'
plant 'Add `src/pair/lost_<form>.h`, too.'
plant '    step    of all beads    src/md/stepp.c'
plant 'See [the list](lost.md#head).'
plant 'See [the list](code.md#lost).'
plant 'See [above](#lost).'
plant 'So it was done. Commit 4d1ffeg, Measure what is there.'
plant 'So it was done. Commit 4d1ff, Measure what is there.'
printf '%s\n' 'A row of `src/pair/pair_list.h`, a file `src/pair/pair_<term>.h`, [code](code.md#folders). Commit 4d1ffea, Measure.' >"$planted"
if test -n "$(check "$planted" docs/develop)"; then echo "a right page is refused"; failed=1; fi

echo '[lost](../how-to/lost.md#here)' >"$planted"
test -n "$(links "$planted" docs/reference)" || { echo "not noticed: a link to a lost page" && failed=1; }

# tables PAGE: prints names that only the folder, or only its table "| file of `FOLDER` |", has
tables() {
  sed -n 's/^| file of `\([a-z/]*\)` .*/\1/p' "$1" | while read -r folder; do
    { sed -n '\:^| file of `'"$folder"'`:,/^$/p' "$1" | sed 1d | cut -d '|' -f 2 | grep -o '`[^`]*`' | tr -d '`' | sort -u
      ls "$root/$folder" | sed -nE 's/\.(c|h|cu)$//p' | sort -u
    } | sort | uniq -u | sed "s,^,$1: the table of $folder and the folder differ by ,"
  done
}
code=$root/docs/develop/code.md
sed 's/^| `move_cpu` .*/| `move_cpuu` | beads |/' "$code" >"$planted"
test "$(tables "$planted" | grep -c 'src/cpu .* move_cpuu*$')" = 2 || { echo "not noticed: a file that a table lacks"; failed=1; }

# long PAGE LINES [PARAGRAPH]: prints that a page has more lines than it may, or a paragraph has
long() {
  awk -v page="$1" -v most="$2" -v least="${3:-999}" '
    /^$/ { n = 0 }
    /./ { if (++n == least + 1) print page ": a paragraph of more than " least " lines ends after line " NR }
    END { if (NR > most) print page ": " NR " lines, of at most " most }' "$1"
}
printf '%s\n' 1 2 3 '' 4 5 >"$planted"
test -z "$(long "$planted" 6 3)" || { echo "a short page is refused"; failed=1; }
test -n "$(long "$planted" 5)" && test -n "$(long "$planted" 6 2)" || { echo "not noticed: a long page"; failed=1; }

found=$(
  long "$root/README.md" 100
  long "$root/docs/performance.md" 100
  long "$root/docs/decisions.md" 600 10
  tables "$code"
  test "$(grep -c '^| file of `' "$code")" -ge 4 || echo "code.md has lost tables of files"
  links "$root/README.md" .
  for folder in docs docs/tutorial docs/how-to docs/reference docs/theory docs/measured docs/papers bench/peers; do
    for page in "$root/$folder"/*.md; do links "$page" "$folder"; done
  done
  check "$root/CONTRIBUTING.md" .
  pages=0
  for page in "$root"/docs/develop/*.md; do
    check "$page" docs/develop
    pages=$((pages + 1))
  done
  test $pages -ge 4 || echo "docs/develop has $pages pages"
  test "$(grep -c 'Commit *[0-9a-f]\{7\},\|^[0-9a-f]\{7\},' "$root/docs/develop/recipes.md")" -ge 10 ||
    echo "recipes name too few commits"
)
if test -n "$found"; then echo "$found"; failed=1; fi
exit $failed
