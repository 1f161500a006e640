#!/bin/sh
# Prints the version: .tarball-version in a tarball, else the git state of the checkout.
cd "$(dirname "$0")/.." || exit 1
if test -f .tarball-version; then
  version=$(cat .tarball-version)
elif version=$(git describe --tags --dirty --abbrev=8 2>/dev/null); then
  :
elif version=$(git describe --always --dirty --abbrev=8 2>/dev/null); then
  version=0.1-g$version
else
  version=0.1-unknown
fi
printf %s "${version#v}"
