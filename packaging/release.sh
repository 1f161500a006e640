#!/bin/sh
# release.sh TARBALL URL: writes a release into the files of packaging/: its version, where it can be fetched and its
# checksum. TARBALL is what make dist wrote from the commit with the tag vVERSION, lamella-VERSION.tar.gz. Before the
# first release the checksum is zeros, which no file has, and Spack has no version but main.
set -e
if test $# != 2; then
  sed -n '2,4s/^# //p' "$0"
  exit 2
fi
name=${1##*/}
version=${name#lamella-}
version=${version%.tar.gz}
case $version in
*[!0-9.]* | '') echo "$name: not lamella-VERSION.tar.gz with a VERSION of numbers and points" >&2 && exit 2 ;;
esac
sum=$(sha256sum "$1" | cut -d ' ' -f 1)
folder=${2%/*}
cd "$(dirname "$0")"
home=$(sed -n 's/^  homepage: //p' conda/recipe.yaml)

change() { # change FILE SED-SCRIPT
  sed -e "$2" "$1" >"$1.new" && cat "$1.new" >"$1" && rm "$1.new"
}
for file in easybuild/lamella-*.eb; do
  change "$file" "s|^version = .*|version = '$version'|; s|^source_urls = .*|source_urls = ['$folder']|
    s|^checksums = .*|checksums = ['$sum']|"
  new=easybuild/lamella-$version-${file#*/lamella-*-}
  test "$file" = "$new" || mv "$file" "$new"
done
change conda/recipe.yaml "s|^  version: \"[0-9.]*\"|  version: \"$version\"|; s|^  url: .*|  url: $folder/lamella-\${{ version }}.tar.gz|
  s|^  sha256: .*|  sha256: \"$sum\"|; s|^  build: [0-9]*|  build: 0|"
recipe=spack/spack_repo/lamella/packages/lamella/package.py
change $recipe "s|^    url = .*|    url = \"$2\"|; /version(\"$version\",/d"
change $recipe "/version(\"main\"/a\\
    version(\"$version\", sha256=\"$sum\")"
if ! grep -q "^lamella ($version-" debian/changelog; then
  { printf 'lamella (%s-1) UNRELEASED; urgency=medium\n\n  * Release %s.\n\n -- %s  %s\n\n' "$version" "$version" \
    "$(sed -n 's/^Maintainer: //p' debian/control)" "$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S +0000')"
    cat debian/changelog; } >debian/changelog.new
  mv debian/changelog.new debian/changelog
fi
echo "packaging/ is that of $version; the home page is $home"
